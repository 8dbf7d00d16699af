"""What is imported is declared, what is declared is used, and each has its reason and its tested version."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

DISTRIBUTION = {"yaml": "pyyaml", "torchgen": "torch"}
"""Modules whose distribution has another name."""


def requirements(repository: Path, extra: str = "") -> set[str]:
    """The names that pyproject.toml requires."""
    project = tomllib.loads((repository / "pyproject.toml").read_text("utf-8"))["project"]
    listed = project["optional-dependencies"][extra] if extra else project["dependencies"]
    return {normalised(re.split(r"[<>=!~\[; ]", requirement)[0]) for requirement in listed}


def normalised(name: str) -> str:
    return name.lower().replace("_", "-")


def imported(folder: Path) -> set[str]:
    """The distributions that the code of a folder imports, anywhere in it."""
    found = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.split(".")[0])
    return {
        normalised(DISTRIBUTION.get(name, name)) for name in found - sys.stdlib_module_names - {"symgen", "__future__"}
    }


def test_dependencies_are_what_is_imported(repository: Path) -> None:
    optional = {"expecttest", "onnx-ir"}
    assert imported(repository / "symgen") - optional == requirements(repository)


def test_every_dependency_has_its_reason(repository: Path) -> None:
    text = (repository / "pyproject.toml").read_text("utf-8")
    lists = re.findall(r"^(?:dependencies|torchlib|test|dev) = \[\n(.*?)^\]", text, re.MULTILINE | re.DOTALL)
    lines = [line for block in lists for line in block.splitlines()]
    assert len(lines) > 15
    assert not [line for line in lines if not re.fullmatch(r'\s+"[^"]+",\s+# \w.+', line)]


@pytest.mark.parametrize("extra", ["", "torchlib", "test", "dev"])
def test_every_dependency_has_a_tested_version(repository: Path, extra: str) -> None:
    text = (repository / "constraints.txt").read_text("utf-8")
    pinned = {normalised(name) for name in re.findall(r"^([\w.-]+)==[\w.]+$", text, re.MULTILINE)}
    assert requirements(repository, extra) <= pinned
