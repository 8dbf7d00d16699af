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

__all__ = ["special_bessel_y0", "special_modified_bessel_k1"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=11, custom=True)


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


# symgen: _powers_of 9d465ea0aa70e1af
def _powers_of(
    g: jit_utils.GraphContext, z: _C.Value, order: int, sign: float, weights: str
) -> _C.Value:
    """Σ (sign · z)ᵏ / (k! (k + order)!), each term once or, by `weights`, times its harmonic number or numbers.

    Those are ψ(k + 1) + γ for order 0 (`harmonic`), and ψ(k + 1) + ψ(k + 2) for order 1
    (`both`).
    """
    factors, term, harmonic = [], 1.0, 0.0
    for k in range(26):
        weight = 1.0
        if weights == "harmonic":
            weight = harmonic
        elif weights == "both":
            weight = 2.0 * (harmonic - 0.5772156649015329) + 1.0 / (k + 1)
        factors = [term * weight, *factors]
        term = term * sign / ((k + 1) * (k + 1 + order))
        harmonic = harmonic + 1.0 / (k + 1)
    return _polynomial(g, z, factors)


# symgen: _wave a7f23126b49ca37a
def _wave(g: jit_utils.GraphContext, x: _C.Value, order: int, is_second: bool) -> _C.Value:
    """J of order 0 or 1, or Y where `is_second`, for x ≥ 5: in the precision of x, which turns far out are lost to."""
    ratio = g.op("Div", _scalar(g, 5.0, x), x)
    square = g.op("Mul", ratio, ratio)
    ahead = _polynomial(
        g,
        square,
        [
            0.0007621256162081731,
            0.07313970569409176,
            1.1271960812968493,
            5.112079511468076,
            8.424045901417724,
            5.214515986823615,
            1.0,
        ]
        if order
        else [
            0.0007969367292973471,
            0.08283523921074408,
            1.239533716464143,
            5.447250030587687,
            8.74716500199817,
            5.303240382353949,
            1.0,
        ],
    )
    ahead = g.op(
        "Div",
        ahead,
        _polynomial(
            g,
            square,
            [
                0.0005713231280725487,
                0.06884559087544954,
                1.105142326340617,
                5.073863861286015,
                8.399855543276042,
                5.209828486823619,
                1.0,
            ]
            if order
            else [
                0.0009244088105588637,
                0.08562884743544745,
                1.2535274390105895,
                5.470977403304171,
                8.761908832370695,
                5.306052882353947,
                1.0,
            ],
        ),
    )
    behind = _polynomial(
        g,
        square,
        [
            0.05108625947501766,
            4.982138729512334,
            75.82382841325453,
            366.7796093601508,
            710.8563049989261,
            597.4896124006136,
            211.68875710057213,
            25.207020585802372,
        ]
        if order
        else [
            -0.011366383889846916,
            -1.2825271867050931,
            -19.553954425773597,
            -93.20601521237683,
            -177.68116798048806,
            -147.07750515495118,
            -51.41053267665993,
            -6.050143506007285,
        ],
    )
    behind = g.op(
        "Div",
        g.op("Mul", ratio, behind),
        _polynomial(
            g,
            square,
            [
                74.23732770356752,
                1056.4488603826283,
                4986.410583376536,
                9562.318924047562,
                7997.041604473507,
                2826.1927851763908,
                336.0936078106983,
            ]
            if order
            else [
                64.3178256118178,
                856.4300259769806,
                3882.4018360540163,
                7240.467741956525,
                5930.727011873169,
                2062.0933166032783,
                242.0057402402914,
            ],
        ),
    )
    turn = g.op("Sub", x, _scalar(g, math.pi * (0.25 + 0.5 * order), x))
    cosine, sine = g.op("Cos", turn), g.op("Sin", turn)
    turned = (
        g.op("Add", g.op("Mul", ahead, sine), g.op("Mul", behind, cosine))
        if is_second
        else g.op("Sub", g.op("Mul", ahead, cosine), g.op("Mul", behind, sine))
    )
    return g.op(
        "Div", g.op("Mul", turned, _scalar(g, math.sqrt(2.0 / math.pi), turned)), g.op("Sqrt", x)
    )


