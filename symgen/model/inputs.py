"""Inputs of a model as they are typed: `float32[1,3,224,224]`, with names for the axes that are to be dynamic."""

from __future__ import annotations

import re
from dataclasses import dataclass

from symgen.errors import UsageError
from symgen.model.sample import DTYPES

_SPEC = re.compile(
    r"\s*(?P<dtype>[a-z]+\d*)\s*\[(?P<dims>[^\[\]]*)\]\s*(?:(?P<low>-?[\d.eE+-]+?)\.\.(?P<high>-?[\d.eE+-]+))?\s*",
    re.ASCII,
)
_DIM = re.compile(r"(?:(?P<name>[A-Za-z_]\w*)\s*(?:=\s*(?P<of_name>\d+))?|(?P<size>\d+))", re.ASCII)
_DEFAULT_SIZE = 2
"""The size of a named dimension that none was given for."""
_MOST_ELEMENTS = 2**31
_EXAMPLE = "write it as float32[1,3,224,224], or float32[batch,3] for a dynamic axis"


@dataclass(frozen=True)
class Dim:
    """One dimension: its size in the example, and its name where it is to be dynamic."""

    size: int
    name: str = ""


@dataclass(frozen=True)
class InputSpec:
    """One tensor to make as an example input."""

    dtype: str
    dims: tuple[Dim, ...]
    low: float | None = None
    """The lowest value, where limits were given."""
    high: float | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes in the example."""
        return tuple(dim.size for dim in self.dims)

    @property
    def axes(self) -> dict[int, str]:
        """The dynamic axes, with their names."""
        return {place: dim.name for place, dim in enumerate(self.dims) if dim.name}


def parse_input(text: str) -> InputSpec:
    """Reads an input as it is typed.

    A size may have a name (`batch`, or `batch=4`), which makes the axis dynamic, and limits of the values may follow:
    `int64[1,16] 0..999`.

    Raises:
        UsageError: where the text is none.
    """
    match = _SPEC.fullmatch(text)
    if match is None:
        raise UsageError(f"{text!r} is not an input", hint=_EXAMPLE)
    if match["dtype"] not in DTYPES:
        raise UsageError(f"{match['dtype']!r} in {text!r} is not a dtype", hint=f"one of {', '.join(DTYPES)}")
    dims = tuple(_parse_dim(part, text) for part in match["dims"].split(",")) if match["dims"].strip() else ()
    elements = 1
    for dim in dims:
        elements *= dim.size
    if elements > _MOST_ELEMENTS:
        raise UsageError(f"{text!r} has {elements} elements", hint="give a smaller example")
    return InputSpec(match["dtype"], dims, *(_parse_limit(match[name], text) for name in ("low", "high")))


def parse_inputs(texts: tuple[str, ...]) -> tuple[InputSpec, ...]:
    """Reads several inputs; a name has one size in all of them.

    Raises:
        UsageError: where one is none, or a name has two sizes.
    """
    specs = tuple(parse_input(text) for text in texts)
    sizes: dict[str, int] = {}
    for dim in (dim for spec in specs for dim in spec.dims if dim.name):
        if sizes.setdefault(dim.name, dim.size) != dim.size:
            raise UsageError(f"the dimension {dim.name} is {sizes[dim.name]} here and {dim.size} there")
    return specs


def _parse_dim(part: str, text: str) -> Dim:
    match = _DIM.fullmatch(part.strip())
    if match is None:
        raise UsageError(f"{part.strip()!r} in {text!r} is not a size", hint=_EXAMPLE)
    if match["name"]:
        return Dim(int(match["of_name"] or _DEFAULT_SIZE), match["name"])
    return Dim(int(match["size"]))


def _parse_limit(part: str | None, text: str) -> float | None:
    try:
        return None if part is None else float(part)
    except ValueError:
        raise UsageError(f"{part!r} in {text!r} is not a number", hint="limits look like 0..999") from None
