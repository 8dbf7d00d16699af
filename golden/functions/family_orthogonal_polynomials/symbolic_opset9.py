"""ONNX symbolic functions, right from opset 9 on."""

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

__all__ = ["special_chebyshev_polynomial_w", "special_laguerre_polynomial_l"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9, custom=True)


# symgen: _cast f58c1c65d5d5a043
def _cast(g: jit_utils.GraphContext, value: _C.Value, dtype: torch.dtype) -> _C.Value:
    """The tensor in that dtype; no node where it has it already, a new constant for a constant number."""
    target = _type_utils.JitScalarType.from_dtype(dtype)
    if value.node().kind() == "onnx::Constant":
        return g.op("Constant", value_t=symbolic_helper._node_get(value.node(), "value").to(dtype))
    return symbolic_helper._maybe_cast_to_type(g, value, target)


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


# symgen: _dtype 703fc209c14fd932
def _dtype(value: _C.Value) -> torch.dtype:
    """The dtype of a value; raises where the exporter does not know it."""
    known = _type_utils.JitScalarType.from_value(value, _type_utils.JitScalarType.UNDEFINED)
    if known == _type_utils.JitScalarType.UNDEFINED:
        raise errors.SymbolicValueError(
            f"the dtype of {value.debugName()} is not known at export", value
        )
    return known.dtype()


# symgen: _fused_difference 2f0e1ea09a2a12eb
def _fused_difference(g: jit_utils.GraphContext, a: _C.Value, b: _C.Value, c: _C.Value) -> _C.Value:
    """a · b − c, rounded once where it can be, as the compiler of torch makes it on machines that multiply and add."""
    if _dtype(a) == torch.float64:
        return g.op("Sub", g.op("Mul", a, b), c)
    # The product of two float32 numbers is exact in float64.
    return _cast_like(
        g,
        g.op(
            "Sub",
            g.op("Mul", _cast(g, a, torch.float64), _cast(g, b, torch.float64)),
            _cast(g, c, torch.float64),
        ),
        a,
    )


# symgen: _scalar 9451145ccc11ca13
def _scalar(g: jit_utils.GraphContext, number: Any, like: _C.Value) -> _C.Value:
    """A constant of the dtype of `like`, also where that is unknown at export."""
    known = _type_utils.JitScalarType.from_value(like, _type_utils.JitScalarType.UNDEFINED)
    if known == _type_utils.JitScalarType.UNDEFINED:
        return _cast_like(g, g.op("Constant", value_t=torch.tensor(number)), like)
    return g.op("Constant", value_t=torch.tensor(number, dtype=known.dtype()))


# symgen: _term_after 846180dac0b6a4da
def _term_after(
    g: jit_utils.GraphContext, kind: str, x: _C.Value, k: _C.Value, before: _C.Value, last: _C.Value
) -> _C.Value:
    """The polynomial of the degree k + 1, from those of the degrees k − 1 and k."""
    if kind == "chebyshev":
        return _fused_difference(g, g.op("Add", x, x), last, before)
    degree = _cast_like(g, k, x)
    if kind == "hermite_h":
        return _fused_difference(
            g, g.op("Add", x, x), last, g.op("Mul", _cast_like(g, g.op("Add", k, k), x), before)
        )
    if kind == "hermite_he":
        return _fused_difference(g, x, last, g.op("Mul", degree, before))
    if kind == "laguerre":
        factor = g.op(
            "Add", _cast_like(g, g.op("Add", k, k), x), g.op("Sub", _scalar(g, 1.0, x), x)
        )
    else:
        factor = g.op("Mul", _cast_like(g, g.op("Add", g.op("Add", k, k), _scalar(g, 1, k)), x), x)
    return g.op(
        "Div",
        _fused_difference(g, factor, last, g.op("Mul", degree, before)),
        _cast_like(g, g.op("Add", k, _scalar(g, 1, k)), x),
    )