# symgen: _bessel_y 67ccf0c3ed61eb66
def _bessel_y(g: jit_utils.GraphContext, x: _C.Value, order: int) -> _C.Value:
    """Y of order 0 or 1: −inf for 0, and nan below it."""
    half = g.op(
        "Mul",
        _cast(g, x, torch.float64),
        g.op("Constant", value_t=torch.tensor(0.5, dtype=torch.float64)),
    )
    z = g.op("Mul", half, half)
    if order:
        near = g.op(
            "Sub",
            g.op("Mul", g.op("Mul", g.op("Log", half), half), _powers_of(g, z, 1, -1.0, "")),
            g.op("Div", g.op("Constant", value_t=torch.tensor(0.5, dtype=torch.float64)), half),
        )
        near = g.op(
            "Sub",
            g.op(
                "Mul",
                g.op("Constant", value_t=torch.tensor(2.0 / math.pi, dtype=torch.float64)),
                near,
            ),
            g.op(
                "Mul",
                g.op(
                    "Div",
                    half,
                    g.op("Constant", value_t=torch.tensor(math.pi, dtype=torch.float64)),
                ),
                _powers_of(g, z, 1, -1.0, "both"),
            ),
        )
        near = g.op(
            "Where",
            g.op("Equal", half, g.op("Constant", value_t=torch.tensor(0.0, dtype=torch.float64))),
            g.op("Constant", value_t=torch.tensor(-math.inf, dtype=torch.float64)),
            near,
        )
    else:
        near = g.op(
            "Sub",
            g.op(
                "Mul",
                g.op(
                    "Add",
                    g.op("Log", half),
                    g.op("Constant", value_t=torch.tensor(0.5772156649015329, dtype=torch.float64)),
                ),
                _powers_of(g, z, 0, -1.0, ""),
            ),
            _powers_of(g, z, 0, -1.0, "harmonic"),
        )
        near = g.op(
            "Mul", g.op("Constant", value_t=torch.tensor(2.0 / math.pi, dtype=torch.float64)), near
        )
    found = g.op(
        "Where",
        g.op("Greater", x, _scalar(g, 5.0, x)),
        _wave(g, x, order, True),
        _cast_like(g, near, x),
    )
    return g.op("Where", g.op("Less", x, _scalar(g, 0.0, x)), _scalar(g, math.nan, x), found)


# symgen: _bessel_k b05dbd0f208d5057
def _bessel_k(g: jit_utils.GraphContext, x: _C.Value, order: int, is_scaled: bool) -> _C.Value:
    """K of order 0 or 1, times exp(x) where `is_scaled`: inf for 0, and nan below it."""
    half = g.op("Mul", x, _scalar(g, 0.5, x))
    z = g.op("Mul", half, half)
    if order:
        near = g.op(
            "Add",
            g.op("Div", _scalar(g, 1.0, x), x),
            g.op("Mul", g.op("Mul", g.op("Log", half), half), _powers_of(g, z, 1, 1.0, "")),
        )
        near = g.op(
            "Sub",
            near,
            g.op("Mul", g.op("Mul", half, _scalar(g, 0.5, half)), _powers_of(g, z, 1, 1.0, "both")),
        )
    else:
        near = g.op(
            "Sub",
            _powers_of(g, z, 0, 1.0, "harmonic"),
            g.op(
                "Mul",
                g.op("Add", g.op("Log", half), _scalar(g, 0.5772156649015329, half)),
                _powers_of(g, z, 0, 1.0, ""),
            ),
        )
    far = g.op(
        "Div",
        _polynomial(
            g,
            g.op("Sub", g.op("Div", _scalar(g, 4.0, x), x), _scalar(g, 1.0, x)),
            [
                -2.711460732301694e-09,
                5.45264866818432e-09,
                2.898917742299388e-10,
                6.03778713764059e-10,
                -2.4300290528344086e-08,
                5.665024144530289e-08,
                -1.195687672041141e-07,
                3.1835622752015173e-07,
                -9.074689474096802e-07,
                2.7314852941649104e-06,
                -8.961084076053209e-06,
                3.2843630118678796e-05,
                -0.00013959022847634522,
                0.0007357241719658635,
                -0.005566729879887754,
                0.10334973775350777,
                1.363151890371342,
            ]
            if order
            else [
                2.4244660231997704e-09,
                -4.8523034449821174e-09,
                -3.6070947047923237e-10,
                -2.94967608149978e-10,
                2.108871913813232e-08,
                -4.8682786908040685e-08,
                1.007340380898304e-07,
                -2.6475635806889514e-07,
                7.434653894656485e-07,
                -2.192473878754425e-06,
                7.002134480635871e-06,
                -2.473499317623945e-05,
                9.956055545626226e-05,
                -0.0004797690720828925,
                0.0030328918101068755,
                -0.031071461824568533,
                1.2185953385133905,
            ],
        ),
        g.op("Sqrt", x),
    )
    if is_scaled:
        near = g.op("Mul", near, g.op("Exp", x))
    else:
        far = g.op("Mul", g.op("Exp", g.op("Neg", x)), far)
    found = g.op(
        "Where",
        g.op("Equal", x, _scalar(g, 0.0, x)),
        _scalar(g, math.inf, x),
        g.op("Where", g.op("Greater", x, _scalar(g, 2.0, x)), far, near),
    )
    return g.op("Where", g.op("Less", x, _scalar(g, 0.0, x)), _scalar(g, math.nan, x), found)


# symgen: aten::special_bessel_y0 948925197c44b9a0
@_onnx_symbolic("aten::special_bessel_y0")
@symbolic_helper.parse_args("v")
@_promoted("self", kind="INT_TO_FLOAT")
def special_bessel_y0(g: jit_utils.GraphContext, self: _C.Value) -> _C.Value:
    """special_bessel_y0(Tensor self) -> Tensor

    The Bessel function of the second kind, of order 0
    """
    return _bessel_y(g, self, 0)


# symgen: aten::special_modified_bessel_k1 e4aa9651d9c83f6d
@_onnx_symbolic("aten::special_modified_bessel_k1")
@symbolic_helper.parse_args("v")
@_promoted("self", kind="INT_TO_FLOAT", precise=True)
def special_modified_bessel_k1(g: jit_utils.GraphContext, self: _C.Value) -> _C.Value:
    """special_modified_bessel_k1(Tensor self) -> Tensor

    The modified Bessel function of the second kind, of order 1
    """
    return _bessel_k(g, self, 1, False)
