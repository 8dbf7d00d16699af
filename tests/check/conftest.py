"""The index of the installed torch and onnx, loaded once, and a check of a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from symgen.check import CheckSettings, Finding, check_source
from symgen.check.index.load import load_index
from symgen.check.index.model import CheckIndex

Check = Callable[..., list[Finding]]
HEAD = """import functools

import torch
from torch.onnx._internal.torchscript_exporter import _globals, jit_utils, registration, symbolic_helper

_onnx_symbolic = functools.partial(registration.custom_onnx_symbolic, opset=9)


"""


@pytest.fixture(scope="session")
def index() -> CheckIndex:
    return load_index()


@pytest.fixture
def check(index: CheckIndex) -> Check:
    """Checks a text under a name, by default as a file of opset 9."""

    def run(source: str, *, name: str = "symbolic_opset9.py", select: Sequence[str] = ()) -> list[Finding]:
        return check_source(source, name, index, CheckSettings(select=tuple(select), ignore=("SG010",)))

    return run


@pytest.fixture
def found(check: Check) -> Callable[..., list[tuple[str, int]]]:
    """The codes and lines that are found in a body that follows the usual imports, lines counted in the body."""
    skipped = HEAD.count("\n")

    def run(body: str, **options: object) -> list[tuple[str, int]]:
        return [(finding.code, finding.location.line - skipped) for finding in check(HEAD + body, **options)]

    return run