# symgen: _any_of 961b4d6e234584b6
def _any_of(g: jit_utils.GraphContext, condition: _C.Value) -> _C.Value:
    """Whether any element holds."""
    return g.op(
        "Greater",
        symbolic_helper._reducesum_helper(g, _cast(g, condition, torch.int32), keepdims_i=0),
        g.op("Constant", value_t=torch.tensor(0, dtype=torch.int32)),
    )


# symgen: _equal ea15254298090283
def _equal(g: jit_utils.GraphContext, a: _C.Value, b: _C.Value) -> _C.Value:
    """a = b, also for floating point (opset 11); nan equals nothing."""
    differs = g.op("Or", g.op("Greater", a, b), g.op("Less", a, b))
    if _dtype(a).is_floating_point:
        differs = g.op("Or", g.op("Or", differs, g.op("IsNaN", a)), g.op("IsNaN", b))
    return g.op("Not", differs)


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


# symgen: _by_recurrence 47df12e40a9cac9b
def _by_recurrence(
    g: jit_utils.GraphContext,
    kind: str,
    x: _C.Value,
    first: _C.Value,
    degree: _C.Value,
    is_counted: _C.Value,
) -> tuple[_C.Value, ...]:
    """The polynomial of each degree, given that of degree 1; anything where it is not `is_counted`."""

    def is_unfinished(
        g: jit_utils.GraphContext, k: _C.Value, left: _C.Value, before: _C.Value, last: _C.Value
    ) -> _C.Value:
        return _any_of(g, g.op("Greater", left, _scalar(g, 0, left)))

    def next_degree(
        g: jit_utils.GraphContext, k: _C.Value, left: _C.Value, before: _C.Value, last: _C.Value
    ) -> tuple[_C.Value, ...]:
        found = g.op(
            "Where",
            g.op("Greater", left, _scalar(g, 0, left)),
            _term_after(g, kind, x, k, before, last),
            last,
        )
        # A nan stays one, and degrees without end are not to be counted up to.
        rest = g.op(
            "Where",
            g.op("IsNaN", found),
            _scalar(g, 0, left),
            g.op("Sub", left, _scalar(g, 1, left)),
        )
        return (g.op("Add", k, _scalar(g, 1, k)), rest, last, found)

    one = _scalar(g, 1.0, x)
    steps = g.op(
        "Where", is_counted, g.op("Sub", degree, _scalar(g, 1, degree)), _scalar(g, 0, degree)
    )
    start = g.op("Constant", value_t=torch.tensor([1], dtype=torch.int64))
    _, _, _, found = _repeat(
        g, is_unfinished, next_degree, start, steps, g.op("Expand", one, g.op("Shape", x)), first
    )
    return g.op("Where", _equal(g, degree, _scalar(g, 0, degree)), one, found)


# symgen: _beyond_turns 33bb9ebbc593a3a8
def _beyond_turns(
    g: jit_utils.GraphContext, angle: _C.Value, turns: _C.Value, is_odd: _C.Value
) -> _C.Value:
    """(−1)ᵏ · sin(x − turns · π), −1 to a further power where `is_odd`, as π is subtracted in parts.

    ONNX Runtime's own sine is off by as much next to its zeros as elsewhere, where
    torch's quotients of two such numbers are good to the last place.
    """
    rest = g.op(
        "Sub",
        g.op(
            "Sub",
            g.op("Sub", angle, g.op("Mul", turns, _scalar(g, 3.1415926534682512, turns))),
            g.op("Mul", turns, _scalar(g, 1.2154201012607932e-10, turns)),
        ),
        g.op("Mul", turns, _scalar(g, 4.044532497591901e-21, turns)),
    )
    half = g.op("Mul", g.op("Floor", turns), _scalar(g, 0.5, turns))
    is_even = _equal(g, g.op("Floor", half), half)
    found = g.op("Sin", rest)
    return g.op("Where", g.op("Not", is_even) if is_odd else is_even, found, g.op("Neg", found))


