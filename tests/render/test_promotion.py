"""Promotion at export: the dtype of a result is eager torch's, over every pair of dtypes, ranks and Python numbers."""

from __future__ import annotations

import itertools
from types import ModuleType
from typing import Any

import pytest
import torch

from symgen.render.runtime import runtime_helpers

DTYPES = (
    torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
    torch.float16, torch.bfloat16, torch.float32, torch.float64,
)  # fmt: skip
OPERANDS: tuple[Any, ...] = (
    *(torch.ones((), dtype=dtype) for dtype in DTYPES),
    *(torch.ones(2, dtype=dtype) for dtype in DTYPES),
    True,
    2,
    2.5,
)


@pytest.fixture(scope="module")
def runtime() -> ModuleType:
    """The runtime helpers as a module."""
    module = ModuleType("runtime")
    for definition in runtime_helpers(["_promoted"]):
        text = "\n".join(["from __future__ import annotations", *map(str, definition.imports), definition.source])
        exec(text, vars(module))
    return module


def graph_value(graph: torch._C.Graph, operand: Any) -> torch._C.Value:
    """The operand as the exporter hands it to a symbolic function: a Python number is a 0-d constant."""
    if isinstance(operand, torch.Tensor):
        value = graph.addInput()
        value.inferTypeFrom(operand)
        return value
    tensor = torch.tensor(operand, dtype=torch.float64 if isinstance(operand, float) else None)
    node = graph.insertNode(graph.create("onnx::Constant"))
    node.t_("value", tensor)
    node.output().inferTypeFrom(tensor)
    return node.output()


def result_dtype(runtime: ModuleType, kind: str, *operands: Any) -> torch.dtype:
    graph = torch._C.Graph()
    values = [graph_value(graph, operand) for operand in operands]
    _, result = runtime._result_dtypes(values, kind, True)
    return result


@pytest.mark.parametrize(
    ("kind", "function"),
    [("DEFAULT", torch.mul), ("INT_TO_FLOAT", torch.atan2), ("ALWAYS_BOOL", torch.eq)],
    ids=["as torch.mul", "as torch.atan2", "as torch.eq"],
)
def test_two_operands(kind: str, function: Any, runtime: ModuleType) -> None:
    wrong = []
    for left, right in itertools.product(OPERANDS, repeat=2):
        tensors = [operand for operand in (left, right) if isinstance(operand, torch.Tensor)]
        if not tensors or (kind != "DEFAULT" and len(tensors) < 2):  # torch.atan2 and eq want tensors in front
            continue
        expected = function(left, right).dtype
        got = result_dtype(runtime, kind, left, right)
        if got != expected:
            wrong.append((left, right, expected, got))
    assert not wrong


def test_one_operand_of_a_sum(runtime: ModuleType) -> None:
    for operand in OPERANDS:
        if isinstance(operand, torch.Tensor) and not operand.is_floating_point():
            assert result_dtype(runtime, "BOOL_TO_LONG", operand) == (
                torch.int64 if operand.dtype == torch.bool else operand.dtype
            )


def test_half_precision_is_computed_in_float32_unless_one_operator_does_all(runtime: ModuleType) -> None:
    graph = torch._C.Graph()
    values = [graph_value(graph, torch.ones(2, dtype=torch.float16))]

    assert runtime._result_dtypes(values, "DEFAULT", True) == (torch.float32, torch.float16)
    assert runtime._result_dtypes(values, "DEFAULT", False) == (torch.float16, torch.float16)


def test_what_has_to_be_precise_is_computed_in_float64(runtime: ModuleType) -> None:
    graph = torch._C.Graph()
    half, whole = [[graph_value(graph, torch.ones(2, dtype=dtype))] for dtype in (torch.float16, torch.int8)]

    assert runtime._result_dtypes(half, "DEFAULT", True, True) == (torch.float64, torch.float16)
    assert runtime._result_dtypes(whole, "INT_TO_FLOAT", True, True) == (torch.float64, torch.float32)
    assert runtime._result_dtypes(whole, "DEFAULT", True, True) == (torch.int32, torch.int8)


def test_a_tensor_without_axes_counts_as_any_other_where_torch_gives_it_some(runtime: ModuleType) -> None:
    number, vector = torch.ones((), dtype=torch.float64), torch.ones(2)

    assert result_dtype(runtime, "BY_DTYPE", number, vector) == torch.kron(number, vector).dtype
    assert result_dtype(runtime, "DEFAULT", number, vector) == (number * vector).dtype


def test_small_integers_and_bool_are_computed_in_int32(runtime: ModuleType) -> None:
    graph = torch._C.Graph()
    for dtype in (torch.bool, torch.uint8, torch.int8, torch.int16):
        values = [graph_value(graph, torch.ones(2, dtype=dtype))]
        assert runtime._result_dtypes(values, "DEFAULT", True) == (torch.int32, dtype)
