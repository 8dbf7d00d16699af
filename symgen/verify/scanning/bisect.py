"""Finds the first operator whose result in the exported model differs: every value on the way becomes an output."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.onnx._internal.torchscript_exporter import utils

from symgen.model.result import Verdict
from symgen.verify.compare import Comparison
from symgen.verify.scan_jobs import ExportJob, WrongOp
from symgen.verify.scanning.comparing import Case, compare_loosely, export_to, load_file
from symgen.verify.scanning.graphs import is_served
from symgen.verify.scanning.loading import LoadedModel, cloned, tensors_of
from symgen.verify.scanning.replays import GraphCall, TensorNumber, replay
from symgen.verify.scanning.trial import replaced
from symgen.verify.scanning.writes import written_values

_MOST_REPLAYS = 400
"""Calls that are made again one by one, where the model as a whole doesn't run."""


@dataclass(frozen=True)
class _Watched:
    """A value on the way: the call that gives it, and what eager torch gave."""

    call: GraphCall
    expected: torch.Tensor


class _Intermediates:
    """Puts the values on the way among the graph's outputs, and keeps what eager torch gives for them."""

    def __init__(self, args: tuple[Any, ...], *, without_writes: bool) -> None:
        """`without_writes` has the exporter turn writes in place into values first, so that these can be looked at."""
        self._args = args
        self._without_writes = without_writes
        self.watched: list[_Watched] = []
        self.writes: list[GraphCall] = []
        """The writes in place, each on what is there before; a value that is written into can't be watched."""
        self.known: dict[int, torch.Tensor] = {}

    def create(self, *arguments: Any) -> Any:
        """In place of the exporter's `_create_jit_graph`."""
        graph, params, results, module = self._original(*arguments)
        torch._C._jit_pass_inline(graph)
        if self._without_writes:
            torch._C._jit_pass_onnx_remove_inplace_ops_for_onnx(graph, module)
        given = [*tensors_of(self._args), *params]
        inputs = list(graph.inputs())
        self.known = {value.unique(): x for value, x in zip(inputs, given, strict=False) if isinstance(x, torch.Tensor)}
        watched = list(_watchable(graph))
        values, before = _run_to(graph, [value for _, value in watched], cloned(given))
        writes = filter(_is_write, graph.nodes())
        for number, (node, tensor) in enumerate(zip(writes, before, strict=True), start=1):
            self.known[-number] = tensor
            call = GraphCall.of(node)
            self.writes.append(replace(call, arguments=(TensorNumber(-number), *call.arguments[1:])))
        for (node, value), expected in zip(watched, values, strict=True):
            graph.registerOutput(value)
            self.watched.append(_Watched(GraphCall.of(node), expected))
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
    """The first operator that differs; None where the values on the way can't be looked at, or all are right.

    Where the model with them doesn't run, each call is made again by itself.
    """
    by_context = by_write = None
    for without_writes in (False, True):
        found = _Intermediates(case.args, without_writes=without_writes)
        wrong = _first_of(found, loaded, case, job)
        if wrong is not None and wrong.sample is not None:
            return wrong
        by_context = by_context or wrong
        # One without a function, a copy, is the affair of the exporter's passes, which take it out of a model.
        writes = [call for call in found.writes if is_served(call.op, job.opset)]
        by_write = by_write or _first_alone(writes, found.known, job.opset)
    return by_write or by_context


def _first_of(found: _Intermediates, loaded: LoadedModel, case: Case, job: ExportJob) -> WrongOp | None:
    try:
        data = found.export(replace(loaded, args=case.args), job)
        got = load_file(data, loaded)(tensors_of(case.args))
    except Exception:
        return _first_by_itself(found, job.opset)
    for watched, value in zip(found.watched, got[len(got) - len(found.watched) :], strict=True):
        seen = compare_loosely([watched.expected], [value])
        if seen.verdict is not Verdict.RIGHT:
            return _wrong(watched.call, seen, found.known, job.opset)
    return None


def _first_by_itself(found: _Intermediates, opset: int) -> WrongOp | None:
    calls = dict.fromkeys(watched.call for watched in found.watched if watched.call.schema.startswith("aten::"))
    return _first_alone(list(calls), found.known, opset)


def _first_alone(calls: Sequence[GraphCall], known: Mapping[int, torch.Tensor], opset: int) -> WrongOp | None:
    """The first call that isn't right by itself."""
    for call in calls[:_MOST_REPLAYS]:
        made = replay(call, known, opset)
        if made is not None:
            return WrongOp(call.op, call.place, made.seen.detail, made.seen.verdict.value, made.sample)
    return None


def _wrong(call: GraphCall, seen: Comparison, known: Mapping[int, torch.Tensor], opset: int) -> WrongOp:
    """The operator, with the call that shows the same by itself where it does."""
    made = replay(call, known, opset)
    if made is None:
        return WrongOp(call.op, call.place, seen.detail, seen.verdict.value)
    return WrongOp(call.op, call.place, made.seen.detail or seen.detail, made.seen.verdict.value, made.sample)


def _watchable(graph: Any) -> Iterator[tuple[Any, Any]]:
    """The tensors that the graph computes and uses, and nothing writes into."""
    written = written_values(graph)
    for node in graph.nodes():
        if node.kind() == "prim::Constant":
            continue
        for value in node.outputs():
            is_tensor = isinstance(value.type(), torch._C.TensorType)
            if is_tensor and value.uses() and value.unique() not in written:
                yield node, value


def _is_write(node: Any) -> bool:
    """Whether a node writes into a tensor, its first argument."""
    if not node.kind().startswith("aten::") or not node.kind().endswith("_"):
        return False
    return isinstance(node.inputsAt(0).type(), torch._C.TensorType)


def _run_to(graph: Any, values: list[Any], given: list[Any]) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """What the values are when torch itself runs the graph, and what each write finds in the tensor it writes into."""
    copy = graph.copy()
    counterparts = dict(zip(_numbers(graph), _results(copy), strict=True))
    before = [_kept_before(copy, node) for node in list(copy.nodes()) if _is_write(node)]
    for _ in list(copy.outputs()):
        copy.eraseOutput(0)
    for value in (*(counterparts[value.unique()] for value in values), *before):
        copy.registerOutput(value)
    copy.makeMultiOutputIntoTuple()
    function = torch._C._create_function_from_graph("intermediate_values", copy)
    with torch.no_grad():
        results = function(*given)
    tensors = list(results) if isinstance(results, tuple) else [results]
    return tensors[: len(values)], tensors[len(values) :]


def _kept_before(graph: Any, write: Any) -> Any:
    """A copy of the tensor that is written into, made before that."""
    kept = graph.create("aten::alias_copy", [write.inputsAt(0)], 1)
    kept.insertBefore(write)
    return kept.outputsAt(0)


def _results(graph: Any) -> Iterator[Any]:
    """The results of all nodes, in order; a copy of a graph has them in the same."""
    for node in graph.nodes():
        yield from node.outputs()


def _numbers(graph: Any) -> Iterator[int]:
    return (value.unique() for value in _results(graph))