# symgen: _cosine_of 7f199fb502678e5e
def _cosine_of(g: jit_utils.GraphContext, angle: _C.Value) -> _C.Value:
    """cos(x) for x ≥ 0, rounded once."""
    if _dtype(angle) != torch.float64:
        return _cast_like(g, g.op("Cos", _cast(g, angle, torch.float64)), angle)
    turns = g.op(
        "Add", g.op("Floor", g.op("Div", angle, _scalar(g, math.pi, angle))), _scalar(g, 0.5, angle)
    )
    return g.op(
        "Where",
        g.op("Less", turns, _scalar(g, 524288.0, turns)),
        _beyond_turns(g, angle, turns, _scalar(g, True, angle)),
        g.op("Cos", angle),
    )


# symgen: _sine_of a6c00a2032a202fc
def _sine_of(g: jit_utils.GraphContext, angle: _C.Value) -> _C.Value:
    """sin(x) for x ≥ 0, rounded once."""
    if _dtype(angle) != torch.float64:
        return _cast_like(g, g.op("Sin", _cast(g, angle, torch.float64)), angle)
    turns = g.op(
        "Floor", g.op("Add", g.op("Div", angle, _scalar(g, math.pi, angle)), _scalar(g, 0.5, angle))
    )
    return g.op(
        "Where",
        g.op("Less", turns, _scalar(g, 524288.0, turns)),
        _beyond_turns(g, angle, turns, _scalar(g, False, angle)),
        g.op("Sin", angle),
    )


# symgen: _angle_of 8a1e4d9fd1a72f22
def _angle_of(g: jit_utils.GraphContext, x: _C.Value) -> _C.Value:
    """acos(x) in float64, for which ONNX Runtime has no kernel.

    The half of that of |x| has the sine √((1 − |x|) / 2) and the cosine √((1 + |x|) /
    2); what an angle in float32 misses of it has the sine that the addition theorem
    gives; small ones are x + x³ / 6 of their sine. For x below 0 it is what is left of
    π.
    """
    wide = _cast(g, x, torch.float64)
    size = g.op("Abs", wide)
    sine, cosine = (
        g.op(
            "Sqrt",
            g.op(
                "Mul",
                g.op("Sub", g.op("Constant", value_t=torch.tensor(1.0, dtype=torch.float64)), size),
                g.op("Constant", value_t=torch.tensor(0.5, dtype=torch.float64)),
            ),
        ),
        g.op(
            "Sqrt",
            g.op(
                "Mul",
                g.op("Add", g.op("Constant", value_t=torch.tensor(1.0, dtype=torch.float64)), size),
                g.op("Constant", value_t=torch.tensor(0.5, dtype=torch.float64)),
            ),
        ),
    )
    near = _cast(g, g.op("Atan", _cast(g, g.op("Div", sine, cosine), torch.float32)), torch.float64)
    half = g.op(
        "Add",
        near,
        g.op("Sub", g.op("Mul", sine, g.op("Cos", near)), g.op("Mul", cosine, g.op("Sin", near))),
    )
    angle = g.op(
        "Mul",
        g.op("Constant", value_t=torch.tensor(2.0, dtype=torch.float64)),
        g.op(
            "Where",
            g.op("Less", sine, g.op("Constant", value_t=torch.tensor(0.0001, dtype=torch.float64))),
            g.op(
                "Add",
                sine,
                g.op(
                    "Div",
                    g.op("Mul", g.op("Mul", sine, sine), sine),
                    g.op("Constant", value_t=torch.tensor(6.0, dtype=torch.float64)),
                ),
            ),
            half,
        ),
    )
    return g.op(
        "Where",
        g.op("Less", wide, g.op("Constant", value_t=torch.tensor(0.0, dtype=torch.float64))),
        g.op(
            "Sub",
            g.op("Constant", value_t=torch.tensor(math.pi, dtype=torch.float64)),
            g.op(
                "Sub",
                angle,
                g.op("Constant", value_t=torch.tensor(1.2246467991473532e-16, dtype=torch.float64)),
            ),
        ),
        angle,
    )


