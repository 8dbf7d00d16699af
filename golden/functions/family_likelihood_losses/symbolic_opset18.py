"""ONNX symbolic functions, right from opset 18 on."""

from __future__ import annotations

import functools
import math
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

__all__ = ["cross_entropy_loss"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=18, custom=True)


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


# symgen: _loss_of_chances 4f6da513ba4b4956
def _loss_of_chances(
    g: jit_utils.GraphContext, scores: _C.Value, chances: _C.Value, reduction: int
) -> _C.Value:
    """−Σ p · score over the classes along axis 1, by the reduction"""
    return _reduced(
        g,
        g.op(
            "Neg",
            symbolic_helper._reducesum_helper(
                g, g.op("Mul", scores, chances), axes_i=[1], keepdims_i=0
            ),
        ),
        reduction,
    )


# symgen: _class_weights 60e459c4681a22bd
def _class_weights(
    g: jit_utils.GraphContext,
    scores: _C.Value,
    target: _C.Value,
    weight: _C.Value,
    ignore_index: int,
) -> tuple[_C.Value, ...]:
    """The weight of each target's class, 1 without weights and 0 where the target is ignored; and a class for each."""
    is_ignored = g.op("Equal", target, _scalar(g, ignore_index, target))
    places = g.op("Where", is_ignored, g.op("Constant", value_t=torch.tensor(0)), target)
    if symbolic_helper._is_none(weight):
        return (_cast_like(g, g.op("Not", is_ignored), scores), places)
    return (
        g.op(
            "Where",
            is_ignored,
            _scalar(g, 0, scores),
            g.op("Gather", _cast_like(g, weight, scores), places),
        ),
        places,
    )


# symgen: _likelihood_loss 5e60ac2e53b24130
def _likelihood_loss(
    g: jit_utils.GraphContext,
    scores: _C.Value,
    target: _C.Value,
    weight: _C.Value,
    reduction: int,
    ignore_index: int,
) -> tuple[_C.Value, ...]:
    """(−scores[target] · weight[target], by the reduction; the sum of these weights), with the classes along axis 1.

    What is reduced keeps its axes: the exporter takes 0-d float64 tensors for Python
    numbers.
    """
    weights, places = _class_weights(g, scores, target, weight, ignore_index)
    picked = symbolic_helper._squeeze_helper(
        g,
        g.op("GatherElements", scores, symbolic_helper._unsqueeze_helper(g, places, [1]), axis_i=1),
        [1],
    )
    # What is ignored gives no nan either.
    loss = g.op(
        "Where",
        g.op("Equal", target, _scalar(g, ignore_index, target)),
        _scalar(g, 0, scores),
        g.op("Mul", g.op("Neg", picked), weights),
    )
    total = symbolic_helper._reducesum_helper(g, weights, keepdims_i=1)
    if reduction == 0:
        return (loss, total)
    added = symbolic_helper._reducesum_helper(g, loss, keepdims_i=1)
    return (g.op("Div", added, total) if reduction == 1 else added, total)


# symgen: _dtype 703fc209c14fd932
def _dtype(value: _C.Value) -> torch.dtype:
    """The dtype of a value; raises where the exporter does not know it."""
    known = _type_utils.JitScalarType.from_value(value, _type_utils.JitScalarType.UNDEFINED)
    if known == _type_utils.JitScalarType.UNDEFINED:
        raise errors.SymbolicValueError(
            f"the dtype of {value.debugName()} is not known at export", value
        )
    return known.dtype()


# symgen: _log_softmax_along_axis 2568aa9fdbca3577
def _log_softmax_along_axis(g: jit_utils.GraphContext, x: _C.Value, axis: int) -> _C.Value:
    """x − log Σ exp(x); the runtime's LogSoftmax of float64 passes over infinity."""
    if _dtype(x) != torch.float64:
        return g.op("LogSoftmax", x, axis_i=axis)
    shifted = g.op(
        "Sub",
        x,
        g.op(
            "ReduceMax",
            x,
            g.op("Constant", value_t=torch.tensor([axis], dtype=torch.int64)),
            keepdims_i=1,
        ),
    )
    return g.op(
        "Sub",
        shifted,
        g.op(
            "Log",
            symbolic_helper._reducesum_helper(g, g.op("Exp", shifted), axes_i=[axis], keepdims_i=1),
        ),
    )


# symgen: _rank 6d888dc2ea092ca6
def _rank(value: _C.Value) -> int:
    """The rank of a tensor; raises where the exporter does not know it."""
    rank = symbolic_helper._get_tensor_rank(value)
    if rank is None:
        raise errors.SymbolicValueError(
            f"the rank of {value.debugName()} is not known at export", value
        )
    return rank


