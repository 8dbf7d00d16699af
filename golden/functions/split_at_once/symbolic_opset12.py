"""ONNX symbolic functions, right from opset 12 on."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import torch
from torch import _C
from torch.onnx import errors
from torch.onnx._internal.torchscript_exporter import (
    _type_utils,
    jit_utils,
    registration,
    symbolic_helper,
)

__all__ = ["split"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=12, custom=True)


# symgen: _known 07c1363a5c94cc6e
def _known(value: Any) -> Any:
    """The Python number, list of numbers, or text in a constant value; None where it is known only when the model runs."""
    if symbolic_helper._is_none(value):
        return None
    if isinstance(value, _C.Value) and symbolic_helper._is_packed_list(value):
        value = symbolic_helper._unpack_list(value)
    if isinstance(value, (list, tuple)):
        elements = [_known(element) for element in value]
        if None in elements:
            return None
        return [
            number for part in elements for number in (part if isinstance(part, list) else [part])
        ]
    if isinstance(value, _C.Value):
        value = (
            value.toIValue()
            if value.node().kind() == "prim::Constant"
            else symbolic_helper._maybe_get_const(value, "t")
        )
    if isinstance(value, torch.Tensor):
        return value.tolist()
    return value if isinstance(value, (int, float, str, list)) else None


# symgen: _static_size 11ff0519ee8bff60
def _static_size(value: _C.Value, axis: int) -> int | None:
    """The length of an axis where it is known at export, else None."""
    known = symbolic_helper._get_tensor_dim_size(value, axis)
    if known is None and value.node().kind() == "onnx::Reshape":
        # Nodes that the exporter's own passes made have no inferred shapes.
        sizes = _known(list(value.node().inputs())[1])
        known = sizes[axis] if sizes is not None and sizes[axis] > 0 else None
    return known


# symgen: _rank 6d888dc2ea092ca6
def _rank(value: _C.Value) -> int:
    """The rank of a tensor; raises where the exporter does not know it."""
    rank = symbolic_helper._get_tensor_rank(value)
    if rank is None:
        raise errors.SymbolicValueError(
            f"the rank of {value.debugName()} is not known at export", value
        )
    return rank


# symgen: _size c55557e33fa7e33f
def _size(g: jit_utils.GraphContext, value: _C.Value, axis: int) -> _C.Value:
    """The length of an axis as an int64 tensor of shape [1], also where it is dynamic."""
    known = _static_size(value, axis)
    if known is not None:
        return g.op("Constant", value_t=torch.tensor([known], dtype=torch.int64))
    if axis < 0:
        axis += _rank(value)
    return g.op(
        "Gather", g.op("Shape", value), g.op("Constant", value_t=torch.tensor([axis])), axis_i=0
    )


# symgen: _dtype 703fc209c14fd932
def _dtype(value: _C.Value) -> torch.dtype:
    """The dtype of a value; raises where the exporter does not know it."""
    known = _type_utils.JitScalarType.from_value(value, _type_utils.JitScalarType.UNDEFINED)
    if known == _type_utils.JitScalarType.UNDEFINED:
        raise errors.SymbolicValueError(
            f"the dtype of {value.debugName()} is not known at export", value
        )
    return known.dtype()


# symgen: _as_sequence 84067f9c5e582cf4
def _as_sequence(g: jit_utils.GraphContext, x: _C.Value, size: _C.Value, axis: int) -> _C.Value:
    """Parts of one size, the last one what is left, as an ONNX sequence: only the run of the model knows how many."""
    if _dtype(x) == torch.bfloat16:
        raise errors.SymbolicValueError(
            "ONNX has no sequences of bfloat16: the length and the size of its parts have to be known at export",
            x,
        )
    length = _size(g, x, axis)
    # Of nothing there is one part, which is empty; the runtime would make none.
    starts = g.op(
        "Range",
        g.op("Constant", value_t=torch.tensor(0, dtype=torch.int64)),
        symbolic_helper._squeeze_helper(
            g, g.op("Max", length, g.op("Constant", value_t=torch.tensor([1]))), [0]
        ),
        size,
    )
    return g.op("SplitToSequence", x, g.op("Min", g.op("Sub", length, starts), size), axis_i=axis)


# symgen: _cast f58c1c65d5d5a043
def _cast(g: jit_utils.GraphContext, value: _C.Value, dtype: torch.dtype) -> _C.Value:
    """The tensor in that dtype; no node where it has it already, a new constant for a constant number."""
    target = _type_utils.JitScalarType.from_dtype(dtype)
    if value.node().kind() == "onnx::Constant":
        return g.op("Constant", value_t=symbolic_helper._node_get(value.node(), "value").to(dtype))
    return symbolic_helper._maybe_cast_to_type(g, value, target)


# symgen: _ints 94b137551f16b0c3
def _ints(g: jit_utils.GraphContext, values: Any) -> _C.Value:
    """Integers, of which some may be graph values, as one int64 tensor of shape [n]."""
    if isinstance(values, _C.Value) and symbolic_helper._is_packed_list(values):
        values = symbolic_helper._unpack_list(values)
    known = _known(values)
    if known is not None:
        return g.op("Constant", value_t=torch.tensor(known, dtype=torch.int64).reshape(-1))
    if isinstance(values, _C.Value):
        # The exporter follows a length through Unsqueeze, not through Reshape.
        if symbolic_helper._get_tensor_rank(values) == 0:
            return _cast(g, symbolic_helper._unsqueeze_helper(g, values, [0]), torch.int64)
        shape = g.op("Constant", value_t=torch.tensor([-1]))
        return _cast(g, g.op("Reshape", values, shape), torch.int64)
    runs = itertools.groupby(values, key=lambda value: _known(value) is not None)
    parts = [part for is_known, run in runs for part in ([list(run)] if is_known else run)]
    return g.op("Concat", *[_ints(g, part) for part in parts], axis_i=0)


# symgen: _listed 1a7b188486df3bdf
def _listed(outputs: _C.Value | tuple[_C.Value, ...]) -> list[_C.Value]:
    """The outputs of a node as a list, also where it has one."""
    return list(outputs) if isinstance(outputs, tuple) else [outputs]


# symgen: _in_parts 10aab233b1f7cbf1
def _in_parts(
    g: jit_utils.GraphContext, x: _C.Value, sizes: list[int], axis: int
) -> list[_C.Value]:
    """The parts of those sizes."""
    if len(sizes) == 1:
        return [x]
    return _listed(g.op("Split", x, split_i=sizes, axis_i=axis, outputs=len(sizes)))


# symgen: _in_sizes d798bc3bed9c8256
def _in_sizes(g: jit_utils.GraphContext, x: _C.Value, sizes: _C.Value, axis: int) -> list[_C.Value]:
    """The parts of those sizes, also where only the run of the model knows them."""
    known = _known(sizes)
    if known is not None:
        return _in_parts(g, x, known, axis)
    parts, end = [], g.op("Constant", value_t=torch.tensor([0]))
    for size in symbolic_helper._unpack_list(sizes):
        start, end = end, g.op("Add", end, _ints(g, size))
        parts.append(
            g.op(
                "Slice",
                x,
                start,
                end,
                g.op("Constant", value_t=torch.tensor([axis], dtype=torch.int64)),
            )
        )
    return parts


# symgen: _in_parts_of 16da571fca13ad94
def _in_parts_of(g: jit_utils.GraphContext, x: _C.Value, size: int, axis: int) -> list[_C.Value]:
    """Parts of one size, the last one what is left, of an axis whose length is known."""
    length = _static_size(x, axis)
    whole = length // size if size else 0
    rest = length - whole * size
    return _in_parts(g, x, [size] * whole + [rest] * (rest > 0 or not whole), axis)


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


# symgen: _so_many_parts a44a8555c609ba37
def _so_many_parts(
    g: jit_utils.GraphContext, x: _C.Value, size: int, axis: int, count: int
) -> list[_C.Value]:
    """So many parts of one size, the last one what is left, of an axis whose length need not be known."""
    starts = [size * k for k in range(count)]
    ends = [*starts[1:], 9223372036854775807]
    return [
        g.op(
            "Slice",
            x,
            g.op("Constant", value_t=torch.tensor([starts[k]], dtype=torch.int64)),
            g.op("Constant", value_t=torch.tensor([ends[k]], dtype=torch.int64)),
            g.op("Constant", value_t=torch.tensor([axis], dtype=torch.int64)),
        )
        for k in range(count)
    ]


# symgen: aten::split d526c474c1a75374
@_onnx_symbolic("aten::split")
@symbolic_helper.parse_args("v", "v", "i", "i")
def split(
    g: jit_utils.GraphContext,
    self: _C.Value,
    split_size: _C.Value,
    dim: int = 0,
    _outputs: int | None = None,
) -> list[_C.Value] | _C.Value:
    """split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]
    split.sizes(Tensor(a -> *) self, SymInt[] split_size, int dim=0) -> Tensor(a)[]

    Parts of one size, the last one what is left, or parts of the sizes in a list.
    """
    axis = dim % _rank(self)
    size = _known(split_size)
    count = _outputs
    if isinstance(size, list):
        parts = _in_parts(g, self, size, axis)
    elif symbolic_helper._is_packed_list(split_size):
        parts = _in_sizes(g, self, split_size, axis)
    elif size is not None and _static_size(self, axis) is not None:
        parts = _in_parts_of(g, self, size, axis)
    elif size is not None and count is not None:
        parts = _so_many_parts(g, self, size, axis, count)
    elif count is not None:
        sequence = _as_sequence(g, self, split_size, axis)
        return [
            g.op(
                "SequenceAt", sequence, g.op("Constant", value_t=torch.tensor(k, dtype=torch.int64))
            )
            for k in range(count)
        ]
    else:
        return _as_sequence(g, self, split_size, axis)
    return _list(g, parts) if count is None else parts
