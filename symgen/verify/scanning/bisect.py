"""Finds the first operator whose result in the exported model differs: every value on the way becomes an output."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.onnx._internal.torchscript_exporter import utils
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
from symgen.verify.scan_jobs import ExportJob, WrongOp
from symgen.verify.scanning.comparing import Case, compare_loosely, export_to, load_file
from symgen.verify.scanning.graphs import looked_up
from symgen.verify.scanning.loading import LoadedModel, cloned, tensors_of
from symgen.verify.scanning.places import place_of
from symgen.verify.scanning.trial import replaced
from symgen.verify.scanning.writes import written_values

_MOST_STORED = 4096
"""Elements of a tensor that a reproduction holds; larger ones are drawn between the same limits."""


@dataclass(frozen=True)
class _Tensor:
    """A tensor among the arguments of a call, by the number of its value."""

    number: int


Argument = _Tensor | torch.Tensor | tuple["Argument", ...] | None | bool | int | float | str
"""An argument of a call in a graph, a constant or known once the graph has been run."""


@dataclass(frozen=True)
class _Watched:
    """A value on the way: the call that gives it, told before the exporter's passes take the node, and its tensor."""

    op: str
    place: Place
    schema: str
    arguments: tuple[Argument, ...]
    expected: torch.Tensor


class _Intermediates:
    """Puts the values on the way among the graph's outputs, and keeps what eager torch gives for them."""

    def __init__(self, args: tuple[Any, ...]) -> None:
        self._args = args
        self.watched: list[_Watched] = []
        self.known: dict[int, torch.Tensor] = {}

    def create(self, *arguments: Any) -> Any:
        """In place of the exporter's `_create_jit_graph`."""
        graph, params, results, module = self._original(*arguments)
        torch._C._jit_pass_inline(graph)
        given = [*tensors_of(self._args), *params]
        inputs = list(graph.inputs())
        self.known = {value.unique(): x for value, x in zip(inputs, given, strict=False) if isinstance(x, torch.Tensor)}
        watched = list(_watchable(graph))
        values = _run_to(graph, [value for _, value in watched], cloned(given))
        for (node, value), expected in zip(watched, values, strict=True):
            graph.registerOutput(value)
            arguments = tuple(map(_argument, node.inputs()))
            self.watched.append(_Watched(looked_up(node.kind()), place_of(node), node.schema(), arguments, expected))
            self.known[value.unique()] = expected
        if results is not None:
            results = (*tensors_of(results), *values)
        return graph, params, results, module

    def export(self, loaded: LoadedModel, job: ExportJob) -> bytes:
        """The model with all values on the way as outputs, after its own."""
        self._original = utils._create_jit_graph
        buffer = io.BytesIO()
        with replaced(utils, "_create_jit_graph", self.create):
            export_to(loaded, buffer, job.opset, dict(job.custom_opsets))
        return buffer.getvalue()


def first_wrong(loaded: LoadedModel, case: Case, job: ExportJob) -> WrongOp | None:
    """The first operator that differs; None where the values on the way can't be looked at."""
    found = _Intermediates(case.args)
    try:
        data = found.export(replace(loaded, args=case.args), job)
        got = load_file(data, loaded)(tensors_of(case.args))[-len(found.watched) :]
    except Exception:
        return None
    for watched, value in zip(found.watched, got, strict=True):
        seen = compare_loosely([watched.expected], [value])
        if seen.verdict is not Verdict.RIGHT:
            return _wrong(watched, seen, found.known, job)
    return None


def _watchable(graph: Any) -> Iterator[tuple[Any, Any]]:
    """The tensors that the graph computes and nothing writes into."""
    written = written_values(graph)
    for node in graph.nodes():
        if node.kind() == "prim::Constant":
            continue
        for value in node.outputs():
            if isinstance(value.type(), torch._C.TensorType) and value.unique() not in written:
                yield node, value


def _run_to(graph: Any, values: list[Any], given: list[Any]) -> list[torch.Tensor]:
    """What the values are when torch itself runs the graph."""
    copy = graph.copy()
    counterparts = dict(zip(_numbers(graph), _results(copy), strict=True))
    for _ in list(copy.outputs()):
        copy.eraseOutput(0)
    for value in values:
        copy.registerOutput(counterparts[value.unique()])
    copy.makeMultiOutputIntoTuple()
    function = torch._C._create_function_from_graph("intermediate_values", copy)
    with torch.no_grad():
        results = function(*given)
    return list(results) if isinstance(results, tuple) else [results]


def _results(graph: Any) -> Iterator[Any]:
    """The results of all nodes, in order; a copy of a graph has them in the same."""
    for node in graph.nodes():
        yield from node.outputs()


def _numbers(graph: Any) -> Iterator[int]:
    return (value.unique() for value in _results(graph))


def _wrong(watched: _Watched, seen: Comparison, known: Mapping[int, torch.Tensor], job: ExportJob) -> WrongOp:
    """The operator, with a call that shows the same by itself where there is one."""
    wrong = WrongOp(watched.op, watched.place, seen.detail, seen.verdict.value)
    try:
        schema = parse_schema(watched.schema, Location("<graph>"))
        sample = _sample(watched.arguments, schema, known)
    except (SymgenError, KeyError, TypeError):
        return wrong
    for candidate in dict.fromkeys((_drawn_anew(sample), sample)):
        shown = alone(candidate, schema, job.opset)
        if shown.verdict is not Verdict.RIGHT:
            return replace(wrong, sample=candidate, verdict=shown.verdict.value, detail=shown.detail or seen.detail)
    return wrong


def alone(sample: SampleSpec, schema: AtenSchema, opset: int) -> Comparison:
    """Exports and runs one call by itself."""
    try:
        call = make_call(schema.name.without_overload(), (schema,), sample)
        expected = call.eager()
        data = roundtrip.export(call.module(), call.tensors, opset, False)
    except Exception as error:
        return Comparison(export_verdict(error), brief(error))
    try:
        run, _ = roundtrip.load(data)
        return compare_loosely(expected, run(call.tensors))
    except Exception as error:
        return Comparison(Verdict.RUNTIME_ERROR, brief(error))


def _sample(arguments: Sequence[Argument], schema: AtenSchema, known: Mapping[int, torch.Tensor]) -> SampleSpec:
    """The call as a sample, with the tensors that eager torch gave it.

    Raises:
        KeyError: where an argument isn't known.
    """
    positional: list[Value] = []
    keywords: list[tuple[str, Value]] = []
    for argument, given in zip(schema.arguments, arguments, strict=False):
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
    tensor = known[argument.number] if isinstance(argument, _Tensor) else argument
    if isinstance(tensor, torch.Tensor):
        return TensorSpec(tuple(tensor.shape), _dtype_name(tensor.dtype), Recipe("stored", data=encode(tensor)))
    return tensor


def _argument(value: Any) -> Argument:
    """What is given to a call: a constant, a list, or something that only running tells."""
    node = value.node()
    if node.kind() in ("prim::ListConstruct", "prim::TupleConstruct"):
        return tuple(map(_argument, node.inputs()))
    if node.kind() != "prim::Constant":
        return _Tensor(value.unique())
    constant = value.toIValue()
    return tuple(constant) if isinstance(constant, list) else constant


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
