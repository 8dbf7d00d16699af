"""What a rule consists of: a check, and the page that explains it with examples that are its tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from symgen.check.context import Context
from symgen.check.findings import Finding

MARK = "  # <- "
"""Ends a line of an example on which the rule finds something; a few words may follow."""
_HEAD = """import functools

import torch
from torch.onnx._internal.torchscript_exporter import registration, symbolic_helper

_onnx_symbolic = functools.partial(registration.{api}, opset={opset})


"""


class Example(NamedTuple):
    """A piece of a symbolic file, right or wrong; lines that are found end in a mark."""

    body: str
    opset: int = 9
    custom: bool = True
    whole: bool = False
    """Whether `body` is the whole file; else it follows the usual imports and `_onnx_symbolic`."""
    fixed: str = ""
    """The body as `--fix` leaves it, where it mends the example."""
    file_name: str = ""

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.file_name or f"symbolic_opset{self.opset}.py"

    def source(self, body: str | None = None) -> str:
        """The whole file, with this or another body."""
        api = "custom_onnx_symbolic" if self.custom else "onnx_symbolic"
        head = "" if self.whole else _HEAD.format(api=api, opset=self.opset)
        return head + (self.body if body is None else body)

    @property
    def marked_lines(self) -> list[int]:
        """The lines of the whole file on which the rule finds something."""
        return [number for number, line in enumerate(self.source().splitlines(), 1) if MARK in line]


class Rule(NamedTuple):
    """One code."""

    code: str
    name: str
    """A few words, for lists."""
    why: str
    """What the finding means and what to do, as the page of `symgen explain`."""
    check: Callable[[Context], Iterable[Finding]]
    wrong: tuple[Example, ...]
    right: tuple[Example, ...]
