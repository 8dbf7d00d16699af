"""ONNX symbolic functions, right from opset 18 on."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import itertools
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

__all__ = ["ctc_loss"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=18, custom=True)


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


# symgen: _between_blanks 25db7fbdb49a8a3a
def _between_blanks(g: jit_utils.GraphContext, targets: _C.Value, blank: int) -> _C.Value:
    """blank, first target, blank, second target … blank; shape [samples, 2 · targets + 1]"""
    columns = symbolic_helper._unsqueeze_helper(g, targets, [2])
    blanks = g.op("Add", g.op("Mul", columns, _scalar(g, 0, columns)), _scalar(g, blank, columns))
    shape = g.op(
        "Concat",
        _size(g, targets, 0),
        g.op(
            "Mul",
            _size(g, targets, 1),
            g.op("Constant", value_t=torch.tensor(2, dtype=torch.int64)),
        ),
        axis_i=0,
    )
    pairs = g.op("Reshape", g.op("Concat", blanks, columns, axis_i=2), shape)
    end = g.op(
        "Expand",
        g.op("Constant", value_t=torch.tensor([[blank]], dtype=torch.int64)),
        g.op("Concat", _size(g, targets, 0), g.op("Constant", value_t=torch.tensor([1])), axis_i=0),
    )
    return g.op("Concat", pairs, end, axis_i=1)


# symgen: _moved_right 41c2efa8a1fab676
def _moved_right(g: jit_utils.GraphContext, x: _C.Value, count: int, fill: _C.Value) -> _C.Value:
    """Each row moved by some places, with `fill` in front."""
    padded = g.op(
        "Pad", x, g.op("Constant", value_t=torch.tensor([0, count, 0, 0], dtype=torch.int64)), fill
    )
    return g.op(
        "Slice",
        padded,
        g.op("Constant", value_t=torch.tensor([0])),
        _size(g, x, 1),
        g.op("Constant", value_t=torch.tensor([1])),
    )


# symgen: _log_sum_exp_of_three 54f764279cf7f315
def _log_sum_exp_of_three(
    g: jit_utils.GraphContext, a: _C.Value, b: _C.Value, c: _C.Value
) -> _C.Value:
    """log(exp(a) + exp(b) + exp(c)), also where all are −∞"""
    largest = g.op("Max", g.op("Max", a, b), c)
    offset = g.op(
        "Where",
        g.op("Greater", largest, _scalar(g, -math.inf, largest)),
        largest,
        _scalar(g, 0.0, largest),
    )
    return g.op(
        "Add",
        offset,
        g.op(
            "Log",
            g.op(
                "Add",
                g.op(
                    "Add", g.op("Exp", g.op("Sub", a, offset)), g.op("Exp", g.op("Sub", b, offset))
                ),
                g.op("Exp", g.op("Sub", c, offset)),
            ),
        ),
    )


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


# symgen: _loop b001a3c6ef55919b
def _loop(
    g: jit_utils.GraphContext, count: _C.Value, body: Callable[..., Any], *state: _C.Value
) -> _C.Value | tuple[_C.Value, ...]:
    """`state = body(g, i, *state)` for i from 0 to count - 1, as an ONNX Loop."""

    def turn(
        inner: jit_utils.GraphContext, iteration: _C.Value, *arguments: _C.Value
    ) -> tuple[_C.Value, Any]:
        return inner.op("Constant", value_t=torch.tensor(True)), body(inner, iteration, *arguments)

    going_on = g.op("Constant", value_t=torch.tensor(True))
    count = symbolic_helper._reshape_helper(
        g, count, g.op("Constant", value_t=torch.tensor([], dtype=torch.int64))
    )
    return _turns(g, count, going_on, turn, state)


# symgen: _ctc_log_probability 91ce15913bd7930e
def _ctc_log_probability(
    g: jit_utils.GraphContext,
    log_probs: _C.Value,
    targets: _C.Value,
    input_lengths: _C.Value,
    target_lengths: _C.Value,
    blank: int,
) -> _C.Value:
    """The log-probability of each sample's targets: the forward recursion of Graves et al. (2006) over the labels with
    blanks between them.
    """
    labels = _between_blanks(g, targets, blank)
    nothing = _scalar(g, -math.inf, log_probs)
    # From two labels before, unless that is the same one or a blank would be left out.
    is_new = g.op(
        "And",
        g.op(
            "Not",
            g.op(
                "Equal",
                labels,
                _moved_right(
                    g, labels, 2, g.op("Constant", value_t=torch.tensor(-1, dtype=torch.int64))
                ),
            ),
        ),
        g.op("Not", g.op("Equal", labels, _scalar(g, blank, labels))),
    )
    steps = _size(g, log_probs, 0)
    everywhere = g.op("Concat", steps, g.op("Constant", value_t=torch.tensor([1, 1])), axis_i=0)
    emissions = g.op(
        "GatherElements",
        log_probs,
        g.op("Expand", symbolic_helper._unsqueeze_helper(g, labels, [0]), everywhere),
        axis_i=2,
    )

    def advance(g: jit_utils.GraphContext, step: _C.Value, alpha: _C.Value) -> _C.Value:
        skipping = g.op("Where", is_new, _moved_right(g, alpha, 2, nothing), nothing)
        total = _log_sum_exp_of_three(g, alpha, _moved_right(g, alpha, 1, nothing), skipping)
        goes_on = g.op("Less", step, symbolic_helper._unsqueeze_helper(g, input_lengths, [1]))
        return g.op(
            "Where", goes_on, g.op("Add", total, g.op("Gather", emissions, step, axis_i=0)), alpha
        )

    places = g.op(
        "Range",
        g.op("Constant", value_t=torch.tensor(0, dtype=torch.int64)),
        symbolic_helper._squeeze_helper(g, _size(g, labels, 1), [0]),
        g.op("Constant", value_t=torch.tensor(1, dtype=torch.int64)),
    )
    is_first = g.op(
        "Equal",
        g.op("Add", places, g.op("Mul", labels, _scalar(g, 0, labels))),
        g.op("Constant", value_t=torch.tensor(0, dtype=torch.int64)),
    )
    alpha = _loop(g, steps, advance, g.op("Where", is_first, _scalar(g, 0.0, log_probs), nothing))
    end = g.op(
        "Mul",
        symbolic_helper._unsqueeze_helper(g, target_lengths, [1]),
        _scalar(g, 2, target_lengths),
    )
    with_blank = g.op("GatherElements", alpha, end, axis_i=1)
    without = g.op(
        "GatherElements",
        alpha,
        g.op(
            "Max", g.op("Sub", end, _scalar(g, 1, end)), g.op("Constant", value_t=torch.tensor([0]))
        ),
        axis_i=1,
    )
    without = g.op("Where", g.op("Greater", end, _scalar(g, 0, end)), without, nothing)
    return symbolic_helper._squeeze_helper(
        g, _log_sum_exp_of_three(g, with_blank, without, nothing), [1]
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


# symgen: _numel 78626eee8677ff08
def _numel(g: jit_utils.GraphContext, value: _C.Value) -> _C.Value:
    """The number of elements as an int64 tensor of shape [1]."""
    return symbolic_helper._unsqueeze_helper(g, g.op("Size", value), [0])


# symgen: _padded_targets 93ad942a446b77f8
def _padded_targets(g: jit_utils.GraphContext, targets: _C.Value, lengths: _C.Value) -> _C.Value:
    """The targets as one row per sample, also where they come one behind the other."""
    if _rank(targets) == 2:
        return targets
    longest = g.op("ReduceMax", lengths, g.op("Constant", value_t=torch.tensor([0])), keepdims_i=0)
    places = g.op("Range", _scalar(g, 0, longest), longest, _scalar(g, 1, longest))
    starts = g.op("CumSum", lengths, g.op("Constant", value_t=torch.tensor(0)), exclusive_i=1)
    last = g.op(
        "Max",
        g.op(
            "Sub", _numel(g, targets), g.op("Constant", value_t=torch.tensor(1, dtype=torch.int64))
        ),
        g.op("Constant", value_t=torch.tensor([0])),
    )
    inside = g.op(
        "Min", g.op("Add", symbolic_helper._unsqueeze_helper(g, starts, [1]), places), last
    )
    return g.op(
        "Gather",
        g.op("Concat", targets, g.op("Constant", value_t=torch.tensor([0])), axis_i=0),
        inside,
    )


# symgen: _static_numel 9d9f211f8b1cf1df
def _static_numel(value: _C.Value) -> int | None:
    """The number of elements where it is known at export, else None."""
    sizes = symbolic_helper._get_tensor_sizes(value)
    return None if sizes is None or None in sizes else math.prod(sizes)


# symgen: _reduced e419293e6c544b71
def _reduced(g: jit_utils.GraphContext, loss: _C.Value, reduction: int) -> _C.Value:
    """The loss of each element (0), their mean (1) or their sum (2)."""
    if reduction == 0:
        return loss
    if reduction == 2:
        return symbolic_helper._reducesum_helper(g, loss, keepdims_i=0)
    if _static_numel(loss):
        return g.op("ReduceMean", loss, keepdims_i=0)
    # The mean of no elements is nan, but ReduceMean's may be 0. The axes stay for the choice, because the exporter
    # takes 0-d float64 tensors for Python numbers.
    mean = g.op("ReduceMean", loss, keepdims_i=1)
    mean = g.op(
        "Where",
        g.op(
            "Equal",
            g.op("Size", loss),
            g.op("Constant", value_t=torch.tensor(0, dtype=torch.int64)),
        ),
        _scalar(g, math.nan, mean),
        mean,
    )
    return g.op("Reshape", mean, g.op("Constant", value_t=torch.tensor([], dtype=torch.int64)))


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


# symgen: aten::ctc_loss 85cfca1d3067a876
@_onnx_symbolic("aten::ctc_loss")
@symbolic_helper.parse_args("v", "v", "v", "v", "i", "i", "b")
@_promoted("log_probs")
def ctc_loss(
    g: jit_utils.GraphContext,
    log_probs: _C.Value,
    targets: _C.Value,
    input_lengths: _C.Value,
    target_lengths: _C.Value,
    blank: int = 0,
    reduction: int = 1,
    zero_infinity: bool = False,
) -> _C.Value:
    """ctc_loss.IntList(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, int reduction=Mean, bool zero_infinity=False) -> Tensor
    ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, int reduction=Mean, bool zero_infinity=False) -> Tensor

    −log of the probability of the targets, summed over all alignments; a mean divides
    by their lengths first
    """
    is_batch = _rank(log_probs) == 3
    inputs, lengths = _ints(g, input_lengths), _ints(g, target_lengths)
    scores = log_probs if is_batch else symbolic_helper._unsqueeze_helper(g, log_probs, [1])
    rows = _padded_targets(g, _cast(g, targets, torch.int64), lengths)
    loss = g.op("Neg", _ctc_log_probability(g, scores, rows, inputs, lengths, blank))
    if zero_infinity:
        loss = g.op(
            "Where", g.op("Less", loss, _scalar(g, math.inf, loss)), loss, _scalar(g, 0.0, loss)
        )
    if reduction == 1:
        loss = g.op(
            "Div",
            loss,
            _cast_like(g, g.op("Max", lengths, g.op("Constant", value_t=torch.tensor([1]))), loss),
        )
    if reduction == 0 and (not is_batch):
        return symbolic_helper._squeeze_helper(g, loss, [0])
    return _reduced(g, loss, reduction)
