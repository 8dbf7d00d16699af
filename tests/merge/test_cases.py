"""Awkward files and what a merge makes of them: the folders `golden/merge-*`.

A folder holds `case.toml` (what is merged, and why that is awkward), `before.py`, perhaps `bases.txt`; and what comes
out: `after.py` where the file changes, and `outcome.txt` with what is reported.
"""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from torch.onnx._internal.torchscript_exporter import registration

from golden import Golden
from merging import HEAD, LARGEST, PROMOTED, method, operator
from symgen.errors import MergeError
from symgen.merge.apply import merge_module
from symgen.merge.bases import parse_bases
from symgen.merge.outcome import Action, MergeOptions, MergeOutcome, Policy
from symgen.model.definition import Definition, ModuleText

FOLDERS = sorted((Path(__file__).parents[2] / "golden").glob("merge-*"))
RUNNING = [
    folder
    for folder in FOLDERS
    if (folder / "after.py").exists() and b"<<<<<<<" not in (folder / "after.py").read_bytes()
]
SHARED = "__all__ = ['helper']\n\n\ndef helper():\n    return 1\n"
PATH = "symbolics/symbolic_opset9.py"


@pytest.fixture(params=FOLDERS, ids=lambda folder: folder.name)
def folder(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


def wanted(case: dict[str, Any]) -> Iterator[Definition]:
    """The definitions that a case asks for."""
    old, new = case.get("source_replace", ("", ""))
    for text in case["operators"]:
        name, parameters = parts(text)
        made = operator(name, *parameters, opsets=tuple(case.get("opsets", [9])), body=case.get("body", ""))
        if case.get("plain"):
            source = made.source.partition("\n")[2].replace("torch.tensor(1.0)", "None")
            made = replace(made, source=source, requires=(), imports=made.imports[1:])
        yield replace(made, source=made.source.replace(old, new) if old else made.source)
    for text in case.get("methods", []):
        name, parameters = parts(text)
        yield method(name, *parameters)


def parts(signature: str) -> tuple[str, list[str]]:
    """`hypot(input, other)` -> `hypot` and its parameters."""
    name, parameters = re.fullmatch(r"([\w.]+)\((.*)\)", signature).groups()  # type: ignore[union-attr]
    return name, parameters.split(", ")


def run_case(folder: Path, before: bytes | None, bases: dict[str, str]) -> MergeOutcome:
    case = tomllib.loads((folder / "case.toml").read_text())
    definitions = tuple(wanted(case))
    helpers = (LARGEST, PROMOTED) if any(one.requires for one in definitions) else ()
    options = MergeOptions(Policy(case.get("policy", "safe")))
    text = ModuleText(HEAD, (*helpers, *definitions))
    return merge_module(before, text, path=PATH, options=options, bases=bases)


def read_case(folder: Path) -> tuple[bytes | None, dict[str, str]]:
    before, bases = folder / "before.py", folder / "bases.txt"
    content = before.read_bytes() if before.exists() else None
    return content, parse_bases(bases.read_text()) if bases.exists() else {}


def report(outcome: MergeOutcome) -> str:
    lines = [f"{one.action}: {one}\n{one.diff}" for one in outcome.definitions]
    return "".join(lines)


def test_the_file_and_the_report_are_the_kept_ones(folder: Path, golden: Golden) -> None:
    before, bases = read_case(folder)
    made: dict[str, str | bytes] = {
        name: (folder / name).read_bytes()
        for name in ("case.toml", "before.py", "bases.txt")
        if (folder / name).exists()
    }
    try:
        outcome = run_case(folder, before, bases)
        made["outcome.txt"] = report(outcome)
        if outcome.changed:
            assert outcome.after is not None
            made["after.py"] = outcome.after
    except MergeError as error:
        made["outcome.txt"] = f"refused: {error}\n"
    golden.check(folder.name, made)


def test_a_second_merge_changes_nothing(folder: Path) -> None:
    before, bases = read_case(folder)
    try:
        first = run_case(folder, before, bases)
    except MergeError:
        return
    if any(one.action is Action.CONFLICT for one in first.definitions):
        assert first.after == before or b"<<<<<<<" in (first.after or b"")
        return
    second = run_case(folder, first.after, dict(first.bases))
    assert not second.changed
    assert second.bases == first.bases
    assert {one.action for one in second.definitions} <= {Action.UNCHANGED, Action.REFUSED}


@pytest.mark.parametrize("folder", RUNNING, ids=lambda folder: folder.name)
def test_what_was_merged_registers_when_it_is_imported(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, bases = read_case(folder)
    outcome = run_case(folder, before, bases)
    package = tmp_path / "symbolics_of_a_case"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "_shared.py").write_text(SHARED)
    (package / "merged.py").write_bytes(outcome.after or b"")
    registry = registration.SymbolicRegistry()
    monkeypatch.setattr(registration, "registry", registry)
    monkeypatch.syspath_prepend(tmp_path)
    try:
        merged = importlib.import_module("symbolics_of_a_case.merged")
    finally:
        for name in [name for name in sys.modules if name.startswith("symbolics_of_a_case")]:
            del sys.modules[name]
    for one in outcome.definitions:
        if "::" in one.key and not one.action.is_failure:
            group = registry.get_function_group(one.key)
            assert group is not None
            assert group._functions.overridden(9)
            exported = getattr(merged, "__all__", ())
            assert one.name in exported or "frac" not in exported
