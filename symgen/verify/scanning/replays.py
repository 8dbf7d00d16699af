"""Calls in a graph made again by themselves, with the tensors that eager torch gave them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.onnx._internal.torchscript_exporter._type_utils import JitScalarType

from symgen.errors import SymgenError
from symgen.introspect.aten_schemas import parse_schema
from symgen.model.location import Location
from symgen.model.result import Verdict
from symgen.model.sample import FLOATS, DType, Recipe, SampleSpec, TensorSpec, Value
from symgen.model.scan import Place
from symgen.model.schema import AtenSchema
from symgen.model.types import BaseType, innermost
from symgen.verify import roundtrip
from symgen.verify.calls import make_call
from symgen.verify.compare import Comparison
from symgen.verify.encoding import decode, encode
from symgen.verify.runner import brief, export_verdict
from symgen.verify.scanning.comparing import compare_loosely
from symgen.verify.scanning.graphs import looked_up
from symgen.verify.scanning.places import place_of

_MOST_STORED = 4096
"""Elements of a tensor that a reproduction holds; larger ones are drawn between the same limits."""


@dataclass(frozen=True)
class TensorNumber:
    """A tensor among the arguments of a call, by the number of its value."""

    number: int


Argument = TensorNumber | torch.Tensor | torch.dtype | tuple["Argument", ...] | None | bool | int | float | str
"""An argument of a call in a graph, a constant or known once the graph has been run."""


@dataclass(frozen=True)
class GraphCall:
    """A call in a graph, told before the exporter's passes take its node."""

    op: str
    place: Place
    schema: str
    arguments: tuple[Argument, ...]
    used: tuple[int, ...] = ()
    """Which of its results the graph uses."""

    @classmethod
    def of(cls, node: Any) -> GraphCall:
        """The call that a node makes."""
        arguments = tuple(map(_argument, node.inputs()))
        used = tuple(place for place, value in enumerate(node.outputs()) if value.uses())
        return cls(looked_up(node.kind()), place_of(node), node.schema(), arguments, used)


@dataclass(frozen=True)
class Replay:
    """A call by itself that isn't right, and what it showed."""

    sample: SampleSpec
    seen: Comparison


Export = Callable[[torch.nn.Module, Sequence[torch.Tensor], int], "bytes | Comparison"]
"""Exports a module at an opset; what went wrong is an answer too."""


def by_symbolic_functions(module: torch.nn.Module, tensors: Sequence[torch.Tensor], opset: int) -> bytes | Comparison:
    """An export by the TorchScript exporter."""
    try:
        return roundtrip.export(module, tensors, opset, False)
    except Exception as error:
        return Comparison(export_verdict(error), brief(error))


def replay(
    call: GraphCall, known: Mapping[int, torch.Tensor], opset: int, export: Export = by_symbolic_functions
) -> Replay | None:
    """Exports and runs a call by itself; None where that is right, or can't be done."""
    try:
        schema = parse_schema(call.schema, Location("<graph>"))
        sample = _sample(call, schema, known)
    except (SymgenError, KeyError, TypeError):
        return None
    for candidate in dict.fromkeys((_drawn_anew(sample), sample)):
        seen = _alone(candidate, schema, call.used, opset, export)
        if seen.verdict is not Verdict.RIGHT:
            return Replay(candidate, seen)
    return None


def _alone(sample: SampleSpec, schema: AtenSchema, used: Sequence[int], opset: int, export: Export) -> Comparison:
    """Exports and runs one call, of which only the results that are used are looked at."""
    try:
        call = make_call(schema.name.without_overload(), (schema,), sample)
        call = replace(call, op=_giving(call.op, used))
        expected = call.eager()
        data = export(call.module(), call.tensors, opset)
    except Exception as error:
        return Comparison(export_verdict(error), brief(error))
    if isinstance(data, Comparison):
        return data
    try:
        run, _ = roundtrip.load(data)
        return compare_loosely(expected, run(call.tensors))
    except Exception as error:
        return Comparison(Verdict.RUNTIME_ERROR, brief(error))


def _giving(op: Callable[..., Any], used: Sequence[int]) -> Callable[..., Any]:
    def call(*arguments: Any, **keywords: Any) -> Any:
        results = op(*arguments, **keywords)
        return tuple(results[place] for place in used) if isinstance(results, tuple) else results

    return call


def _sample(call: GraphCall, schema: AtenSchema, known: Mapping[int, torch.Tensor]) -> SampleSpec:
    """The call as a sample, with the tensors that eager torch gave it.

    Raises:
        KeyError: where an argument isn't known.
    """
    positional: list[Value] = []
    keywords: list[tuple[str, Value]] = []
    for argument, given in zip(schema.arguments, call.arguments, strict=False):
        value = _value(given, known)
        if innermost(argument.type) == BaseType("ScalarType") and isinstance(value, int):
            value = DType(_dtype_name(JitScalarType(value).dtype()))
        if argument.keyword_only:
            keywords.append((argument.name, value))
        else:
            positional.append(value)
    return SampleSpec(schema.name.overload, tuple(positional), tuple(keywords))


def _value(argument: Argument, known: Mapping[int, torch.Tensor]) -> Value:
    if isinstance(argument, tuple):
        return tuple(_value(one, known) for one in argument)
    if isinstance(argument, torch.dtype):
        return DType(_dtype_name(argument))
    tensor = known[argument.number] if isinstance(argument, TensorNumber) else argument
    if isinstance(tensor, torch.Tensor):
        return TensorSpec(tuple(tensor.shape), _dtype_name(tensor.dtype), Recipe("stored", data=encode(tensor)))
    return tensor


def _argument(value: Any) -> Argument:
    """What is given to a call: a constant, a list, or something that only running tells."""
    node = value.node()
    if node.kind() in ("prim::ListConstruct", "prim::TupleConstruct"):
        return tuple(map(_argument, node.inputs()))
    if node.kind() != "prim::Constant":
        return TensorNumber(value.unique())
    constant: Any = value.toIValue()
    plain: Argument = tuple(constant) if isinstance(constant, list) else constant
    return plain


def _dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _drawn_anew(sample: SampleSpec) -> SampleSpec:
    """The same call, its large tensors drawn between the limits of their values."""
    return sample.with_tensors(tuple(_drawn(tensor) for tensor in sample.tensors))


def _drawn(tensor: TensorSpec) -> TensorSpec:
    if math.prod(tensor.shape) <= _MOST_STORED or tensor.dtype not in FLOATS:
        return tensor
    values = decode(tensor.recipe.data, tensor.shape, getattr(torch, tensor.dtype))
    finite = values[values.isfinite()]
    limits = (float(finite.min()), float(finite.max())) if finite.numel() else (None, None)
    return replace(tensor, recipe=Recipe("uniform", *limits))
