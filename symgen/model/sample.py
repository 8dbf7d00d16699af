"""Samples as data: what a call of an operator gets, said so that both a tensor and a line of code can be made of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

DTYPES = (
    "float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool",
)  # fmt: skip
"""The dtypes that samples are made of, the most telling first."""

FLOATS = frozenset({"float16", "bfloat16", "float32", "float64"})
WHOLE = frozenset({"int64", "int32", "int16", "int8", "uint8"})

COMPLEX = ("complex64", "complex128")
"""The dtypes of samples for operators that carry complex tensors."""

_SHORT = {
    "float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "int64": "i64", "int32": "i32",
    "int16": "i16", "int8": "i8", "uint8": "u8", "bool": "bool", "complex64": "c64", "complex128": "c128",
}  # fmt: skip


@dataclass(frozen=True)
class Recipe:
    """How the values of a tensor come about.

    `uniform` (from `low` to `high`), `edges` (special values, cycled), `ties` (multiples of a half), `holes` (a nan
    and an inf among the values), `distinct`, `sorted` and `sorted_down` (along the last axis; `sorted edges` too),
    `simplex` (sums to one along the last axis), `definite` (symmetric positive definite), `symmetric`, `lower` and
    `upper` (triangular), `regular` (invertible), `permutation` and `countdown` (of the indices along the last axis),
    and `stored`: the bytes are in `data`.
    """

    kind: str = "uniform"
    low: float | None = None
    high: float | None = None
    data: str = ""
    """Base64 of the elements' bytes, for `stored`."""


@dataclass(frozen=True)
class TensorSpec:
    """One tensor of a sample."""

    shape: tuple[int, ...]
    dtype: str = "float32"
    recipe: Recipe = Recipe()
    layout: str = "contiguous"
    """`contiguous`, `transposed` (the axes in reverse order in memory) or `strided` (every second element)."""

    def __str__(self) -> str:
        extent = ",".join(map(str, self.shape))
        recipe = self.recipe
        limits = "" if recipe.low is None and recipe.high is None else f" {recipe.low}..{recipe.high}"
        kind = "" if recipe.kind in {"uniform", "stored"} else f" {recipe.kind}"
        layout = "" if self.layout == "contiguous" else f" {self.layout}"
        return f"{_SHORT.get(self.dtype, self.dtype)}[{extent}]{kind}{limits}{layout}"


@dataclass(frozen=True)
class DType:
    """A dtype given as an argument (`dtype=torch.float64`)."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Length:
    """A number that a model takes from the length of a further input, so that no export knows it."""

    number: int

    def __str__(self) -> str:
        return f"a length of {self.number}"


Value = None | bool | int | float | str | DType | TensorSpec | Length | tuple["Value", ...]
"""An argument's value."""


@dataclass(frozen=True, eq=False)
class SampleSpec:
    """One call of an operator: what is passed, by position and by keyword. Arguments left out have their defaults.

    Two are equal where they say the same call, nan in it or not: one that has been in another process is what it was.
    """

    overload: str
    positional: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...] = ()
    source: str = "signature"
    """`signature`, `drawn` or `OpInfo`."""
    idle: tuple[int | str, ...] = ()
    """The arguments, by place or by name, that change nothing here: at their defaults they give the same result."""
    holds: tuple[str, ...] = ()
    """`numbers`, where a result is neither 0 nor inf nor nan all over; `special`, where inf or nan is given."""

    @property
    def values(self) -> tuple[Value, ...]:
        """All values, in the order of the call."""
        return (*self.positional, *(value for _, value in self.keywords))

    @property
    def tensors(self) -> tuple[TensorSpec, ...]:
        """The tensors, in the order of the call; those of lists too."""
        return tuple(spec for spec in self.inputs if isinstance(spec, TensorSpec))

    @property
    def inputs(self) -> tuple[TensorSpec | Length, ...]:
        """What a model of the call gets, in the order of the call: the tensors, and what has the lengths."""
        return tuple(_inputs_of(self.values))

    @property
    def has_lengths(self) -> bool:
        """Whether a number of it is the length of a further input."""
        return len(self.inputs) > len(self.tensors)

    @property
    def dtypes(self) -> tuple[str, ...]:
        """The dtypes of the tensors, each once, in order."""
        return tuple(dict.fromkeys(tensor.dtype for tensor in self.tensors))

    def with_tensors(self, tensors: tuple[TensorSpec, ...]) -> SampleSpec:
        """The same call with other tensors, as many as there are."""
        rest = iter(tensors)
        positional = tuple(_refilled(value, rest) for value in self.positional)
        keywords = tuple((name, _refilled(value, rest)) for name, value in self.keywords)
        return replace(self, positional=positional, keywords=keywords)

    def named(self, names: Iterable[str]) -> tuple[tuple[str, Value], ...]:
        """The arguments with their names, of which the signature's are given in their order."""
        return (*zip(names, self.positional, strict=False), *self.keywords)

    def with_lengths(self, of: Callable[[Length], Length]) -> SampleSpec:
        """The same call with other lengths."""

        def other(value: Value) -> Value:
            if isinstance(value, tuple):
                return tuple(map(other, value))
            return of(value) if isinstance(value, Length) else value

        keywords = tuple((name, other(value)) for name, value in self.keywords)
        return replace(self, positional=tuple(map(other, self.positional)), keywords=keywords)

    def _call(self) -> tuple[object, ...]:
        return self.overload, _comparable(self.positional), _comparable(self.keywords)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SampleSpec) and self._call() == other._call()

    def __hash__(self) -> int:
        return hash(self._call())

    def __str__(self) -> str:
        parts = [*map(_text, self.positional), *(f"{name}={_text(value)}" for name, value in self.keywords)]
        return f"{self.overload or 'default'}({', '.join(parts)})"


def _comparable(value: object) -> object:
    """The value, with what is no other value in place of each nan, which is not equal to itself."""
    if isinstance(value, tuple):
        return tuple(map(_comparable, value))
    return ... if isinstance(value, float) and math.isnan(value) else value


def _inputs_of(values: tuple[Value, ...]) -> Iterator[TensorSpec | Length]:
    for value in values:
        if isinstance(value, TensorSpec | Length):
            yield value
        elif isinstance(value, tuple):
            yield from _inputs_of(value)


def _refilled(value: Value, tensors: Iterator[TensorSpec]) -> Value:
    if isinstance(value, TensorSpec):
        return next(tensors)
    if isinstance(value, tuple):
        return tuple(_refilled(element, tensors) for element in value)
    return value


def _text(value: Value) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_text, value))}]"
    return str(value)