# symgen: _chebyshev_wave cb1a4d15498d2015
def _chebyshev_wave(
    g: jit_utils.GraphContext,
    kind: str,
    x: _C.Value,
    degree: _C.Value,
    ahead: _C.Value,
    behind: _C.Value,
) -> _C.Value:
    """Chebyshev's polynomials within −1 to 1, as cosines and sines of multiples of acos(x).

    Next to the ends, where the divisor is lost, `ahead` stands for W and `behind` for
    V.
    """
    angle = _cast_like(g, _angle_of(g, x), x)
    half = g.op("Div", angle, _scalar(g, 2.0, angle))
    if kind == "t":
        return _cosine_of(g, g.op("Mul", _cast_like(g, degree, x), angle))
    if kind == "u":
        return g.op(
            "Div",
            _sine_of(
                g, g.op("Mul", _cast_like(g, g.op("Add", degree, _scalar(g, 1, degree)), x), angle)
            ),
            _sine_of(g, angle),
        )
    turn = g.op("Mul", g.op("Add", _cast_like(g, degree, x), _scalar(g, 0.5, x)), angle)
    if kind == "v":
        is_lost = _equal(
            g,
            _cast_like(g, g.op("Sin", _cast(g, half, torch.float64)), half),
            _scalar(g, 1.0, half),
        )
        return g.op("Where", is_lost, behind, g.op("Div", _cosine_of(g, turn), _cosine_of(g, half)))
    if _dtype(x) == torch.float64:
        is_lost = g.op("Less", half, _scalar(g, 1.0536712127723509e-08, half))
    else:
        is_lost = _equal(g, _cosine_of(g, half), _scalar(g, 1.0, half))
    return g.op("Where", is_lost, ahead, g.op("Div", _sine_of(g, turn), _sine_of(g, half)))


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


# symgen: _common_places 3c29a3285893bea0
def _common_places(g: jit_utils.GraphContext, x: _C.Value, n: _C.Value) -> tuple[_C.Value, ...]:
    """(x, n as int64) in their common shape, which the loop must not change, and a last axis.

    The axis is there because the exporter takes 0-d float64 tensors for Python numbers.
    """
    zeros = _zeros_for(g, x, n)
    shape = g.op("Shape", symbolic_helper._unsqueeze_helper(g, zeros, [_rank(zeros)]))
    wide = g.op("Expand", symbolic_helper._unsqueeze_helper(g, x, [_rank(x)]), shape)
    degree = g.op(
        "Where",
        g.op("Less", g.op("Abs", n), _scalar(g, 9.223372036854776e18, n)),
        n,
        _scalar(g, -1.0, n),
    )
    return (
        wide,
        _cast(
            g,
            g.op("Expand", symbolic_helper._unsqueeze_helper(g, degree, [_rank(n)]), shape),
            torch.int64,
        ),
    )


# symgen: _of_whole_degree da6612a6d0b023c5
def _of_whole_degree(g: jit_utils.GraphContext, degree: _C.Value, value: _C.Value) -> _C.Value:
    """The value, but 0 for degrees below 0, and without the last axis."""
    value = g.op(
        "Where", g.op("Less", degree, _scalar(g, 0, degree)), _scalar(g, 0.0, value), value
    )
    return symbolic_helper._squeeze_helper(g, value, [_rank(value) - 1])


