"""ONNX symbolic functions, right from opset 11 on."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import _C, _prims_common
from torch.onnx import errors
from torch.onnx._internal.torchscript_exporter import (
    _type_utils,
    jit_utils,
    registration,
    symbolic_helper,
)

__all__ = ["stft"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=11, custom=True)


# symgen: _cast_like 7ccf97423759ad9a
def _cast_like(g: jit_utils.GraphContext, value: _C.Value, like: _C.Value) -> _C.Value:
    """The tensor in the dtype of `like`, also where that is unknown at export."""
    known = _type_utils.JitScalarType.from_value(like, _type_utils.JitScalarType.UNDEFINED)
    if known != _type_utils.JitScalarType.UNDEFINED:
        return symbolic_helper._maybe_cast_to_type(g, value, known)
    if g.opset < 15:
        raise errors.SymbolicValueError(
            "a dtype that is unknown at export needs opset 15 (CastLike)", like
        )
    return g.op("CastLike", value, like)


# symgen: _scalar 9451145ccc11ca13
def _scalar(g: jit_utils.GraphContext, number: Any, like: _C.Value) -> _C.Value:
    """A constant of the dtype of `like`, also where that is unknown at export."""
    known = _type_utils.JitScalarType.from_value(like, _type_utils.JitScalarType.UNDEFINED)
    if known == _type_utils.JitScalarType.UNDEFINED:
        return _cast_like(g, g.op("Constant", value_t=torch.tensor(number)), like)
    return g.op("Constant", value_t=torch.tensor(number, dtype=known.dtype()))


# symgen: _counting decb757d6866fe64
def _counting(g: jit_utils.GraphContext, count: _C.Value) -> _C.Value:
    """0, 1 … count − 1 as int64; `count` has the shape [1]."""
    return g.op(
        "Range",
        _scalar(g, 0, count),
        symbolic_helper._squeeze_helper(g, count, [0]),
        _scalar(g, 1, count),
    )


# symgen: _cast f58c1c65d5d5a043
def _cast(g: jit_utils.GraphContext, value: _C.Value, dtype: torch.dtype) -> _C.Value:
    """The tensor in that dtype; no node where it has it already, a new constant for a constant number."""
    target = _type_utils.JitScalarType.from_dtype(dtype)
    if value.node().kind() == "onnx::Constant":
        return g.op("Constant", value_t=symbolic_helper._node_get(value.node(), "value").to(dtype))
    return symbolic_helper._maybe_cast_to_type(g, value, target)


# symgen: _waves 64716348f6367a78
def _waves(
    g: jit_utils.GraphContext, length: _C.Value, rows: _C.Value, columns: _C.Value, power: float
) -> tuple[_C.Value, ...]:
    """(cos, sin) of 2π · row · column / length, divided by a power of the length, in float64."""
    row_numbers = symbolic_helper._unsqueeze_helper(g, _counting(g, rows), [1])
    products = g.op("Mod", g.op("Mul", row_numbers, _counting(g, columns)), length)
    period = _cast(g, length, torch.float64)
    angles = g.op(
        "Div",
        g.op(
            "Mul",
            _cast(g, products, torch.float64),
            g.op("Constant", value_t=torch.tensor(2 * math.pi, dtype=torch.float64)),
        ),
        period,
    )
    scale = g.op("Pow", period, g.op("Constant", value_t=torch.tensor(power, dtype=torch.float64)))
    return (g.op("Div", g.op("Cos", angles), scale), g.op("Div", g.op("Sin", angles), scale))


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


# symgen: _permuted 983357769c5563b2
def _permuted(g: jit_utils.GraphContext, x: _C.Value, order: list[int]) -> _C.Value:
    """The axes in that order; no node where they are in it already."""
    return x if order == list(range(len(order))) else g.op("Transpose", x, perm_i=order)


# symgen: _times_along d1670044095cb30b
def _times_along(g: jit_utils.GraphContext, x: _C.Value, matrix: _C.Value, axis: int) -> _C.Value:
    """Σ x[…, row, …] · matrix[row, column] along an axis."""
    rank = _rank(x)
    rows = _permuted(g, x, [*range(axis), *range(axis + 1, rank), axis])
    return _permuted(
        g, g.op("MatMul", rows, matrix), [*range(axis), rank - 1, *range(axis, rank - 1)]
    )


# symgen: _from_parts eccfa8204dd748db
def _from_parts(g: jit_utils.GraphContext, real: _C.Value, imaginary: _C.Value) -> _C.Value:
    """A complex tensor of its two parts."""
    rank = _rank(real)
    return g.op(
        "Concat",
        symbolic_helper._unsqueeze_helper(g, real, [rank]),
        symbolic_helper._unsqueeze_helper(g, imaginary, [rank]),
        axis_i=rank,
    )


# symgen: _transformed_real 5fe03a91e9339086
def _transformed_real(
    g: jit_utils.GraphContext, x: _C.Value, axis: int, sign: int, power: float, is_onesided: bool
) -> _C.Value:
    """The same of a real tensor; of its symmetric result only the first half, where one side is wanted."""
    length = _size(g, x, axis)
    count = (
        g.op(
            "Add",
            g.op("Div", length, g.op("Constant", value_t=torch.tensor(2, dtype=torch.int64))),
            g.op("Constant", value_t=torch.tensor(1, dtype=torch.int64)),
        )
        if is_onesided
        else length
    )
    cosines, sines = _waves(g, length, length, count, power)
    c, s = _cast_like(g, cosines, x), _cast_like(g, sines if sign == 1 else g.op("Neg", sines), x)
    return _from_parts(g, _times_along(g, x, c, axis), _times_along(g, x, s, axis))


# symgen: _framed 07ca3d7581af13e6
def _framed(g: jit_utils.GraphContext, x: _C.Value, n_fft: int, hop: int) -> _C.Value:
    """Windows along the last axis, a hop apart, as rows."""
    frames = g.op(
        "Add",
        g.op(
            "Div",
            g.op(
                "Sub",
                _size(g, x, -1),
                g.op("Constant", value_t=torch.tensor(n_fft, dtype=torch.int64)),
            ),
            g.op("Constant", value_t=torch.tensor(hop, dtype=torch.int64)),
        ),
        g.op("Constant", value_t=torch.tensor(1, dtype=torch.int64)),
    )
    starts = g.op(
        "Mul",
        symbolic_helper._unsqueeze_helper(g, _counting(g, frames), [1]),
        g.op("Constant", value_t=torch.tensor(hop, dtype=torch.int64)),
    )
    return g.op(
        "Gather",
        x,
        g.op(
            "Add",
            starts,
            g.op("Constant", value_t=torch.tensor(list(range(n_fft)), dtype=torch.int64)),
        ),
        axis_i=-1,
    )


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


# symgen: _dtype 703fc209c14fd932
def _dtype(value: _C.Value) -> torch.dtype:
    """The dtype of a value; raises where the exporter does not know it."""
    known = _type_utils.JitScalarType.from_value(value, _type_utils.JitScalarType.UNDEFINED)
    if known == _type_utils.JitScalarType.UNDEFINED:
        raise errors.SymbolicValueError(
            f"the dtype of {value.debugName()} is not known at export", value
        )
    return known.dtype()


# symgen: _stand_in 87d9265a9ee6e3b4
def _stand_in(value: _C.Value) -> Any:
    """What counts for promotion: a Python number for a constant that was one, else a tensor of the dtype and rank."""
    dtype = _dtype(value)
    rank = symbolic_helper._get_tensor_rank(value)
    if rank == 0 and value.node().kind() == "onnx::Constant":
        # The exporter turns Python numbers into constants of the widest dtype.
        number = {torch.float64: 1.0, torch.int64: 1, torch.bool: True}.get(dtype)
        if number is not None:
            return number
    return torch.empty((1,) * (1 if rank is None else rank), dtype=dtype, device="meta")


# symgen: _common_dtype f9b4d831f9ab90b3
def _common_dtype(values: Sequence[Any], kind: str) -> torch.dtype:
    """The dtype to which eager PyTorch casts the arguments."""
    tensors = [
        tensor for value in values for tensor in (value if isinstance(value, list) else [value])
    ]
    if kind == "BY_DTYPE":
        return functools.reduce(torch.promote_types, [_dtype(tensor) for tensor in tensors])
    stand_ins = [_stand_in(tensor) for tensor in tensors if not symbolic_helper._is_none(tensor)]
    rule = kind if kind in ("INT_TO_FLOAT", "BOOL_TO_LONG") else "DEFAULT"
    kinds = _prims_common.ELEMENTWISE_TYPE_PROMOTION_KIND
    return _prims_common.elementwise_dtypes(*stand_ins, type_promotion_kind=kinds[rule])[1]


# symgen: _is_complex 9ec0cc76fc9c5048
def _is_complex(g: jit_utils.GraphContext, position: int) -> bool:
    """Whether an argument is complex in the model; here it is a real tensor with a last axis of 2 then."""
    return any(map(_has_complex_type, _in_model(g, position)))


# symgen: _window_of 719fada5afbbbca3
def _window_of(
    g: jit_utils.GraphContext, window: _C.Value, length: int, n_fft: int, like: _C.Value
) -> _C.Value:
    """The window with zeros on both sides, up to the length of a frame; ones where there is none."""
    whole = (
        _scalar(g, [1.0] * length, like)
        if symbolic_helper._is_none(window)
        else _cast_like(g, window, like)
    )
    if length == n_fft:
        return whole
    front = (n_fft - length) // 2
    return g.op(
        "Pad",
        whole,
        g.op("Constant", value_t=torch.tensor([front, n_fft - length - front], dtype=torch.int64)),
    )


# symgen: _padded_at_ends a5a35dcf5a667b60
def _padded_at_ends(
    g: jit_utils.GraphContext, x: _C.Value, front: int, back: int, mode: str
) -> _C.Value:
    """The signal with more values at both ends; a constant is 0."""
    rank = _rank(x)
    kept = [0] * (rank - 1)
    return g.op(
        "Pad",
        x,
        g.op("Constant", value_t=torch.tensor([*kept, front, *kept, back], dtype=torch.int64)),
        mode_s={"replicate": "edge"}.get(mode, mode),
    )


# symgen: _told e5944999b92174c6
def _told(value: Any, name: str) -> Any:
    """The number, list of numbers, or text in a constant value, None where the argument is absent."""
    known = _known(value)
    if known is None and not symbolic_helper._is_none(value):
        raise errors.SymbolicValueError(f"{name} has to be known at export", value)
    return known


# symgen: _norm_of_frames 4c807f32b7645704
def _norm_of_frames(g: jit_utils.GraphContext, normalized: bool) -> str:
    """The name that the transforms have for the norm."""
    return "ortho" if normalized else "backward"


# symgen: _power_of_norm d5d44142373b1c7a
def _power_of_norm(g: jit_utils.GraphContext, norm: str | None, sign: int) -> float:
    """The power of 1 / n by which a transform is scaled: 0, 0.5 or 1."""
    if norm == "ortho":
        return 0.5
    return 1.0 if (norm == "forward") == (sign == -1) else 0.0


# symgen: aten::stft 4c30437e0181e9e0
@_onnx_symbolic("aten::stft", opset=[11, 17])
@_carrying_complex
def stft(g: jit_utils.GraphContext, self: _C.Value, *args: _C.Value) -> _C.Value:
    """stft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor
    stft.center(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, str pad_mode="reflect", bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor

    The transform of each windowed frame, in the shape (…, frequencies, frames)
    """
    known = [_known(value) for value in args]
    n_fft, hop = _told(args[0], "stft: n_fft"), _told(args[1], "stft: hop_length") or known[0] // 4
    length = _told(args[2], "stft: win_length") or n_fft
    if _is_complex(g, 0):
        raise errors.SymbolicValueError("stft: a complex signal has no translation", self)
    signal = (
        self
        if symbolic_helper._is_none(args[3])
        else _cast(g, self, _common_dtype([self, args[3]], "DEFAULT"))
    )
    if len(args) == 10 and known[4]:
        signal = _padded_at_ends(g, signal, n_fft // 2, n_fft // 2, known[5])
    if known[-1]:
        front = (n_fft - length) // 2
        signal = _padded_at_ends(g, signal, front, n_fft - length - front, "constant")
    windowed = g.op(
        "Mul", _framed(g, signal, n_fft, hop), _window_of(g, args[3], length, n_fft, signal)
    )
    rank = _rank(self)
    normalized, onesided, return_complex = known[-4:-1]
    power = _power_of_norm(g, _norm_of_frames(g, bool(normalized)), -1)
    spectrum = _transformed_real(g, windowed, rank, -1, power, onesided is None or bool(onesided))
    turned = g.op("Transpose", spectrum, perm_i=[*range(rank - 1), rank, rank - 1, rank + 1])
    return _carried(g, turned) if return_complex else turned
