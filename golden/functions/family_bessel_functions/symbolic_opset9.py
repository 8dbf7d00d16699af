"""ONNX symbolic functions, right from opset 9 on."""

from __future__ import annotations

import dataclasses
import functools
import inspect
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

__all__ = ["i0"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9, custom=True)


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


# symgen: _cast f58c1c65d5d5a043
def _cast(g: jit_utils.GraphContext, value: _C.Value, dtype: torch.dtype) -> _C.Value:
    """The tensor in that dtype; no node where it has it already, a new constant for a constant number."""
    target = _type_utils.JitScalarType.from_dtype(dtype)
    if value.node().kind() == "onnx::Constant":
        return g.op("Constant", value_t=symbolic_helper._node_get(value.node(), "value").to(dtype))
    return symbolic_helper._maybe_cast_to_type(g, value, target)


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


# symgen: _polynomial 9bbcf3c041094f4c
def _polynomial(g: jit_utils.GraphContext, x: _C.Value, coefficients: Sequence[float]) -> _C.Value:
    """Horner's rule; the coefficient of the highest power comes first."""
    value = g.op(
        "Add", g.op("Mul", x, _scalar(g, coefficients[0], x)), _scalar(g, coefficients[1], x)
    )
    for coefficient in coefficients[2:]:
        value = g.op("Add", g.op("Mul", value, x), _scalar(g, coefficient, value))
    return value


# symgen: _limit_of 5b52c6797021ff33
def _limit_of(g: jit_utils.GraphContext, x: _C.Value) -> float:
    """Where the far expansions take over."""
    return 8.0 if _dtype(x) == torch.float64 else 4.0


# symgen: _of_precision fa16c6fff1c418b8
def _of_precision(
    g: jit_utils.GraphContext, x: _C.Value, single: Sequence[float], double: Sequence[float]
) -> Sequence[float]:
    """The coefficients that the precision of x needs."""
    return double if _dtype(x) == torch.float64 else single


# symgen: _i0_parts 727d309b78a85313
def _i0_parts(g: jit_utils.GraphContext, x: _C.Value) -> tuple[_C.Value, ...]:
    """I₀(x) for small |x|, exp(−|x|) · I₀(x) for large ones, and which is to be taken."""
    limit = _limit_of(g, x)
    magnitude = g.op("Abs", x)
    ratio = g.op("Div", magnitude, _scalar(g, limit, magnitude))
    near = _polynomial(
        g,
        g.op("Mul", ratio, ratio),
        _of_precision(
            g,
            x,
            [
                5.02768632e-05,
                0.000625674135,
                0.00792109649,
                0.0710992959,
                0.444448558,
                1.77777697,
                4.00000008,
                4.0,
                1.0,
            ],
            [
                6.724647438974731e-08,
                5.696205015915318e-07,
                9.734680328042324e-06,
                0.00011573685326059418,
                0.0012272410954292416,
                0.01104061463351663,
                0.08349779207592864,
                0.5218596128086054,
                2.641914877116492,
                10.567659350732956,
                32.36345679180165,
                72.81777777756758,
                113.77777777779512,
                113.7777777777769,
                64.00000000000003,
                16.0,
                1.0,
            ],
        ),
    )
    series = _polynomial(
        g,
        g.op("Sub", g.op("Div", _scalar(g, 2.0, ratio), ratio), _scalar(g, 1.0, ratio)),
        _of_precision(
            g,
            x,
            [
                -2.14735687e-06,
                4.8307329e-06,
                1.10866805e-05,
                -1.76373398e-05,
                -3.64711157e-05,
                8.33671502e-06,
                7.89765693e-05,
                0.000185861414,
                0.000735273465,
                0.00734939162,
                0.405686342,
            ],
            [
                -1.7166164938175488e-10,
                -8.853076246050108e-11,
                1.0915893161016653e-09,
                6.702584046528111e-10,
                -3.1868021662287506e-09,
                -2.5824509003351837e-09,
                5.492774410203639e-09,
                6.905503273684613e-09,
                -4.522137715543013e-09,
                -1.3113874879941897e-08,
                -7.004556901394248e-09,
                7.468652718445711e-09,
                2.1593921284189837e-08,
                3.9341151967621574e-08,
                8.871772134958215e-08,
                2.973583433473054e-07,
                1.4838477678808023e-06,
                1.1143033860495017e-05,
                0.00013621607438931758,
                0.0033605519836669103,
                0.4021765094450081,
            ],
        ),
    )
    return (
        near,
        g.op("Div", series, g.op("Sqrt", magnitude)),
        g.op("Less", magnitude, _scalar(g, limit, magnitude)),
    )


# symgen: aten::i0 aa33ca6d184dbf0d
@_onnx_symbolic("aten::i0")
@symbolic_helper.parse_args("v")
@_promoted("input", kind="INT_TO_FLOAT")
def i0(g: jit_utils.GraphContext, input: _C.Value) -> _C.Value:
    """i0(Tensor self) -> Tensor

    The modified Bessel function of order 0
    """
    near, scaled, is_near = _i0_parts(g, input)
    return g.op("Where", is_near, near, g.op("Mul", g.op("Exp", g.op("Abs", input)), scaled))
