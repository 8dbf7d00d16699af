"""What the tests of custom operators have beside the functions of a round trip; each function becomes a definition."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnx
import onnxruntime
import pytest
import torch
from onnxruntime.capi import onnxruntime_pybind11_state as ort_errors
from torch.utils import _pytree as pytree


def custom_node(op: Any, call: tuple[list[Any], dict[str, Any]], opset: int, domain: str, version: int) -> Any:
    """Exports a call, with fixed and with dynamic axes; the one node of the domain, which is the same in both."""
    nodes = []
    for dynamic in (False, True):
        module = call_module(op, *call)
        data = export(module, tensors_in(call), opset, dynamic, custom_opsets={domain: version})
        model = onnx.load_from_string(data)
        assert {entry.domain: entry.version for entry in model.opset_import}[domain] == version
        nodes += [node for node in model.graph.node if node.domain == domain]
        results = called(op, call)
        fixed = not dynamic and all(x.dim() for x in results)  # the exporter forgets all sizes beside a 0-d result
        for output, expected in zip(model.graph.output, results, strict=True):
            assert_type(output, expected, fixed)
    first, second = nodes
    assert first.SerializeToString() == second.SerializeToString()
    return first


def assert_numbers(
    op: Any, call: tuple[list[Any], dict[str, Any]], opset: int, domains: dict[str, int], library: Path | None = None
) -> None:
    """The kernels of the library, or the model's own function, give what the operator gives, for dtypes that they take."""
    module = call_module(op, *call)
    data = export(module, tensors_in(call), opset, False, custom_opsets=domains)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    if library:
        options.register_custom_ops_library(str(library))
    try:
        session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except (ort_errors.InvalidGraph, ort_errors.NotImplemented) as error:
        pytest.skip(f"no kernel: {error}")
    for got, expected in zip(run_session(session, tensors_in(call)), called(op, call), strict=True):
        torch.testing.assert_close(got, expected, equal_nan=True)


def assert_type(output: Any, expected: torch.Tensor, fixed: bool) -> None:
    """The model says the dtype and the rank of the result, and its sizes where they are fixed."""
    kind = output.type.tensor_type
    assert onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type).name == str(expected.dtype).removeprefix("torch.")
    assert len(kind.shape.dim) == expected.dim()
    if fixed:
        assert [axis.dim_value for axis in kind.shape.dim] == list(expected.shape)


def assert_attributes(node: Any, expected: dict[str, Any]) -> None:
    """The node has these attributes and no others, as far as ONNX's single precision can tell."""
    found = {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        got, wanted = pytree.tree_leaves(found[name]), pytree.tree_leaves(value)
        if any(isinstance(x, bytes) for x in got):
            assert [x.decode() for x in got] == wanted
        else:
            assert got == pytest.approx(wanted, rel=1e-6, nan_ok=True)


def stand_in(name: str, schema: str, results: int) -> None:
    """Defines an operator that no imported module has registered; it gives copies of its first tensor."""
    if torch._C._jit_get_schemas_for_operator(name.partition(".")[0]):
        return

    def copy(*arguments: Any, **keywords: Any) -> Any:
        first = tensors_in((arguments, keywords))[0]
        return tuple(first.clone() for _ in range(results)) if results > 1 else first.clone()

    torch.library.define(name, schema)
    torch.library.impl(name, "default", copy)
