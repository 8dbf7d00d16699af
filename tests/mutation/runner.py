"""Runs the generated test of an operator beside broken packages; a process of its own, so that it imports torch once.

    python runner.py FOLDER < jobs > verdicts

A job is a line of JSON: `{"file": "symbolic_opset9.py", "tests": ["test_hypot"], "source": "…"}`; FOLDER holds what
`symgen new` left behind. A verdict is `killed` or `survived`.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import gc
import json
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import pytest

LIMIT = 90
"""Seconds of computing that a broken function may take; ten times as long where it only waits."""

OPTIONS = ("-x", "-q", "--tb=no", "--assert=plain", "-pno:cacheprovider", "-pno:unraisableexception")
"""Nothing is told but the exit status: the first failure ends the run, without its story."""


def main(folder: Path) -> None:
    _load_all_that_tests_need()
    for line in sys.stdin:
        job = json.loads(line)
        with tempfile.TemporaryDirectory() as place:
            stale = shutil.ignore_patterns(f"{Path(job['file']).stem}.*.pyc")
            shutil.copytree(folder / "symbolics", Path(place, "symbolics"), ignore=stale)
            Path(place, "tests").mkdir()
            for file in (folder / "tests").glob("test_*.py"):
                Path(place, "tests", file.name).write_text(only(file.read_text(), frozenset(job["tests"])))
            Path(place, "symbolics", job["file"]).write_text(job["source"])
            print("survived" if _passes(Path(place), job["tests"]) else "killed", flush=True)


def _load_all_that_tests_need() -> None:
    """Once, here, so that no child has to: the libraries, the first export, pytest's own modules."""
    import onnx.reference  # noqa: F401
    import onnxruntime  # noqa: F401
    import torch
    from torch._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND, elementwise_dtypes

    torch.set_num_threads(1)
    torch.onnx.export(torch.nn.ReLU(), (torch.ones(1),), os.devnull, dynamo=False)
    torch.testing.assert_close(torch.ones(1), torch.ones(1))
    elementwise_dtypes(torch.ones(1), type_promotion_kind=ELEMENTWISE_TYPE_PROMOTION_KIND.DEFAULT)
    with tempfile.TemporaryDirectory() as place, contextlib.redirect_stdout(None):
        Path(place, "test_nothing.py").write_text("def test_nothing(): pass")
        pytest.main([*OPTIONS, place])
    # A child then doesn't touch, and so not copy, the pages of all that is loaded.
    gc.freeze()


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


def _passes(place: Path, tests: list[str]) -> bool:
    """Whether all the tests pass, in a child process."""
    child = os.fork()
    if not child:
        signal.setitimer(signal.ITIMER_PROF, LIMIT)
        signal.alarm(10 * LIMIT)
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
        os._exit(pytest.main([*OPTIONS, *nodes]))
    _, status = os.waitpid(child, 0)
    return status == 0


if __name__ == "__main__":
    main(Path(sys.argv[1]))
