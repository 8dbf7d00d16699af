"""Runs the generated test of an operator beside broken packages; a process of its own, so that it imports torch once.

    python runner.py FOLDER < jobs > verdicts

A job is a line of JSON: `{"file": "symbolic_opset9.py", "tests": ["test_hypot"], "source": "…"}`; FOLDER holds what
`symgen new` left behind. A verdict is `killed` or `survived`.
"""

from __future__ import annotations

import ast
import functools
import json
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

LIMIT = 90


def main(folder: Path) -> None:
    import onnx
    import onnxruntime  # noqa: F401
    import pytest
    import torch
    from onnx.reference import ReferenceEvaluator  # noqa: F401

    torch.set_num_threads(1)
    torch.onnx.export(torch.nn.ReLU(), (torch.ones(1),), os.devnull, dynamo=False)
    assert onnx.__version__
    for line in sys.stdin:
        job = json.loads(line)
        with tempfile.TemporaryDirectory() as place:
            shutil.copytree(
                folder / "symbolics", Path(place, "symbolics"), ignore=shutil.ignore_patterns("__pycache__")
            )
            Path(place, "tests").mkdir()
            for file in (folder / "tests").glob("test_*.py"):
                Path(place, "tests", file.name).write_text(only(file.read_text(), frozenset(job["tests"])))
            Path(place, "symbolics", job["file"]).write_text(job["source"])
            print("survived" if _passes(pytest, Path(place), job["tests"]) else "killed", flush=True)


@functools.cache
def only(source: str, tests: frozenset[str]) -> str:
    """A generated test file without the tests of other operators, which would be collected every time."""
    tree = ast.parse(source)
    tree.body = [
        node
        for node in tree.body
        if not (isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and node.name not in tests)
    ]
    return ast.unparse(tree)


def _passes(pytest: object, place: Path, tests: list[str]) -> bool:
    """Whether all the tests pass, in a child process."""
    child = os.fork()
    if not child:
        signal.alarm(LIMIT)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        nodes = [
            f"{file}::{test}"
            for test in tests
            for file in (place / "tests").glob("test_*.py")
            if f"def {test}(" in file.read_text()
        ]
        os.chdir(place)
        os._exit(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *nodes]))  # type: ignore[attr-defined]
    _, status = os.waitpid(child, 0)
    return status == 0


if __name__ == "__main__":
    main(Path(sys.argv[1]))
