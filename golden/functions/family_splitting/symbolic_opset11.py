"""ONNX symbolic functions, right from opset 11 on."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from torch import _C
from torch.onnx import errors
from torch.onnx._internal.torchscript_exporter import (
    _type_utils,
    jit_utils,
    registration,
    symbolic_helper,
)

__all__ = ["_to_cpu"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=11, custom=True)


# symgen: _list 1259cb3bc72df68e
def _list(g: jit_utils.GraphContext, values: Sequence[_C.Value]) -> _C.Value:
    """A list of tensors: to be unpacked at once, as traced models do, else as an ONNX sequence."""
    uses = [use.user.kind() for output in g.original_node.outputs() for use in output.uses()]
    if all(kind == "prim::ListUnpack" for kind in uses):
        return g.op("prim::ListConstruct", *values)
    if g.opset < 11:
        raise errors.SymbolicValueError(
            "a list that is not unpacked at once needs opset 11 (sequences)", values[0]
        )
    kinds = [
        _type_utils.JitScalarType.from_value(v, _type_utils.JitScalarType.UNDEFINED) for v in values
    ]
    if _type_utils.JitScalarType.BFLOAT16 in kinds:
        raise errors.SymbolicValueError("ONNX sequences hold no bfloat16", values[0])
    return g.op("SequenceConstruct", *values)


# symgen: aten::_to_cpu 16b8012e0ef64bbf
@_onnx_symbolic("aten::_to_cpu")
@symbolic_helper.parse_args("v")
def _to_cpu(g: jit_utils.GraphContext, tensors: _C.Value) -> list[_C.Value] | _C.Value:
    """_to_cpu(Tensor[] tensors) -> Tensor[]

    The tensors themselves: ONNX Runtime places them.
    """
    tensors = symbolic_helper._unpack_list(tensors)
    return _list(g, [g.op("Identity", x) for x in tensors])
