"""ONNX symbolic functions, right from opset 11 on."""

from __future__ import annotations

import dataclasses
import functools
import inspect
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

__all__ = ["fft_fft2"]

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


# symgen: _parts 0c8978ff53871ad0
def _parts(g: jit_utils.GraphContext, x: _C.Value) -> tuple[_C.Value, ...]:
    """(The real part, the imaginary part)."""
    return (
        g.op("Gather", x, g.op("Constant", value_t=torch.tensor(0)), axis_i=-1),
        g.op("Gather", x, g.op("Constant", value_t=torch.tensor(1)), axis_i=-1),
    )


# symgen: _transformed 31fa55e74d857784
def _transformed(
    g: jit_utils.GraphContext, x: _C.Value, axis: int, sign: int, power: float
) -> _C.Value:
    """Σ x · exp(sign · 2πi · row · column / n) along an axis of a complex tensor."""
    length = _size(g, x, axis)
    cosines, sines = _waves(g, length, length, length, power)
    c, s = _cast_like(g, cosines, x), _cast_like(g, sines if sign == 1 else g.op("Neg", sines), x)
    real, imaginary = _parts(g, x)
    of_real = g.op("Sub", _times_along(g, real, c, axis), _times_along(g, imaginary, s, axis))
    of_imaginary = g.op("Add", _times_along(g, real, s, axis), _times_along(g, imaginary, c, axis))
    return _from_parts(g, of_real, of_imaginary)


# symgen: _with_length 26f3a1b0d6a5ad4c
def _with_length(g: jit_utils.GraphContext, x: _C.Value, axis: int, length: int | None) -> _C.Value:
    """The tensor cut off, or filled up with zeros, to a length along an axis."""
    if length is None or _static_size(x, axis) == length:
        return x
    rank = _rank(x)
    pads = [0] * (rank + axis) + [length] + [0] * (rank - axis - 1)
    return g.op(
        "Slice",
        g.op("Pad", x, g.op("Constant", value_t=torch.tensor(pads, dtype=torch.int64))),
        g.op("Constant", value_t=torch.tensor([0])),
        g.op("Constant", value_t=torch.tensor([length], dtype=torch.int64)),
        g.op("Constant", value_t=torch.tensor([axis], dtype=torch.int64)),
    )


# symgen: _length_wanted 818d495a8c807453
def _length_wanted(g: jit_utils.GraphContext, lengths: list[int] | None, place: int) -> int | None:
    """The length wanted at a place, None where the tensor's own stays."""
    return None if lengths is None or lengths[place] == -1 else lengths[place]


# symgen: _power_of_norm d5d44142373b1c7a
def _power_of_norm(g: jit_utils.GraphContext, norm: str | None, sign: int) -> float:
    """The power of 1 / n by which a transform is scaled: 0, 0.5 or 1."""
    if norm == "ortho":
        return 0.5
    return 1.0 if (norm == "forward") == (sign == -1) else 0.0


# symgen: _transformed_along ecd235fd64350f16
def _transformed_along(
    g: jit_utils.GraphContext,
    x: _C.Value,
    axes: list[int],
    lengths: list[int] | None,
    norm: str | None,
    sign: int,
) -> _C.Value:
    """The transform of a complex tensor along one axis after the other."""
    result = x
    for place, axis in enumerate(axes):
        resized = _with_length(g, result, axis, _length_wanted(g, lengths, place))
        result = _transformed(g, resized, axis, sign, _power_of_norm(g, norm, sign))
    return result


# symgen: _as_complex beaf0243831a8e35
def _as_complex(g: jit_utils.GraphContext, x: _C.Value, is_complex: bool) -> _C.Value:
    """A real tensor with the imaginary part 0; a complex one as it is."""
    if is_complex:
        return x
    number = _known(x)
    if isinstance(number, (int, float)):
        # The exporter takes two numbers that are joined for lengths, and large ones are none.
        return _scalar(g, [float(number), 0.0], x)
    return _from_parts(g, x, g.op("Expand", _scalar(g, 0, x), g.op("Shape", x)))


