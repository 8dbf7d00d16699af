"""Finds the first operator whose result in the exported model differs: every value on the way becomes an output."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.onnx._internal.torchscript_exporter import utils

from symgen.introspect.aten_schemas import parse_schema
from symgen.model.location import Location
from symgen.model.result import Verdict
from symgen.model.sample import FLOATS, DType, Recipe, SampleSpec, TensorSpec, Value
from symgen.model.schema import AtenSchema
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
class _Watched:
    """A value on the way: its node, and what eager torch gave."""

    node: Any
    value: Any
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
            self.watched.append(_Watched(node, value, expected))
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
            return _wrong(watched.node, seen, found.known, job)
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
    places = [value.debugName() for value in values]
    copy = graph.copy()
    by_name = {value.debugName(): value for node in copy.nodes() for value in node.outputs()}
    for _ in range(len(list(copy.outputs()))):
        copy.eraseOutput(0)
    for name in places:
        copy.registerOutput(by_name[name])
    copy.makeMultiOutputIntoTuple()
    function = torch._C._create_function_from_graph("intermediate_values", copy)
    with torch.no_grad():
        results = function(*given)
    return list(results) if isinstance(results, tuple) else [results]


def _wrong(node: Any, seen: Comparison, known: dict[int, torch.Tensor], job: ExportJob) -> WrongOp:
    wrong = WrongOp(looked_up(node.kind()), place_of(node), seen.detail, seen.verdict.value)
    try:
        schema = parse_schema(node.schema(), Location("<graph>"))
        sample = _sample(node, schema, known)
    except (RuntimeError, ValueError, KeyError, TypeError):
        return wrong
    for candidate in dict.fromkeys((_drawn_anew(sample), sample)):
        verdict = alone(candidate, schema, job.opset)
        if verdict.verdict is not Verdict.RIGHT:
            return replace(wrong, sample=candidate, verdict=verdict.verdict.value, detail=verdict.detail or seen.detail)
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


def _sample(node: Any, schema: AtenSchema, known: dict[int, torch.Tensor]) -> SampleSpec:
    """The call that a node makes, with the tensors that eager torch gave it."""
    positional: list[Value] = []
    keywords: list[tuple[str, Value]] = []
    for argument, value in zip(schema.arguments, node.inputs(), strict=False):
        made = _value(value, known)
        if "ScalarType" in str(argument.type) and isinstance(made, int):
            made = DType(str(torch.empty(0, dtype=_dtype(made)).dtype).removeprefix("torch."))
        if argument.keyword_only:
            keywords.append((argument.name, made))
        else:
            positional.append(made)
    return SampleSpec(schema.name.overload, tuple(positional), tuple(keywords))


def _dtype(number: int) -> torch.dtype:
    from torch.onnx._internal.torchscript_exporter import _type_utils

    return _type_utils.JitScalarType(number).dtype()


def _value(value: Any, known: dict[int, torch.Tensor]) -> Value:
    node = value.node()
    if value.unique() in known:
        tensor = known[value.unique()]
        return TensorSpec(
            tuple(tensor.shape), str(tensor.dtype).removeprefix("torch."), Recipe("stored", data=encode(tensor))
        )
    if node.kind() in ("prim::ListConstruct", "prim::TupleConstruct"):
        return tuple(_value(one, known) for one in node.inputs())
    constant = value.toIValue()
    if isinstance(constant, torch.Tensor):
        known = {**known, value.unique(): constant}
        return _value(value, known)
    if constant is None and not value.type().isSubtypeOf(torch._C.NoneType.get()):
        raise ValueError(f"{value.debugName()} is not known")
    return tuple(constant) if isinstance(constant, list) else constant


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
