"""ONNX symbolic functions, right from opset 18 on."""

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
    utils,
)

__all__ = ["polygamma"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=18, custom=True)


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


# symgen: _euler_maclaurin 36edde73ff8e13fb
def _euler_maclaurin(
    g: jit_utils.GraphContext, x: _C.Value, far: _C.Value, last: _C.Value
) -> _C.Value:
    """Σ B(2j) / (2j)! · x (x + 1) … (x + 2j − 2) · last / far^(2j − 1) over j from 1 to 12."""
    square = g.op("Reciprocal", g.op("Mul", far, far))
    product, power = x, g.op("Div", last, far)
    series = g.op(
        "Mul",
        _scalar(
            g,
            [
                0.08333333333333333,
                -0.001388888888888889,
                3.306878306878307e-05,
                -8.267195767195768e-07,
                2.08767569878681e-08,
                -5.284190138687493e-10,
                1.3382536530684679e-11,
                -3.3896802963225827e-13,
                8.586062056277845e-15,
                -2.174868698558062e-16,
                5.5090028283602295e-18,
                -1.3954464685812525e-19,
            ][0],
            product,
        ),
        g.op("Mul", product, power),
    )
    for j in range(1, 12):
        product = g.op(
            "Mul",
            g.op("Mul", product, g.op("Add", x, _scalar(g, 2.0 * j - 1.0, x))),
            g.op("Add", x, _scalar(g, 2.0 * j, x)),
        )
        power = g.op("Mul", power, square)
        series = g.op(
            "Add",
            series,
            g.op(
                "Mul",
                _scalar(
                    g,
                    [
                        0.08333333333333333,
                        -0.001388888888888889,
                        3.306878306878307e-05,
                        -8.267195767195768e-07,
                        2.08767569878681e-08,
                        -5.284190138687493e-10,
                        1.3382536530684679e-11,
                        -3.3896802963225827e-13,
                        8.586062056277845e-15,
                        -2.174868698558062e-16,
                        5.5090028283602295e-18,
                        -1.3954464685812525e-19,
                    ][j],
                    product,
                ),
                g.op("Mul", product, power),
            ),
        )
    return series


# symgen: _turns d19b39b03201a61e
def _turns(
    g: jit_utils.GraphContext,
    count: _C.Value,
    going_on: _C.Value,
    body: Callable[..., tuple[_C.Value, Any]],
    state: Sequence[_C.Value],
) -> _C.Value | tuple[_C.Value, ...]:
    """An ONNX Loop of up to `count` turns; `body(g, i, *state)` gives whether to go on and the next state."""
    outputs, (inner,), _ = jit_utils.add_op_with_blocks(
        g, "Loop", count, going_on, *state, outputs=len(state), n_blocks=1
    )
    iteration = utils._add_input_to_block(inner.block)
    iteration.inferTypeFrom(torch.tensor(0))
    utils._add_input_to_block(inner.block).inferTypeFrom(torch.tensor(True))
    arguments = []
    for value in state:
        argument = utils._add_input_to_block(inner.block)
        argument.setType(value.type())
        arguments.append(argument)
    goes_on, results = body(inner, iteration, *arguments)
    utils._add_output_to_block(inner.block, goes_on)
    for result in results if isinstance(results, tuple) else (results,):
        utils._add_output_to_block(inner.block, result)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    for output, value in zip(outputs, state):
        output.setType(value.type())
    return outputs[0] if len(state) == 1 else tuple(outputs)


# symgen: _repeat bfff42532f337e47
def _repeat(
    g: jit_utils.GraphContext, test: Callable[..., Any], body: Callable[..., Any], *state: _C.Value
) -> _C.Value | tuple[_C.Value, ...]:
    """`while test(g, *state): state = body(g, *state)`, as an ONNX Loop."""

    def turn(
        inner: jit_utils.GraphContext, _: _C.Value, *arguments: _C.Value
    ) -> tuple[_C.Value, Any]:
        results = body(inner, *arguments)
        following = results if isinstance(results, tuple) else (results,)
        return test(inner, *following), results

    most = g.op("Constant", value_t=torch.tensor(torch.iinfo(torch.int64).max))
    return _turns(g, most, test(g, *state), turn, state)


# symgen: _zeros_for 3602fbb1a4a11c2a
def _zeros_for(g: jit_utils.GraphContext, a: _C.Value, b: _C.Value) -> _C.Value:
    """Zeros in the common shape of two tensors."""
    return _cast_like(g, g.op("And", g.op("Less", a, b), g.op("Greater", a, b)), a)


# symgen: _rank 6d888dc2ea092ca6
def _rank(value: _C.Value) -> int:
    """The rank of a tensor; raises where the exporter does not know it."""
    rank = symbolic_helper._get_tensor_rank(value)
    if rank is None:
        raise errors.SymbolicValueError(
            f"the rank of {value.debugName()} is not known at export", value
        )
    return rank