# symgen: _chebyshev_polynomial 2a3eba6f7a8f0d14
def _chebyshev_polynomial(
    g: jit_utils.GraphContext, x: _C.Value, n: _C.Value, kind: str, is_shifted: bool, limit: int
) -> _C.Value:
    """T, U, V or W of x, or of 2x − 1 where it is shifted: beyond the degree `limit` by its wave within −1 to 1.

    At 1 and −1 it is 1 or the degree's measure, with the sign of a power of −1; shifted
    ones that round to there come to the same by the recurrence.
    """
    place, degree = _common_places(g, x, n)
    if is_shifted:
        place = g.op("Sub", g.op("Add", place, place), _scalar(g, 1.0, place))
    one = _scalar(g, 1.0, place)
    sign = g.op(
        "Where",
        _equal(
            g,
            g.op(
                "Sub",
                degree,
                g.op("Mul", g.op("Div", degree, _scalar(g, 2, degree)), _scalar(g, 2, degree)),
            ),
            _scalar(g, 0, degree),
        ),
        one,
        g.op("Neg", one),
    )
    if kind == "t":
        above, below = one, sign
    elif kind == "u":
        above = _cast_like(g, g.op("Add", degree, _scalar(g, 1, degree)), place)
        below = g.op("Mul", sign, above)
    elif kind == "v":
        above, below = (
            one,
            g.op(
                "Mul",
                sign,
                _cast_like(
                    g, g.op("Add", g.op("Add", degree, degree), _scalar(g, 1, degree)), place
                ),
            ),
        )
    else:
        above, below = (
            _cast_like(g, g.op("Add", g.op("Add", degree, degree), _scalar(g, 1, degree)), place),
            sign,
        )
    first = place
    if kind != "t":
        first = g.op("Add", place, place)
    if kind == "v":
        first = g.op("Sub", first, _scalar(g, 1.0, first))
    elif kind == "w":
        first = g.op("Add", first, _scalar(g, 1.0, first))
    size = g.op("Abs", place)
    is_end = _equal(g, size, _scalar(g, 1.0, size))
    is_wave = g.op(
        "And",
        g.op("Greater", degree, _scalar(g, limit, degree)),
        g.op("Less", size, _scalar(g, 1.0, size)),
    )
    value = _by_recurrence(
        g, "chebyshev", place, first, degree, g.op("Not", g.op("Or", is_end, is_wave))
    )
    # Next to 1, the shifted W is what torch has there: the value at −1.
    wave = _chebyshev_wave(g, kind, place, degree, below if is_shifted else above, below)
    value = g.op("Where", is_wave, wave, value)
    value = g.op(
        "Where",
        is_end,
        g.op("Where", g.op("Greater", place, _scalar(g, 0.0, place)), above, below),
        value,
    )
    return _of_whole_degree(g, degree, value)


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


# symgen: aten::special_chebyshev_polynomial_w d46d3a33e6f87d3a
@_onnx_symbolic("aten::special_chebyshev_polynomial_w")
@symbolic_helper.parse_args("v", "v")
@_promoted("x", "n", kind="INT_TO_FLOAT")
def special_chebyshev_polynomial_w(g: jit_utils.GraphContext, x: _C.Value, n: _C.Value) -> _C.Value:
    """special_chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor
    special_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) -> Tensor
    special_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) -> Tensor

    Chebyshev's polynomial of the fourth kind of x
    """
    return _chebyshev_polynomial(g, x, n, "w", False, 8)


# symgen: aten::special_laguerre_polynomial_l c923a717b56ded01
@_onnx_symbolic("aten::special_laguerre_polynomial_l")
@symbolic_helper.parse_args("v", "v")
@_promoted("x", "n", kind="INT_TO_FLOAT")
def special_laguerre_polynomial_l(g: jit_utils.GraphContext, x: _C.Value, n: _C.Value) -> _C.Value:
    """special_laguerre_polynomial_l(Tensor x, Tensor n) -> Tensor
    special_laguerre_polynomial_l.x_scalar(Scalar x, Tensor n) -> Tensor
    special_laguerre_polynomial_l.n_scalar(Tensor x, Scalar n) -> Tensor

    Laguerre's polynomial
    """
    place, degree = _common_places(g, x, n)
    is_zero = _equal(g, place, _scalar(g, 0.0, place))
    value = _by_recurrence(
        g,
        "laguerre",
        place,
        g.op("Sub", _scalar(g, 1.0, place), place),
        degree,
        g.op("Not", is_zero),
    )
    # At 0 the first is 1, and nothing was counted.
    return _of_whole_degree(g, degree, value)
