"""What the dynamo exporter and ONNX Runtime reach of newer operators: the table, beside what is installed and seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from symgen.introspect.newer_operators import NewerOperator, load_newer_operators, load_newest_converted
from symgen.introspect.onnx_schemas import load_onnx_schemas

torch = pytest.importorskip("torch")
onnxscript = pytest.importorskip("onnxscript")


def test_the_table_has_every_operator_that_is_newer() -> None:
    schemas = load_onnx_schemas()
    names = schemas.names(schemas.newest)
    newer = {name: first for name in names if (first := schemas.history(name)[0].since_version) > 20}
    assert {one.name: one.since for one in load_newer_operators().values()} == newer


def test_the_exporter_reaches_what_onnxscript_converts_to() -> None:
    from onnxscript.version_converter import _version_converter

    newest = load_newest_converted()
    assert newest == _version_converter.SUPPORTED_MAX_ONNX_OPSET
    reached = [one for one in load_newer_operators().values() if one.exporter]
    assert {one.exporter[-1] for one in reached} == {newest}
    assert all(one.exporter[0] == one.since for one in reached)


class Relu(torch.nn.Module):  # type: ignore[misc, name-defined]
    """Whose one operator the table under test translates."""

    def forward(self, x: Any) -> Any:
        return torch.relu(x)


def calls() -> dict[str, Callable[[Any, Any], Any]]:
    """A function that calls each operator on one tensor of shape [2, 3, 4, 8]; others that no exporter reaches yet."""
    from onnxscript import opset18 as op

    def angles() -> Any:
        return op.Expand(0.5, op.Constant(value_ints=[2, 4, 4]))

    return {
        "Attention": lambda opset, x: opset.Attention(x, x, x)[0],
        "RMSNormalization": lambda opset, x: opset.RMSNormalization(x, op.Constant(value_floats=[1.0] * 8)),
        "RotaryEmbedding": lambda opset, x: opset.RotaryEmbedding(x, angles(), angles()),
        "Swish": lambda opset, x: opset.Swish(x),
        "TensorScatter": lambda opset, x: opset.TensorScatter(x, x, op.Constant(value_ints=[0, 0])),
        "BitCast": lambda opset, x: opset.BitCast(x, to=6),
        "CumProd": lambda opset, x: opset.CumProd(x, op.Constant(value_int=0)),
    }


def seen(name: str, opset: int) -> tuple[bool, bool]:
    """Whether a call of an operator exports to a valid model of an opset, and whether the runtime runs that."""
    import onnxscript.onnx_opset

    from symgen.verify.exporting import export_program
    from symgen.verify.roundtrip import load

    since = load_newer_operators()[name].since
    call, own = calls()[name], getattr(onnxscript.onnx_opset, f"opset{since}")
    x = torch.rand(2, 3, 4, 8)
    try:
        data = export_program(Relu(), [x], opset, False, {torch.ops.aten.relu.default: lambda x: call(own, x)})
    except Exception:
        return False, False
    try:
        run, by_reference = load(data)
        run([x])
    except Exception:
        return True, False
    return True, not by_reference


@pytest.mark.slow
@pytest.mark.parametrize("one", load_newer_operators().values(), ids=lambda one: one.name)
def test_what_is_reached_was_measured_so(one: NewerOperator) -> None:
    if one.name not in calls():
        assert not one.exporter
        return
    found = {opset: seen(one.name, opset) for opset in range(one.since - 1, (load_newest_converted() or 0) + 2)}
    assert [opset for opset, (exported, _) in found.items() if exported] == list(one.exporter)
    assert [opset for opset, (_, ran) in found.items() if ran] == list(one.runtime)
