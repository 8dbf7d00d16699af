"""Exports calls that become one node of the user's own domain, and looks at that node."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import onnx
import onnxruntime
import torch
from onnxruntime.capi import onnxruntime_pybind11_state as ort_errors
from torch.onnx._internal.torchscript_exporter import registration

from symgen.model.domain import Domain
from symgen.model.node import ExpectedNode
from symgen.model.result import SampleResult, Verdict
from symgen.model.sample import SampleSpec, Value
from symgen.verify import roundtrip
from symgen.verify.compare import Comparison, compare_all, sample_result
from symgen.verify.runner import brief, export_verdict

Tensors = Sequence[torch.Tensor]


@dataclass(frozen=True)
class NodeCall:
    """One call: the module that makes it of its tensors, the node that it becomes, and what eager torch gives."""

    sample: SampleSpec
    module: Any
    tensors: Tensors
    results: Tensors
    expected: ExpectedNode
    larger: Tensors | None = None
    """The results of the same call in another size, where it can be made."""
    scripted: Any = None
    """The same call as TorchScript, where it can be said so."""


@dataclass
class Asked:
    """How often the exporter has called a symbolic function."""

    count: int = 0


def function_opset(domain: Domain, name: str) -> int | None:
    """The opset of the onnxscript function that gives a node its meaning in a model; None where there is none."""
    group = registration.registry.get_function_group(f"{domain.name}::{name}")
    found = group.get(domain.version) if group else None
    to_proto = getattr(found, "to_function_proto", None)
    return next((entry.version for entry in to_proto().opset_import if not entry.domain), None) if to_proto else None


def export_call(call: NodeCall, opset: int, library: str = "", asked: Asked | None = None) -> Iterator[SampleResult]:
    """Exports a call in every mode and judges what comes of it.

    Where the exporter fails before it has `asked` for the symbolic function, that says nothing of the function.
    """
    modes: list[tuple[str, Any]] = [("traced", call.module)]
    modes += [("scripted", call.scripted)] if call.scripted is not None else []
    for mode, module in modes:
        for dynamic in (False, True):
            before = asked.count if asked else 0
            seen = _judged(call, module, opset, dynamic, library)
            if asked and asked.count == before and seen.verdict is Verdict.EXPORT_ERROR:
                seen = Comparison(Verdict.UNSUPPORTED_EAGER, f"the exporter itself fails: {seen.detail}")
            yield sample_result(call.sample, opset, mode + ("+dynamic" if dynamic else ""), seen)


def _judged(call: NodeCall, module: Any, opset: int, dynamic: bool, library: str) -> Comparison:
    domain = call.expected.domain
    try:
        data = roundtrip.export(module, call.tensors, opset, dynamic, custom_opsets={domain.name: domain.version})
    except Exception as error:
        return Comparison(export_verdict(error), brief(error))
    model = onnx.load_from_string(data)
    complaint = node_complaint(model, call.expected)
    if complaint:
        return Comparison(Verdict.WRONG_VALUE, complaint)
    others = [call.larger] if dynamic and call.larger is not None else []
    form = _compare_outputs(model, [call.results, *others])
    if form.verdict is not Verdict.RIGHT or not (library or model.functions):
        return form
    return _compare_numbers(data, call, library)


def node_complaint(model: onnx.ModelProto, expected: ExpectedNode) -> str:
    """What is wrong with the one node of the domain; empty where nothing is."""
    domain = expected.domain
    nodes = [node for node in model.graph.node if node.domain == domain.name]
    if [node.op_type for node in nodes] != [expected.name]:
        return f"the model has {[node.op_type for node in nodes]} of {domain.name}, not one {expected.name}"
    versions = {entry.domain: entry.version for entry in model.opset_import}
    if versions.get(domain.name) != domain.version:
        return f"the model imports version {versions.get(domain.name)} of {domain.name}, not {domain.version}"
    inputs = tuple(bool(name) for name in nodes[0].input)
    if inputs != expected.inputs:
        return f"the node has inputs {inputs}, not {expected.inputs}"
    attributes = {a.name: _plain(onnx.helper.get_attribute_value(a)) for a in nodes[0].attribute}
    if not same_attributes(attributes, expected.attributes):
        return f"the node has attributes {attributes}, not {dict(expected.attributes)}"
    return ""


def same_attributes(got: Mapping[str, Value], expected: Mapping[str, Value]) -> bool:
    """Whether attributes have the same names and values, as far as ONNX's single precision can tell."""
    return got.keys() == expected.keys() and all(_same(got[name], value) for name, value in expected.items())


def _same(got: Value, expected: Value) -> bool:
    if isinstance(expected, tuple):
        return isinstance(got, tuple) and len(got) == len(expected) and all(map(_same, got, expected))
    if isinstance(expected, int | float) and isinstance(got, int | float):
        rounded = torch.tensor(expected, dtype=torch.float32).item() if isinstance(got, float) else expected
        return got == rounded or (math.isnan(got) and math.isnan(rounded))
    return got == expected


def _plain(value: Any) -> Value:
    """An attribute's value as samples have them."""
    if isinstance(value, bytes):
        return value.decode()
    return tuple(map(_plain, value)) if isinstance(value, list | tuple) else value


def _compare_outputs(model: onnx.ModelProto, sizes: Sequence[Tensors]) -> Comparison:
    """Compares dtypes and ranks of the model's outputs, and that a size is fixed only where it never changes."""
    outputs = list(model.graph.output)
    if len(outputs) != len(sizes[0]):
        return Comparison(Verdict.WRONG_SHAPE, f"{len(outputs)} outputs, not {len(sizes[0])}")
    for place, output in enumerate(outputs):
        of_tensor = output.type.tensor_type
        dtype = onnx.helper.tensor_dtype_to_np_dtype(of_tensor.elem_type).name if of_tensor.elem_type else "unknown"
        wanted = str(sizes[0][place].dtype).removeprefix("torch.")
        if dtype != wanted:
            return Comparison(Verdict.WRONG_DTYPE, f"output {place} is {dtype}, not {wanted}")
        shape = [dim.dim_value if dim.HasField("dim_value") else None for dim in of_tensor.shape.dim]
        for results in sizes:
            real = list(results[place].shape)
            fits = len(shape) == len(real) and all(s in (None, r) for s, r in zip(shape, real, strict=True))
            if of_tensor.HasField("shape") and not fits:
                return Comparison(Verdict.WRONG_SHAPE, f"output {place} has the shape {shape}, not {real}")
    return Comparison(Verdict.RIGHT)


def _compare_numbers(data: bytes, call: NodeCall, library: str) -> Comparison:
    """Runs the model, with a library of kernels if there is one."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        if library:
            options.register_custom_ops_library(library)
        session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        got = roundtrip.run_session(session, call.tensors)
    except Exception as error:
        is_of_another_dtype = isinstance(error, ort_errors.InvalidGraph) and "Type Error" in str(error)
        missing = is_of_another_dtype or isinstance(error, ort_errors.NotImplemented)
        return Comparison(Verdict.NO_KERNEL if missing else Verdict.RUNTIME_ERROR, brief(error))
    return compare_all(call.results, got)