# symgen: _transformed_axes b6b6307a3b30ac4c
def _transformed_axes(
    g: jit_utils.GraphContext, rank: int, lengths: list[int] | None, dims: list[int] | None
) -> list[int]:
    """The axes that are named, else as many of the last ones as there are lengths, else all."""
    if dims is not None:
        return [dim % rank for dim in dims]
    return list(range(0 if lengths is None else rank - len(lengths), rank))


# symgen: _full_transform_along b872fb963b8ebd4b
def _full_transform_along(
    g: jit_utils.GraphContext,
    x: _C.Value,
    is_complex: bool,
    s: list[int] | None,
    dim: list[int] | None,
    norm: str | None,
    sign: int,
) -> _C.Value:
    """The transform of a real or complex tensor along several axes."""
    axes = _transformed_axes(g, _rank(x) - int(is_complex), s, dim)
    return _transformed_along(g, _as_complex(g, x, is_complex), axes, s, norm, sign)


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


# symgen: _result_dtypes 4412215f334896e2
def _result_dtypes(
    values: Sequence[Any], kind: str, widen: bool, precise: bool = False
) -> tuple[torch.dtype, torch.dtype]:
    """The dtype to compute in and the dtype of the result, by PyTorch's own promotion."""
    if kind == "DOUBLE":
        return torch.float64, torch.float64
    common = _common_dtype(values, kind)
    if kind == "COMMON":
        return common, common
    result = (
        torch.bool
        if kind == "ALWAYS_BOOL"
        else _dtype(values[0])
        if kind == "LIKE_FIRST"
        else common
    )
    if precise and common.is_floating_point:
        return torch.float64, result
    # Few ONNX operators take bfloat16, and few integers of less than 32 bits.
    if common == torch.bfloat16 or (common == torch.float16 and widen):
        return torch.float32, result
    if common in (torch.bool, torch.uint8, torch.int8, torch.int16):
        return torch.int32, result
    return common, result


# symgen: _as_float 0538c9471ff7f181
def _as_float(g: jit_utils.GraphContext, value: _C.Value) -> _C.Value:
    """A tensor of whole numbers or bools in float32; any other as it is."""
    return value if _dtype(value).is_floating_point else _cast(g, value, torch.float32)


# symgen: _cast_all a39edfd3acb89e95
def _cast_all(g: jit_utils.GraphContext, value: Any, dtype: torch.dtype) -> Any:
    """Cast a tensor, or each tensor of a list; an absent one stays absent."""
    if isinstance(value, list):
        return [_cast(g, element, dtype) for element in value]
    return value if symbolic_helper._is_none(value) else _cast(g, value, dtype)


# symgen: _cast_back fa3185a9c5cc60f2
def _cast_back(
    g: jit_utils.GraphContext, output: Any, compute: torch.dtype, result: torch.dtype
) -> Any:
    """Cast what was computed to the dtype of the result; an output of another dtype (indices, a mask) stays."""
    if isinstance(output, list):
        return [_cast_back(g, element, compute, result) for element in output]
    if symbolic_helper._is_packed_list(output):
        elements = _cast_back(g, symbolic_helper._unpack_list(output), compute, result)
        return g.op("prim::ListConstruct", *elements)
    actual = _type_utils.JitScalarType.from_value(output, _type_utils.JitScalarType.UNDEFINED)
    if actual == _type_utils.JitScalarType.UNDEFINED or actual.dtype() == compute:
        return _cast(g, output, result)
    return output