# symgen: _log_softmax_of 64691d506ca4beca
def _log_softmax_of(g: jit_utils.GraphContext, x: _C.Value, dim: int) -> _C.Value:
    """x − log Σ exp(x); of a number 0"""
    if _rank(x) == 0:
        return symbolic_helper._squeeze_helper(
            g, _log_softmax_along_axis(g, symbolic_helper._unsqueeze_helper(g, x, [0]), 0), [0]
        )
    return _log_softmax_along_axis(g, x, dim)


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


# symgen: _cast f58c1c65d5d5a043
def _cast(g: jit_utils.GraphContext, value: _C.Value, dtype: torch.dtype) -> _C.Value:
    """The tensor in that dtype; no node where it has it already, a new constant for a constant number."""
    target = _type_utils.JitScalarType.from_dtype(dtype)
    if value.node().kind() == "onnx::Constant":
        return g.op("Constant", value_t=symbolic_helper._node_get(value.node(), "value").to(dtype))
    return symbolic_helper._maybe_cast_to_type(g, value, target)


# symgen: _as_single 0cc2ff2143414345
def _as_single(g: jit_utils.GraphContext, x: _C.Value) -> _C.Value:
    """Whole numbers and half precision as float32."""
    return _cast(g, x, torch.float64 if _dtype(x) == torch.float64 else torch.float32)


# symgen: _even_loss d25ded09e52ad3a7
def _even_loss(
    g: jit_utils.GraphContext,
    scores: _C.Value,
    target: _C.Value,
    total: _C.Value,
    reduction: int,
    ignore_index: int,
) -> _C.Value:
    """−Σ score over the classes along axis 1, by the reduction, of all targets that are not ignored"""
    is_ignored = g.op("Equal", target, _scalar(g, ignore_index, target))
    loss = g.op(
        "Where",
        is_ignored,
        _scalar(g, 0, scores),
        g.op("Neg", symbolic_helper._reducesum_helper(g, scores, axes_i=[1], keepdims_i=0)),
    )
    if reduction == 0:
        return loss
    added = symbolic_helper._reducesum_helper(g, loss, keepdims_i=1)
    return g.op("Div", added, total) if reduction == 1 else added


# symgen: _in_shape 525f0389cc20450c
def _in_shape(
    g: jit_utils.GraphContext, loss: _C.Value, is_alone: bool, reduction: int
) -> _C.Value:
    """The loss without the axes that it does not have."""
    if reduction != 0:
        return g.op("Reshape", loss, g.op("Constant", value_t=torch.tensor([], dtype=torch.int64)))
    return symbolic_helper._squeeze_helper(g, loss, [0]) if is_alone else loss


# symgen: _with_batch 98ab752bf36cd107
def _with_batch(g: jit_utils.GraphContext, x: _C.Value, is_alone: bool) -> _C.Value:
    """The tensor with a batch axis in front where it has none."""
    return symbolic_helper._unsqueeze_helper(g, x, [0]) if is_alone else x


# symgen: aten::cross_entropy_loss dd96e22f7554ec57
@_onnx_symbolic("aten::cross_entropy_loss")
@symbolic_helper.parse_args("v", "v", "v", "i", "i", "f")
def cross_entropy_loss(
    g: jit_utils.GraphContext,
    input: _C.Value,
    target: _C.Value,
    weight: _C.Value | None = None,
    reduction: int = 1,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> _C.Value:
    """cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100, float label_smoothing=0.0) -> Tensor

    −Σ p · log softmax(self) · weight over the classes, for targets that are classes or
    have a p for each
    """
    is_alone = _rank(input) == 1
    scores, targets = (
        _with_batch(g, _as_single(g, input), is_alone),
        _with_batch(g, target, is_alone),
    )
    scores = _log_softmax_of(g, scores, 1)
    weighted = scores
    if not symbolic_helper._is_none(weight):
        others = list(range(1, _rank(scores) - 1))
        by_class = _cast_like(g, weight, scores)
        weighted = g.op(
            "Mul",
            scores,
            symbolic_helper._unsqueeze_helper(g, by_class, others) if others else by_class,
        )
    share = g.op(
        "Div", _scalar(g, label_smoothing, scores), _cast_like(g, _size(g, scores, 1), scores)
    )
    if _dtype(target).is_floating_point:
        chances = g.op(
            "Add",
            g.op("Mul", _scalar(g, 1.0 - label_smoothing, scores), _cast_like(g, targets, scores)),
            share,
        )
        loss = _loss_of_chances(g, weighted, chances, reduction)
    else:
        targets = _cast(g, targets, torch.int64)
        loss, total = _likelihood_loss(g, scores, targets, weight, reduction, ignore_index)
        if label_smoothing:
            even = _even_loss(g, weighted, targets, total, reduction, ignore_index)
            loss = g.op(
                "Add",
                g.op("Mul", _scalar(g, 1.0 - label_smoothing, loss), loss),
                g.op("Mul", share, even),
            )
    return _cast_like(g, _in_shape(g, loss, is_alone, reduction), input)