# symgen: _hurwitz_zeta_of 5cf7493ac208551e
def _hurwitz_zeta_of(
    g: jit_utils.GraphContext, exponent: _C.Value, start: _C.Value
) -> tuple[_C.Value, ...]:
    """Σ 1 / (q + k)ˣ over k ≥ 0, for x > 1, in double precision as torch computes it.

    The terms of which the base is negative one by one, nine more at once, and the rest
    by Euler and Maclaurin's formula, as in the Cephes library. A sum that a term no
    longer changes ends there; whole numbers up to 0 are poles.
    """
    # A last axis for the nine terms. All in the shape of the result from the start, which the loop must not change.
    same = _zeros_for(g, exponent, start)
    zeros = _cast(g, symbolic_helper._unsqueeze_helper(g, same, [_rank(same)]), torch.float64)
    x = g.op(
        "Add",
        _cast(g, symbolic_helper._unsqueeze_helper(g, exponent, [_rank(exponent)]), torch.float64),
        zeros,
    )
    q = g.op(
        "Add",
        _cast(g, symbolic_helper._unsqueeze_helper(g, start, [_rank(start)]), torch.float64),
        zeros,
    )

    def is_ahead(
        g: jit_utils.GraphContext, base: _C.Value, total: _C.Value, term: _C.Value
    ) -> _C.Value:
        is_negative = g.op(
            "And",
            g.op("Less", base, _scalar(g, 0.0, base)),
            g.op("Not", g.op("Equal", base, g.op("Floor", base))),
        )
        return g.op(
            "And",
            is_negative,
            g.op(
                "Not",
                g.op(
                    "Less",
                    g.op("Abs", term),
                    g.op("Mul", _scalar(g, 1.1e-16, total), g.op("Abs", total)),
                ),
            ),
        )

    def is_unfinished(
        g: jit_utils.GraphContext, base: _C.Value, total: _C.Value, term: _C.Value
    ) -> _C.Value:
        return g.op(
            "Greater",
            symbolic_helper._reducesum_helper(
                g, _cast(g, is_ahead(g, base, total, term), torch.int32), keepdims_i=0
            ),
            g.op("Constant", value_t=torch.tensor(0, dtype=torch.int32)),
        )

    def add_term(
        g: jit_utils.GraphContext, base: _C.Value, total: _C.Value, term: _C.Value
    ) -> tuple[_C.Value, ...]:
        power = g.op("Pow", base, g.op("Neg", x))
        goes_on = is_ahead(g, base, total, term)
        further = g.op("Where", goes_on, g.op("Add", base, _scalar(g, 1.0, base)), base)
        return (
            further,
            g.op("Where", goes_on, g.op("Add", total, power), total),
            g.op("Where", goes_on, power, term),
        )

    base, total, _ = _repeat(
        g,
        is_unfinished,
        add_term,
        q,
        zeros,
        g.op("Add", zeros, g.op("Constant", value_t=torch.tensor(1.0, dtype=torch.float64))),
    )
    terms = g.op(
        "Pow",
        g.op(
            "Add",
            base,
            g.op(
                "Constant", value_t=torch.tensor([float(k) for k in range(9)], dtype=torch.float64)
            ),
        ),
        g.op("Neg", x),
    )
    of_ten = g.op(
        "Add", total, symbolic_helper._reducesum_helper(g, terms, axes_i=[-1], keepdims_i=1)
    )
    far = g.op("Add", base, _scalar(g, 9.0, base))
    last = g.op("Pow", far, g.op("Neg", x))
    rest = g.op(
        "Add",
        g.op(
            "Add",
            g.op(
                "Div",
                g.op("Mul", last, far),
                g.op("Sub", x, g.op("Constant", value_t=torch.tensor(1.0, dtype=torch.float64))),
            ),
            g.op("Mul", _scalar(g, 0.5, last), last),
        ),
        _euler_maclaurin(g, x, far, last),
    )
    value = g.op(
        "Where",
        g.op("Less", last, g.op("Mul", _scalar(g, 1.1e-16, of_ten), of_ten)),
        of_ten,
        g.op("Add", of_ten, rest),
    )
    value = g.op("Where", g.op("Less", base, _scalar(g, 0.0, base)), total, value)
    return _cast_like(g, symbolic_helper._squeeze_helper(g, value, [_rank(same)]), exponent)


# symgen: _polynomial 9bbcf3c041094f4c
def _polynomial(g: jit_utils.GraphContext, x: _C.Value, coefficients: Sequence[float]) -> _C.Value:
    """Horner's rule; the coefficient of the highest power comes first."""
    value = g.op(
        "Add", g.op("Mul", x, _scalar(g, coefficients[0], x)), _scalar(g, coefficients[1], x)
    )
    for coefficient in coefficients[2:]:
        value = g.op("Add", g.op("Mul", value, x), _scalar(g, coefficient, value))
    return value


