"""Renders samples as code: `sample(make(3, 4), make(4), value=2.5)`."""

from __future__ import annotations

import base64
import math
import struct
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from symgen.model.names import OpName
from symgen.model.sample import DType, Length, SampleSpec, TensorSpec, Value

_MOST_STORED = 64
"""Elements of a tensor whose values stand in the code."""
_OWN_MAKERS = ("edges", "ties", "holes", "distinct")
"""Recipes so frequent that they have a function of their own in the generated file."""
_FORMATS = {
    "float32": "f", "float64": "d", "float16": "e", "int64": "q", "int32": "i", "int16": "h", "int8": "b", "uint8": "B",
    "bool": "?", "bfloat16": "H",
}  # fmt: skip
"""How `struct` names the elements; those of bfloat16 are the upper halves of a float32's bytes."""


@dataclass(frozen=True)
class SampleGroup:
    """Samples of one overload that are all run in the same dtypes."""

    op: str
    dtypes: tuple[str, ...]
    samples: tuple[str, ...]


def group_samples(
    op: OpName, samples: Sequence[SampleSpec], floats: Sequence[str] = (), untraced: Sequence[str] = ()
) -> tuple[SampleGroup, ...]:
    """The samples as code, those that differ in nothing but the dtype as one.

    Quantised operators are called on float tensors, of which those in `floats` stay what they are; the overloads in
    `untraced` are called through a script.
    """
    dtypes: dict[tuple[str, str], dict[str, None]] = {}
    for sample in filter(is_renderable, samples):
        main = main_dtype(sample)
        dtypes.setdefault((sample.overload, render_sample(sample, main)), {})[main] = None
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (overload, code), own in dtypes.items():
        groups.setdefault((overload, tuple(own)), []).append(code)
    return tuple(
        SampleGroup(_callee(op, overload, floats, untraced), own, tuple(codes))
        for (overload, own), codes in groups.items()
    )


def _callee(op: OpName, overload: str, floats: Sequence[str], untraced: Sequence[str]) -> str:
    name = f"torch.ops.{op.namespace}.{op.base}.{overload or 'default'}"
    if overload in untraced:
        return f"through_script({name})"
    if op.namespace != "quantized":
        return name
    return f"on_floats({name}, {list(floats)})" if floats else f"on_floats({name})"


def is_renderable(sample: SampleSpec) -> bool:
    """Whether the values of the sample are few enough to stand in code."""
    stored = (tensor for tensor in sample.tensors if tensor.recipe.kind == "stored")
    return all(math.prod(tensor.shape) <= _MOST_STORED and tensor.dtype in _FORMATS for tensor in stored)


def main_dtype(sample: SampleSpec) -> str:
    """The dtype that most of the tensors have, the first of several."""
    counts = Counter(tensor.dtype for tensor in sample.tensors)
    return max(counts, key=lambda dtype: counts[dtype], default="float32")


def render_sample(sample: SampleSpec, main: str) -> str:
    """The sample as a call of `sample`; tensors of the main dtype don't name it."""
    parts = [_value(value, main) for value in sample.positional]
    parts += [f"{name}={_value(value, main)}" for name, value in sample.keywords]
    return f"sample({', '.join(parts)})"


def _value(value: Value, main: str) -> str:
    return argument_code(value, lambda tensor: _tensor(tensor, main))


def argument_code(value: Value, tensor: Callable[[TensorSpec], str], length: Callable[[], str] | None = None) -> str:
    """An argument as code, its tensors as `tensor` says them, and its lengths as `length` does, or as numbers."""
    if isinstance(value, TensorSpec):
        return tensor(value)
    if isinstance(value, Length):
        return length() if length else repr(value.number)
    if isinstance(value, tuple):
        return f"[{', '.join(argument_code(element, tensor, length) for element in value)}]"
    return plain_value(value)


def plain_value(value: Value) -> str:
    """A value that is no tensor and no list, as code."""
    if isinstance(value, DType):
        return f"torch.{value.name}"
    return _number(value) if isinstance(value, float) else repr(value)


def literal(spec: TensorSpec) -> str:
    """The stored values of a tensor, in as many brackets as it has axes."""
    return _nested(_elements(spec), spec.shape)


def _number(value: float) -> str:
    return repr(value) if math.isfinite(value) else f'float("{value}")'


def _tensor(spec: TensorSpec, main: str) -> str:
    dtype = [] if spec.dtype == main else [f"dtype=torch.{spec.dtype}"]
    recipe = spec.recipe
    if recipe.kind == "stored":
        return f"given({', '.join([literal(spec), *dtype])})"
    maker = recipe.kind if recipe.kind in _OWN_MAKERS else "make"
    parts = [*map(str, spec.shape), *dtype]
    parts += [] if recipe.kind in ("uniform", maker) else [f"recipe={recipe.kind!r}"]
    parts += [f"low={_number(recipe.low)}"] if recipe.low is not None else []
    parts += [f"high={_number(recipe.high)}"] if recipe.high is not None else []
    parts += [] if spec.layout == "contiguous" else [f"layout={spec.layout!r}"]
    return f"{maker}({', '.join(parts)})"


def _elements(spec: TensorSpec) -> list[float | int | bool]:
    """The stored elements."""
    data = base64.b64decode(spec.recipe.data)
    elements = struct.unpack(f"={math.prod(spec.shape) if data else 0}{_FORMATS[spec.dtype]}", data)
    if spec.dtype == "bfloat16":
        return [struct.unpack("<f", struct.pack("<HH", 0, upper))[0] for upper in elements]
    return list(elements)


def _nested(elements: Sequence[float | int | bool], shape: Sequence[int]) -> str:
    """The elements in as many brackets as the shape has axes."""
    if not shape:
        return _number(elements[0]) if isinstance(elements[0], float) else repr(elements[0])
    size = math.prod(shape[1:])
    rows = (_nested(elements[row * size : (row + 1) * size], shape[1:]) for row in range(shape[0]))
    return f"[{', '.join(rows)}]"
