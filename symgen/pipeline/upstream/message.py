"""The commit message, which is the text of the pull request too: facts only, as the run found them."""

from __future__ import annotations

import importlib.metadata
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from symgen.introspect.torch_install import find_torch
from symgen.lower.versions import Schemas
from symgen.model.names import OpName
from symgen.model.result import Evidence
from symgen.model.schema import AtenSchema
from symgen.render.plain_text import plain_text

_WIDTH = 72
_OPERATORS = re.compile(r"""(?:\w\.op\(|add_op_with_blocks\(\s*\w+,)\s*["']([A-Z]\w*)["']""")


@dataclass(frozen=True)
class Wording:
    """How a project's messages say what differs between projects."""

    one: str
    """The first line of a commit; `{ops}` stands for the names."""
    many: str
    """The same where these are too long for a line, or not alike; `{count}` stands for their number."""
    lead: str
    """What there is without the commit, and what it adds; `{op}` and `{opset}` are filled in."""
    error: str
    """What raises where arguments are refused."""


@dataclass(frozen=True)
class Contribution:
    """What a commit says of one operator."""

    op: OpName
    schemas: tuple[AtenSchema, ...]
    summary: str
    opset: int
    operators: Mapping[str, int]
    """The ONNX operators in use, each with the opset since which it has been what is used."""
    refused: tuple[str, ...]
    """What raises although the operator takes it, as sentences."""
    evidence: Evidence
    tests: Mapping[str, str]
    """The files of the project's suite that test it, with what `-k` finds it by."""
    wording: Wording


def operators_in(sources: Sequence[str], calls: Mapping[str, int], at: int, schemas: Schemas) -> dict[str, int]:
    """The ONNX operators of some functions, each with the opset of its version in force unless `calls` says another."""
    texts = "\n".join(sources)
    names = {*_OPERATORS.findall(texts), *calls} - {"Constant"}
    names |= {"Cast"} if "_maybe_cast_to_type" in texts else set()
    found = dict(calls)
    for name in names - found.keys():
        schema = schemas.at(name, at)
        if schema is not None:
            found[name] = schema.since_version
    return {name: found[name] for name in sorted(found)}


def subject(contributions: Sequence[Contribution]) -> str:
    """The first line of a commit."""
    wording = contributions[0].wording
    line = wording.one.format(ops=", ".join(one.op.qualified for one in contributions))
    is_said_of_all = len({one.wording.one for one in contributions}) == 1
    return line if is_said_of_all and len(line) <= _WIDTH else wording.many.format(count=len(contributions))


def commit_message(contributions: Sequence[Contribution]) -> str:
    """The whole message of a commit that adds these operators."""
    parts = [subject(contributions)]
    for one in contributions:
        if len(contributions) > 1:
            parts.append(f"{one.op.qualified}\n{'-' * len(one.op.qualified)}")
        parts += paragraphs(one)
    return "\n\n".join(parts) + "\n"


def paragraphs(one: Contribution) -> Iterator[str]:
    """What is said of one operator."""
    yield _filled(one.wording.lead.format(op=one.op.qualified, opset=one.opset))
    yield "\n".join(f"    {schema}" for schema in one.schemas)
    if one.summary:
        yield _filled(plain_text(one.summary))
    yield _filled(f"ONNX operators, each with the opset since which it is as used here: {_operators(one)}.")
    yield "\n".join(_table(one.evidence))
    yield from _limits(one)
    if one.tests:
        commands = (f"    pytest {path} -k {name}" for path, name in one.tests.items())
        yield "\n".join(["To run its tests:", "", *commands])


def _operators(one: Contribution) -> str:
    return ", ".join(f"{name} {since}" for name, since in one.operators.items())


def _table(evidence: Evidence) -> Iterator[str]:
    if not evidence.samples:
        yield "Not verified: no round trip was run."
        return
    versions = [f"PyTorch {find_torch().version}"]
    versions += [f"{name} {importlib.metadata.version(name)}" for name in ("onnx", "onnxruntime")]
    yield f"Compared with eager mode ({', '.join(versions)}):"
    yield ""
    rows = {
        "opsets": " ".join(map(str, evidence.opsets)),
        "dtypes": " ".join(evidence.dtypes),
        "modes": " ".join(evidence.modes),
        "samples": f"{evidence.samples} in {evidence.exports} exports and {evidence.runs} runs",
        "largest error": f"{evidence.max_rel_err:.2g} relative, {evidence.max_abs_err:.2g} absolute",
    }
    if evidence.by_reference:
        rows["by onnx.reference"] = " ".join(evidence.by_reference)
    yield "| what | seen |"
    yield "|---|---|"
    yield from (f"| {label} | {text} |" for label, text in rows.items())


def _limits(one: Contribution) -> Iterator[str]:
    if one.refused:
        said = "\n".join(textwrap.fill(f"- {plain_text(text)}", _WIDTH, subsequent_indent="  ") for text in one.refused)
        yield f"It raises {one.wording.error}, or fails to export or to load:\n\n{said}"
    elif one.evidence.samples:
        yield _filled("Nothing that the operator takes is refused, as far as the samples go.")


def _filled(text: str) -> str:
    return "\n\n".join(textwrap.fill(part, _WIDTH) for part in text.split("\n\n"))