# symgen: _digamma_of e586f93c55e20488
def _digamma_of(g: jit_utils.GraphContext, x: _C.Value) -> _C.Value:
    """ψ(x): ψ(x + 8) less the sum of 1 / (x + k) for k < 8, below zero by ψ(x) = ψ(1 − x) − π / tan πx."""
    is_negative = g.op("Less", x, _scalar(g, 0, x))
    y = g.op("Where", is_negative, g.op("Sub", _scalar(g, 1.0, x), x), x)
    steps = _scalar(g, [float(k) for k in range(8)], x)
    terms = g.op(
        "Reciprocal", g.op("Add", symbolic_helper._unsqueeze_helper(g, y, [_rank(x)]), steps)
    )
    far = g.op("Add", y, _scalar(g, 8.0, y))
    inverse = g.op("Reciprocal", far)
    square = g.op("Mul", inverse, inverse)
    series = g.op(
        "Sub",
        g.op("Sub", g.op("Log", far), g.op("Mul", _scalar(g, 0.5, inverse), inverse)),
        g.op(
            "Mul",
            square,
            _polynomial(
                g, square, [1 / 12, -691 / 32760, 1 / 132, -1 / 240, 1 / 252, -1 / 120, 1 / 12]
            ),
        ),
    )
    value = g.op(
        "Sub", series, symbolic_helper._reducesum_helper(g, terms, axes_i=[-1], keepdims_i=0)
    )
    angle = g.op(
        "Mul",
        _scalar(g, math.pi, x),
        g.op("Sub", x, g.op("Floor", g.op("Add", x, _scalar(g, 0.5, x)))),
    )
    # Whole numbers below zero are poles without a sign, 0 and −0 poles with one.
    cotangent = g.op(
        "Where",
        g.op("Equal", angle, _scalar(g, 0.0, angle)),
        _scalar(g, math.nan, x),
        g.op("Div", g.op("Cos", angle), g.op("Sin", angle)),
    )
    value = g.op(
        "Where",
        is_negative,
        g.op("Sub", value, g.op("Mul", _scalar(g, math.pi, cotangent), cotangent)),
        value,
    )
    return g.op(
        "Where", g.op("Equal", x, _scalar(g, 0.0, x)), g.op("Neg", g.op("Reciprocal", x)), value
    )


# symgen: _trigamma_of 24394ec863908699
def _trigamma_of(g: jit_utils.GraphContext, x: _C.Value) -> _C.Value:
    """ψ′(x): the asymptotic series at x + 6, below 0.5 by ψ′(x) = (π / sin πx)² − ψ′(1 − x)."""
    is_reflected = g.op("Less", x, _scalar(g, 0.5, x))
    y = g.op("Where", is_reflected, g.op("Sub", _scalar(g, 1.0, x), x), x)
    steps = _scalar(g, [float(k) for k in range(6)], x)
    terms = g.op(
        "Reciprocal", g.op("Add", symbolic_helper._unsqueeze_helper(g, y, [_rank(x)]), steps)
    )
    inverse = g.op("Reciprocal", g.op("Add", y, _scalar(g, 6.0, y)))
    series = _polynomial(g, g.op("Mul", inverse, inverse), [1 / 42, -1 / 30, 1 / 6, 1.0])
    value = g.op(
        "Add",
        g.op("ReduceSumSquare", terms, g.op("Constant", value_t=torch.tensor([-1])), keepdims_i=0),
        g.op("Mul", inverse, g.op("Add", series, g.op("Mul", _scalar(g, 0.5, inverse), inverse))),
    )
    ratio = g.op("Div", _scalar(g, math.pi, x), g.op("Sin", g.op("Mul", _scalar(g, math.pi, x), x)))
    return g.op("Where", is_reflected, g.op("Sub", g.op("Mul", ratio, ratio), value), value)


# symgen: aten::polygamma 35cea51407a3712a
@_onnx_symbolic("aten::polygamma")
@symbolic_helper.parse_args("i", "v")
@_promoted("input", kind="INT_TO_FLOAT")
def polygamma(g: jit_utils.GraphContext, n: int, input: _C.Value) -> _C.Value:
    """polygamma(int n, Tensor self) -> Tensor

    The derivative of order n + 1 of log Γ(x): ψ, trigamma, and beyond them ± n! · ζ(n +
    1, x)
    """
    if n == 0:
        return _digamma_of(g, input)
    if n == 1:
        return _trigamma_of(g, input)
    order = _scalar(g, n + 1.0, input)
    value = g.op(
        "Mul",
        _scalar(g, math.factorial(n) * (-1.0) ** (n + 1), order),
        _hurwitz_zeta_of(g, order, input),
    )
    is_pole = g.op(
        "And",
        g.op("LessOrEqual", input, _scalar(g, 0.0, input)),
        g.op("Equal", input, g.op("Floor", input)),
    )
    return g.op("Where", is_pole, _scalar(g, (-1.0) ** (n + 1) * math.inf, value), value)