# symgen: _keeping_double ea72d6f96587264a
def _keeping_double(g: jit_utils.GraphContext) -> jit_utils.GraphContext:
    """The context, but in which 0-d float64 stays what it is: the exporter takes it for a Python number of float32."""

    def dtypes_of(values: Sequence[Any]) -> set[str]:
        return {value.type().scalarType() for value in values if isinstance(value, _C.Value)} - {
            "Bool"
        }

    class Context(jit_utils.GraphContext):
        def op(self, opname: str, *raw_args: Any, outputs: int = 1, **kwargs: Any) -> Any:
            is_double = dtypes_of(raw_args) == {"Double"}
            if is_double and opname in (
                "Equal",
                "Greater",
                "Less",
                "GreaterOrEqual",
                "LessOrEqual",
            ):
                if all(symbolic_helper._get_tensor_rank(value) == 0 for value in raw_args):
                    first = symbolic_helper._unsqueeze_helper(self, raw_args[0], [0])
                    return symbolic_helper._squeeze_helper(
                        self, super().op(opname, first, raw_args[1]), [0]
                    )
            result = super().op(opname, *raw_args, outputs=outputs, **kwargs)
            if is_double and opname in (
                "Add",
                "Sub",
                "Mul",
                "Div",
                "Pow",
                "Mod",
                "Max",
                "Min",
                "Where",
                "Sum",
            ):
                result.setType(result.type().with_dtype(torch.float64))
            return result

    return Context(**{field.name: getattr(g, field.name) for field in dataclasses.fields(g)})


# symgen: _unpacked b814708eb7f41339
def _unpacked(value: Any) -> Any:
    """The tensors of a list; any other value as it is."""
    is_list = isinstance(value, _C.Value) and symbolic_helper._is_packed_list(value)
    return symbolic_helper._unpack_list(value) if is_list else value


# symgen: _promoted 8a0bc3373a986882
def _promoted(
    *names: str,
    kind: str = "DEFAULT",
    widen: bool = True,
    precise: bool = False,
    as_float: Sequence[str] = (),
    unrounded: Sequence[str] = (),
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Cast the named arguments to their common dtype, as eager PyTorch promotes them, and the results back.

    With `widen`, half precision is computed in float32, with `precise` all floating point in float64. Integers that
    ONNX operators do not take, and bool, are computed in int32. Whole numbers in `as_float` count as float32. Numbers
    and 0-d tensors in `unrounded` meet half precision as they are.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        parameters = list(inspect.signature(function).parameters)[1:]
        positions = [parameters.index(name) for name in names]

        @functools.wraps(function)
        def wrapper(g: jit_utils.GraphContext, *args: Any, **kwargs: Any) -> Any:
            present = [position for position in positions if position < len(args)]
            cast = [
                _unpacked(value) if position in positions else value
                for position, value in enumerate(args)
            ]
            for position in map(parameters.index, as_float):
                cast[position] = _as_float(g, cast[position])
            values = [cast[position] for position in present]
            compute, result = _result_dtypes(values, kind, widen, precise)
            common = compute if kind == "DOUBLE" else _common_dtype(values, kind)
            for position in present:
                is_kept = parameters[position] in unrounded and compute.is_floating_point
                if not (is_kept and symbolic_helper._get_tensor_rank(cast[position]) == 0):
                    cast[position] = _cast_all(g, cast[position], common)
                cast[position] = _cast_all(g, cast[position], compute)
            outputs = function(
                _keeping_double(g) if compute == torch.float64 else g, *cast, **kwargs
            )
            several = outputs if isinstance(outputs, tuple) else (outputs,)
            several = tuple(_cast_back(g, output, compute, result) for output in several)
            return several if isinstance(outputs, tuple) else several[0]

        return wrapper

    return decorate


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


# symgen: _is_complex 9ec0cc76fc9c5048
def _is_complex(g: jit_utils.GraphContext, position: int) -> bool:
    """Whether an argument is complex in the model; here it is a real tensor with a last axis of 2 then."""
    return any(map(_has_complex_type, _in_model(g, position)))


# symgen: aten::fft_fft2 cc3cb5e9094c2213
@_onnx_symbolic("aten::fft_fft2")
@_carrying_complex
@symbolic_helper.parse_args("v", "is", "is", "s")
@_promoted("self", kind="INT_TO_FLOAT")
def fft_fft2(
    g: jit_utils.GraphContext,
    self: _C.Value,
    s: Sequence[int] | None = None,
    dim: Sequence[int] = (-2, -1),
    norm: str | None = None,
) -> _C.Value:
    """fft_fft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2,-1], str? norm=None) -> Tensor

    The transform along several axes
    """
    return _carried(g, _full_transform_along(g, self, _is_complex(g, 0), s, dim, norm, -1))
