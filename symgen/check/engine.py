"""Checks one file's text: pure, given an index of torch and ONNX and what stands around the file."""

from __future__ import annotations

from symgen.check.context import Context
from symgen.check.findings import Finding
from symgen.check.ignoring import without_ignored
from symgen.check.index.model import CheckIndex
from symgen.check.reading.module import SymbolicModule, parse_module, read_module
from symgen.check.rules import RULES
from symgen.check.settings import DEFAULTS, CheckSettings
from symgen.check.source import Source
from symgen.check.surroundings import ALONE, Surroundings
from symgen.model.location import Location

NOT_PYTHON = "SG000"


def check_source(
    text: str,
    path: str,
    index: CheckIndex,
    settings: CheckSettings = DEFAULTS,
    surroundings: Surroundings = ALONE,
) -> list[Finding]:
    """The findings of one file, by place.

    `text` is the file's text as it stands (a byte order mark taken off), `path` what findings name it by; its last part
    tells the file's opset. Files that aren't Python have the one finding that they are not.
    """
    module = read_or_finding(Source(path, text))
    if isinstance(module, Finding):
        return [module] if settings.wants(NOT_PYTHON) else []
    return check_module(module, index, settings, surroundings)


def check_module(
    module: SymbolicModule, index: CheckIndex, settings: CheckSettings, surroundings: Surroundings
) -> list[Finding]:
    """The findings of a file that was read."""
    context = Context(module, index, settings, surroundings)
    wanted = [rule for rule in RULES if settings.wants(rule.code)]
    findings = [finding for rule in wanted for finding in rule.check(context)]
    return sorted(without_ignored(findings, module.source), key=lambda finding: finding.sort_key)


def read_or_finding(source: Source) -> SymbolicModule | Finding:
    """The file as it was read, or the finding that it is not Python."""
    try:
        tree = parse_module(source)
    except SyntaxError as error:
        reason, line, column = error.msg, error.lineno or 0, error.offset or 0
    except (ValueError, RecursionError, MemoryError) as error:
        reason, line, column = str(error) or "it is nested too deeply", 0, 0
    else:
        return read_module(source, tree)
    return not_python(source.path, reason, line, column)


def not_python(path: str, reason: str, line: int = 0, column: int = 0) -> Finding:
    """The finding that a file is not Python."""
    return Finding(NOT_PYTHON, Location(path, max(line, 1), max(column, 1)), f"not a Python file: {reason}")
