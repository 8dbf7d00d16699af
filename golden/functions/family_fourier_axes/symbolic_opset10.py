"""ONNX symbolic functions, right from opset 10 on."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import _C
from torch.onnx import errors
from torch.onnx._internal.torchscript_exporter import jit_utils, registration, symbolic_helper

__all__ = ["fft_fftshift"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=10, custom=True)


# symgen: _carries_complex 7cbb2e89f3a61ea4
def _carries_complex(g: jit_utils.GraphContext, name: str) -> bool:
    """Whether the function that translates an operator knows of complex tensors; none of the exporter's own does."""
    group = registration.registry.get_function_group(name)
    return group is not None and hasattr(group.get(g.opset), "carries_complex")


# symgen: _check_carried 37917422098d8c1d
def _check_carried(g: jit_utils.GraphContext, value: _C.Value) -> None:
    """Raise where the graph has no real tensor for a complex one of the model."""
    name = value.node().kind()
    if name == "prim::Param":
        raise errors.SymbolicValueError(
            "ONNX models have no complex inputs, parameters or buffers; hand the parts over, as torch.view_as_real "
            "gives them, and call torch.view_as_complex inside of the model",
            value,
        )
    if not _carries_complex(g, name):
        raise errors.SymbolicValueError(f"{name} has no translation for complex numbers", value)


# symgen: _has_complex_type dc83977467121d16
def _has_complex_type(value: _C.Value) -> bool:
    """Whether tracing saw a complex tensor here."""
    kind = value.type()
    return isinstance(kind, _C.TensorType) and (kind.scalarType() or "").startswith("Complex")


# symgen: _in_model a935b9c23baa1777
def _in_model(g: jit_utils.GraphContext, position: int | None = None) -> list[_C.Value]:
    """The arguments, or the one at a position, as the model has them: with their own types, those in lists one by one."""
    if not g.original_node.kind().startswith("aten::"):
        return []
    inputs = list(g.original_node.inputs())
    chosen = inputs if position is None else [inputs[position]]
    return [
        one
        for x in chosen
        for one in (x.node().inputs() if x.node().kind() == "prim::ListConstruct" else [x])
    ]


# symgen: _carrying_complex 25ca6c422cfdc92e
def _carrying_complex(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function that takes complex arguments as real tensors with a last axis of 2, and gives them as such."""

    @functools.wraps(function)
    def wrapper(g: jit_utils.GraphContext, *args: Any, **kwargs: Any) -> Any:
        for value in _in_model(g):
            if _has_complex_type(value):
                _check_carried(g, value)
        return function(g, *args, **kwargs)

    wrapper.carries_complex = True  # type: ignore[attr-defined]
    return wrapper


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


# symgen: _halves_exchanged a95f87902b348d7a
def _halves_exchanged(
    g: jit_utils.GraphContext, x: _C.Value, axes: list[int], is_back: bool
) -> _C.Value:
    """The halves along some axes exchanged; of an odd length the first is the longer one, or where it goes back not."""
    result = x
    for axis in axes:
        cut = g.op(
            "Div",
            g.op(
                "Add",
                _size(g, x, axis),
                g.op("Constant", value_t=torch.tensor(0 if is_back else 1, dtype=torch.int64)),
            ),
            g.op("Constant", value_t=torch.tensor(2, dtype=torch.int64)),
        )
        first, second = (
            g.op(
                "Slice",
                result,
                g.op("Constant", value_t=torch.tensor([0], dtype=torch.int64)),
                cut,
                g.op("Constant", value_t=torch.tensor([axis], dtype=torch.int64)),
            ),
            g.op(
                "Slice",
                result,
                cut,
                g.op("Constant", value_t=torch.tensor([9223372036854775807], dtype=torch.int64)),
                g.op("Constant", value_t=torch.tensor([axis], dtype=torch.int64)),
            ),
        )
        result = g.op("Concat", second, first, axis_i=axis)
    return result if axes else g.op("Identity", x)


# symgen: _asks_for_length dba9595cd2dde76c
def _asks_for_length(node: _C.Node) -> bool:
    """Whether a node reads the length of an axis that is counted from the first: an axis for parts changes nothing."""
    if node.kind() != "aten::size":
        return False
    inputs = list(node.inputs())
    axis = inputs[1].toIValue() if len(inputs) > 1 else None
    return axis is not None and int(axis) >= 0


# symgen: _carried d250b4c1ef1f6d0a
def _carried(g: jit_utils.GraphContext, value: _C.Value) -> _C.Value:
    """A complex result as a real tensor with a last axis of 2; raises where what takes it does not know of that."""
    result = g.original_node.output()
    if not _has_complex_type(result):
        raise errors.SymbolicValueError(
            "complex numbers need a traced model, in which their dtype is known", value
        )
    pending = [use.user for use in result.uses()]
    while pending:
        user = pending.pop()
        if user.kind() in ("prim::ListConstruct", "prim::TupleConstruct"):
            pending += [use.user for use in user.output().uses()]
        elif (
            user.kind() != "prim::Return"
            and not _asks_for_length(user)
            and not _carries_complex(g, user.kind())
        ):
            raise errors.SymbolicValueError(
                f"{user.kind()} has no translation for complex numbers", value
            )
    return value


# symgen: _is_complex 9ec0cc76fc9c5048
def _is_complex(g: jit_utils.GraphContext, position: int) -> bool:
    """Whether an argument is complex in the model; here it is a real tensor with a last axis of 2 then."""
    return any(map(_has_complex_type, _in_model(g, position)))


# symgen: _own_rank e047ecfb0a9b884f
def _own_rank(g: jit_utils.GraphContext, x: _C.Value, is_complex: bool) -> int:
    """The rank in the model, where complex numbers have no axis for their parts."""
    return _rank(x) - int(is_complex)


# symgen: _transformed_axes b6b6307a3b30ac4c
def _transformed_axes(
    g: jit_utils.GraphContext, rank: int, lengths: list[int] | None, dims: list[int] | None
) -> list[int]:
    """The axes that are named, else as many of the last ones as there are lengths, else all."""
    if dims is not None:
        return [dim % rank for dim in dims]
    return list(range(0 if lengths is None else rank - len(lengths), rank))


# symgen: aten::fft_fftshift 8546ad2c900ee57e
@_onnx_symbolic("aten::fft_fftshift")
@_carrying_complex
@symbolic_helper.parse_args("v", "is")
def fft_fftshift(
    g: jit_utils.GraphContext, self: _C.Value, dim: Sequence[int] | None = None
) -> _C.Value:
    """fft_fftshift(Tensor self, int[1]? dim=None) -> Tensor

    The element of frequency 0 moved from the start of some axes to their middle
    """
    shifted = _halves_exchanged(
        g, self, _transformed_axes(g, _own_rank(g, self, _is_complex(g, 0)), None, dim), False
    )
    return _carried(g, shifted) if _is_complex(g, 0) else shifted
