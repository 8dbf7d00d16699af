"""The stages import in one direction only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "symgen"
GROUND = {"", "errors", "model", "resources", "config", "files"}
"""What every stage may use: the values that travel between stages, the settings, and the edges to the disk."""
STAGES = ["introspect", "match", "lower", "render", "merge", "verify", "pipeline", "cli"]
BESIDE = {"sources": "match", "explanation": "lower", "coverage": "lower"}
"""Modules that put stages in a row up to this one; pipeline and cli use them."""
MAY_IMPORT = {
    **dict.fromkeys(GROUND, GROUND),
    **{stage: GROUND | set(STAGES[: position + 1]) for position, stage in enumerate(STAGES)},
    "check": GROUND | {"introspect", "check"},
    "__main__": {"cli"},
    "__init__": {"pipeline"},
}
MAY_IMPORT |= {module: MAY_IMPORT[last] | BESIDE.keys() for module, last in BESIDE.items()}
MAY_IMPORT["pipeline"] |= BESIDE.keys() | {"check"}
MAY_IMPORT["cli"] |= BESIDE.keys() | {"check"}
FILES = sorted(PACKAGE.rglob("*.py"))


def part_of(module: str) -> str:
    """`symgen.match.language` -> `match`; `symgen` and the names in it -> the empty string."""
    part = module.split(".")[1] if "." in module else ""
    return part if (PACKAGE / part).is_dir() or (PACKAGE / f"{part}.py").is_file() else ""


def imported_modules(path: Path) -> Iterator[tuple[int, str]]:
    """The modules of symgen that a file imports anywhere in it, inside functions and for types too."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names if alias.name.split(".")[0] == "symgen")
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}:{node.lineno}: imports are absolute"
            if node.module == "symgen":
                yield from ((node.lineno, f"symgen.{alias.name}") for alias in node.names)
            elif (node.module or "").startswith("symgen."):
                yield node.lineno, str(node.module)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_stage_imports_only_what_stands_before_it(path: Path) -> None:
    part = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    allowed = MAY_IMPORT[part]
    wrong = [f"{path}:{line}: {module}" for line, module in imported_modules(path) if part_of(module) not in allowed]
    assert not wrong
