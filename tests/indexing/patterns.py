"""Indexing patterns as data, and what becomes of one: exported beside the corrected functions, and run.

    python patterns.py PACKAGE < patterns > verdicts

A process of its own, as functions that are registered stay registered. A line of the input is a pattern, a line of the
output `right`, `refused: …` or what is wrong.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from dataclasses import asdict, dataclass
from typing import Any

import onnx
import torch
from torch.onnx.errors import OnnxExporterError

from symgen.verify import roundtrip


@dataclass(frozen=True)
class Index:
    """One part of `x[…]`: an int, a slice, `...`, None, or a tensor, which is an input of the model or built in."""

    kind: str
    """`int`, `slice`, `ellipsis`, `newaxis`, `long`, `int32`, `bool` or `uint8`."""
    numbers: tuple[Any, ...] = ()
    """The int; start, stop and step; or the elements of the tensor in order."""
    shape: tuple[int, ...] = ()
    is_input: bool = False

    @property
    def is_tensor(self) -> bool:
        return self.kind in ("long", "int32", "bool", "uint8")

    def real(self) -> Any:
        """The part as Python has it."""
        match self.kind:
            case "int":
                return self.numbers[0]
            case "slice":
                return slice(*self.numbers)
            case "ellipsis":
                return ...
            case "newaxis":
                return None
            case kind:
                return torch.tensor(self.numbers).reshape(self.shape).to(getattr(torch, kind))

    def __str__(self) -> str:
        match self.kind:
            case "int":
                return str(self.numbers[0])
            case "slice":
                return ":".join("" if number is None else str(number) for number in self.numbers)
            case "ellipsis" | "newaxis":
                return {"ellipsis": "...", "newaxis": "None"}[self.kind]
            case kind:
                where = "input" if self.is_input else "constant"
                return f"{where} {kind} {self.real().tolist()}"


@dataclass(frozen=True)
class Pattern:
    """`x[parts]` read, written (`= v`) or added to, exported at an opset, with or without dynamic axes."""

    shape: tuple[int, ...]
    parts: tuple[Index, ...]
    mode: str = "read"
    """`read`, `write`, `put` as `torch.ops.aten.index_put`, or `add` as that with `accumulate=True`.

    The last two take tensors and whole axes only."""
    values: tuple[int, ...] | None = None
    """The shape of `v`, which broadcasts to what is written; None for a Python number."""
    opset: int = 20
    dynamic: bool = False

    def __str__(self) -> str:
        how = {"read": "", "write": " = v", "put": " put v", "add": " += v"}[self.mode]
        said = f"x{list(self.shape)}[{', '.join(map(str, self.parts))}]{how}"
        return f"{said}, v {self.values}, opset {self.opset}, {'dynamic' if self.dynamic else 'static'}"

    def to_json(self) -> str:
        return json.dumps(asdict(self))


def from_json(line: str) -> Pattern:
    """The pattern of a line."""
    record = json.loads(line)
    parts = [
        Index(part["kind"], tuple(part["numbers"]), tuple(part["shape"]), part["is_input"]) for part in record["parts"]
    ]
    values = None if record["values"] is None else tuple(record["values"])
    return Pattern(tuple(record["shape"]), tuple(parts), record["mode"], values, record["opset"], record["dynamic"])


class Indexing(torch.nn.Module):
    """The pattern as a model: its inputs are x, the indices that are inputs, and the values."""

    def __init__(self, pattern: Pattern) -> None:
        super().__init__()
        self.pattern = pattern

    def forward(self, x: torch.Tensor, *rest: torch.Tensor) -> torch.Tensor:
        given = iter(rest)
        parts = tuple(next(given) if part.is_input else part.real() for part in self.pattern.parts)
        if self.pattern.mode == "read":
            return x[parts] + 0
        values = next(given, 7.0)
        x = x.clone()
        tensors = [None if part == slice(None) else part for part in parts]
        if self.pattern.mode == "put":
            return torch.ops.aten.index_put(x, tensors, values)
        if self.pattern.mode == "add":
            torch.ops.aten.index_put_(x, tensors, values, True)
        else:
            x[parts] = values
        return x


def inputs_of(pattern: Pattern, seed: int) -> list[torch.Tensor]:
    """The inputs of the model; another seed gives other numbers of the same shapes."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(pattern.shape, generator=generator)
    indices = [part.real() for part in pattern.parts if part.is_input]
    values = [] if pattern.values is None else [torch.randn(pattern.values, generator=generator)]
    return [x, *indices, *values]


def verdict(pattern: Pattern) -> str:
    """`right`, or what is wrong."""
    model, inputs = Indexing(pattern), inputs_of(pattern, 0)
    try:
        model(*inputs)
    except (IndexError, RuntimeError, TypeError, ValueError) as error:
        return f"eager: {error}"
    try:
        data = roundtrip.export(model, inputs, pattern.opset, pattern.dynamic)
    except OnnxExporterError as error:
        return f"refused: {str(error).splitlines()[0]}"
    except (RuntimeError, onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        return f"export: {str(error).splitlines()[0]}"
    try:
        run, by_reference = roundtrip.load(data)
        assert not by_reference
        for again in (inputs, [inputs_of(pattern, 1)[0], *inputs[1:]]):
            expected = model(*again)
            (got,) = run(again)
            if got.shape != expected.shape or got.dtype != expected.dtype:
                return f"{got.dtype}{tuple(got.shape)}, not {expected.dtype}{tuple(expected.shape)}"
            if not torch.allclose(got, expected, rtol=1e-6, atol=1e-6):
                return "other numbers"
    except Exception as error:  # the runtime's errors have no common base
        return f"runtime: {str(error).splitlines()[:1]}"
    return "right"


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    sys.path.insert(0, sys.argv[1])
    __import__("symbolics")
    # What the exporter prints is no verdict.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for line in sys.stdin:
        print(verdict(from_json(line)), file=answers, flush=True)
