"""Exports calls of an autograd.Function with the `symbolic` that was generated for it."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch.onnx._internal.torchscript_exporter import registration

from symgen.config import HIGHEST_OPSET, LOWEST_OPSET
from symgen.model.autograd import FunctionClass, ParameterKind
from symgen.model.node import ExpectedNode, without_trailing_absent
from symgen.model.result import SampleResult, Verdict
from symgen.model.sample import SampleSpec, TensorSpec, Value
from symgen.verify import roundtrip
from symgen.verify.class_samples import EagerCall, eager_call, is_plain
from symgen.verify.compare import TOLERANCES, Comparison, compare_all, sample_result
from symgen.verify.exact import is_rounded_exact
from symgen.verify.node_export import Asked, NodeCall, export_call, function_opset
from symgen.verify.plan import twin
from symgen.verify.runner import brief, export_verdict, register
from symgen.verify.user_jobs import ClassNodeJob, ClassTripJob, NodesSeen

_PYTHON_OP = "prim::PythonOp"
_AT_ALL_OPSETS = 3
"""How many of the calls are exported at more than one opset; the node is the same at all."""


def export_class(job: ClassNodeJob, function: Any) -> NodesSeen:
    """Gives the class its `symbolic`, and exports every call of the job."""
    asked = attach(job.owner, function, job.source, in_package=job.in_package)
    results: list[SampleResult] = []
    proven: list[SampleSpec] = []
    own = function_opset(job.domain, job.owner.name)
    all_opsets = (own,) if own else job.opsets
    for place, call in enumerate(_node_calls(job, function)):
        opsets = all_opsets if place < _AT_ALL_OPSETS else all_opsets[-1:]
        seen = [result for opset in opsets for result in export_call(call, opset, job.library, asked)]
        results += seen
        if all(result.verdict is Verdict.RIGHT for result in seen):
            proven.append(call.sample)
    runs = len(results) if job.library or own else 0
    return NodesSeen(tuple(results), tuple(proven), runs=runs, function_opset=own)


def round_trip_class(job: ClassTripJob, function: Any) -> NodesSeen:
    """Gives the class its `symbolic`, exports every call, and runs each model on other values too."""
    for opset, text in job.modules:
        register(opset, text)
    asked = attach(job.owner, function, job.source, in_package=job.in_package)
    results: list[SampleResult] = []
    for opset in job.opsets:
        for sample in filter(is_plain, job.samples):
            for dynamic in (False, True):
                before = asked.count
                seen = _round_trip(function, sample, opset, dynamic)
                if asked.count == before:
                    detail = f"the exporter itself fails: {seen.detail}"
                    seen = Comparison(Verdict.UNSUPPORTED_EAGER, detail)
                results.append(sample_result(sample, opset, "traced+dynamic" if dynamic else "traced", seen))
    return NodesSeen(tuple(results), runs=len(results))


def is_inlined(function: Any, calls: Sequence[EagerCall]) -> bool:
    """Whether an export of the class without a `symbolic` is right, as the plainest of the calls shows it."""
    own = vars(function).get("symbolic")
    if own is not None:
        del function.symbolic
    try:
        plain = next((call.sample for call in calls if is_plain(call.sample)), None)
        return plain is not None and _round_trip(function, plain, HIGHEST_OPSET, False).verdict is Verdict.RIGHT
    finally:
        if own is not None:
            function.symbolic = own


def _round_trip(function: Any, sample: SampleSpec, opset: int, dynamic: bool) -> Comparison:
    """Exports a call, and runs the model on two sets of values; with dynamic axes in another size too."""
    call = eager_call(function, sample)
    assert call is not None
    further = twin(sample) if dynamic else None
    others = [eager_call(function, sample, 1), eager_call(function, further) if further else None]
    try:
        module = call.call.module()
        run, _ = roundtrip.load(roundtrip.export(module, call.call.tensors, opset, dynamic))
    except Exception as error:
        return Comparison(export_verdict(error), brief(error))
    compared = Comparison(Verdict.RIGHT)
    for one in filter(None, [call, *others]):
        try:
            compared = _compared(one, run(one.call.tensors))
        except Exception as error:
            return Comparison(Verdict.RUNTIME_ERROR, brief(error))
        if compared.verdict is not Verdict.RIGHT:
            return compared
    return compared


def _compared(made: EagerCall, got: list[torch.Tensor]) -> Comparison:
    """Where torch's own tolerances are exceeded, the result in double precision says whether that is rounding."""
    seen = compare_all(made.results, got)
    if seen.verdict is not Verdict.WRONG_VALUE:
        return seen
    try:
        is_rounding = is_rounded_exact(made.call, list(made.results), got, TOLERANCES, is_sensitive=True)
    except Exception:
        return seen
    return replace(seen, verdict=Verdict.RIGHT, detail="") if is_rounding else seen


def attach(owner: FunctionClass, function: Any, source: str, *, in_package: bool) -> Asked:
    """Gives the class what was generated for it; counts how often the exporter asks for it.

    A method is defined as if it stood in the class. A module of the package attaches its function itself, or registers
    a handler of `prim::PythonOp` that calls it.
    """
    asked = Asked()
    if not in_package:
        namespace = dict(vars(sys.modules[owner.module]))
        exec(compile(source, f"<symbolic of {owner.spelled}>", "exec"), namespace)
        function.symbolic = staticmethod(_counted(namespace["symbolic"].__func__, asked))
        return asked
    register(LOWEST_OPSET, source)
    if hasattr(function, "symbolic"):
        function.symbolic = staticmethod(_counted(function.symbolic, asked))
        return asked
    group = registration.registry.get_function_group(_PYTHON_OP)
    handler = group.get(LOWEST_OPSET) if group else None
    registration.onnx_symbolic(_PYTHON_OP, opset=LOWEST_OPSET, custom=True)(_counted(handler, asked))
    return asked


def _counted(function: Any, asked: Asked) -> Any:
    @functools.wraps(function)
    def counted(*arguments: Any, **keywords: Any) -> Any:
        asked.count += 1
        return function(*arguments, **keywords)

    return counted


def _node_calls(job: ClassNodeJob, function: Any) -> Iterator[NodeCall]:
    for sample in job.samples:
        call = eager_call(function, sample)
        if call is None:
            continue
        further = twin(sample)
        larger = eager_call(function, further) if further else None
        yield NodeCall(
            sample=sample,
            module=call.call.module(),
            tensors=call.call.tensors,
            results=call.results,
            expected=_expected(job, call),
            larger=larger.results if larger else None,
        )


def _expected(job: ClassNodeJob, call: EagerCall) -> ExpectedNode:
    """Tensors are inputs, everything else is an attribute, and what is None is neither."""
    inputs: list[bool] = []
    attributes: dict[str, Value] = {}
    for name, value, is_option in _named(job.owner, call.sample):
        if isinstance(value, TensorSpec):
            inputs.append(True)
        elif value is not None:
            attributes[name] = value
        elif not is_option:
            inputs.append(False)
    return ExpectedNode(job.domain, job.owner.name, without_trailing_absent(inputs), attributes)


def _named(owner: FunctionClass, sample: SampleSpec) -> Iterator[tuple[str, Value, bool]]:
    """The values of a call with the names of their parameters, those of absent arguments as their defaults."""
    values = list(sample.positional)
    for place, parameter in enumerate(owner.parameters):
        if parameter.is_variadic:
            yield from ((f"{parameter.name}_{n}", value, False) for n, value in enumerate(values[place:]))
            return
        value = values[place] if place < len(values) else parameter.default_value
        yield parameter.name, value, parameter.kind is ParameterKind.OPTION
