"""ONNX translations of PyTorch's operators for its dynamo exporter: likelihood losses."""

from __future__ import annotations

import collections
import functools
import inspect
import math
import re
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import onnx
import torch
from onnxscript import evaluator, ir
from onnxscript.function_libs.torch_lib.registration import Registry, torch_op
from onnxscript.function_libs.torch_lib.tensor_typing import TTensor
from onnxscript.onnx_opset import opset18 as op

__all__ = ["aten_cross_entropy_loss"]

REGISTRIES: dict[int, Registry] = collections.defaultdict(Registry)
"""The translations, by the opset from which on they are valid."""


# symgen: _torch_dtype d299fe64d4fed87a
def _torch_dtype(dtype: ir.DataType) -> torch.dtype:
    """PyTorch's dtype for one of ONNX."""
    return getattr(torch, dtype.name.lower())


# symgen: _dtype e28d142a93afca35
def _dtype(value: Any) -> torch.dtype:
    """The dtype of a value, or of what PyTorch makes of a number; raises where it is not known."""
    if not isinstance(value, ir.Value):
        return torch.float64 if isinstance(value, float) else torch.tensor(value).dtype
    if value.dtype is None:
        raise NotImplementedError(f"the dtype of {value.name} is not known at export")
    return _torch_dtype(value.dtype)


# symgen: _before_cast 42d0b768c8726f4e
def _before_cast(value: Any) -> Any:
    """What a value was cast from; the value itself where it is of no cast."""
    maker = value.producer() if isinstance(value, ir.Value) else None
    return value if maker is None or maker.op_type != "Cast" else maker.inputs[0]


# symgen: _constant 2f77b9a3bb2c4c1f
def _constant(value: Any, dtype: torch.dtype) -> ir.Value:
    """A constant of that dtype."""
    return op.Constant(value=ir.tensor(torch.tensor(value, dtype=dtype)))


# symgen: _known db8d78e5c38d2953
def _known(value: Any) -> Any:
    """The Python number, list of numbers, or text in a constant value; None where it is known only when the model runs."""
    if isinstance(value, (list, tuple)):
        elements = [_known(element) for element in value]
        if None in elements:
            return None
        return [
            number for part in elements for number in (part if isinstance(part, list) else [part])
        ]
    if isinstance(value, ir.Value):
        constant = ir.convenience.get_const_tensor(value)
        return None if constant is None else constant.numpy().tolist()
    return value


# symgen: _kept_numbers 3cd829062e1cc24f
def _kept_numbers(operator: str, inputs: Sequence[Any]) -> Sequence[Any]:
    """The inputs of an operator; a number that almost leaves the other input as it is has shape [1].

    onnxscript drops x + c where c is about 0, and x * c where it is about 1, unless the constant has an axis.
    """
    neutral = {"Add": 0, "Sub": 0, "Mul": 1, "Div": 1}.get(operator)
    for place, value in enumerate(inputs if neutral is not None else ()):
        if isinstance(value, ir.Value) and value.shape:
            continue
        number, other = _known(_before_cast(value)), inputs[1 - place]
        if not isinstance(number, float) or number == neutral:
            continue
        like = value if isinstance(value, ir.Value) else other
        is_near = math.isclose(number, neutral, rel_tol=1e-5, abs_tol=1e-8)
        if (
            is_near
            and isinstance(other, ir.Value)
            and other.shape is not None
            and like.dtype is not None
        ):
            return [*inputs[:place], _constant([number], _dtype(like)), *inputs[place + 1 :]]
    return inputs


# symgen: _infer_types 079c09ac734a4607
def _infer_types(node: ir.Node) -> None:
    """Give the outputs of a node their types and shapes, as far as those of its inputs are known."""
    inputs = {f"i{place}": value for place, value in enumerate(node.inputs) if value is not None}
    for value in inputs.values():
        maker = value.producer()
        if value.type is None and maker is not None and maker.op_type == "Constant":
            _infer_types(maker)  # of another function, with which the exporter shares its constants
    if any(value.type is None for value in inputs.values()) or all(
        value.type for value in node.outputs
    ):
        return
    names = [f"i{place}" if value is not None else "" for place, value in enumerate(node.inputs)]
    proto = onnx.helper.make_node(
        node.op_type, names, [f"o{place}" for place in range(len(node.outputs))]
    )
    proto.attribute.extend(ir.to_proto(attribute) for attribute in node.attributes.values())
    kinds = {
        name: ir.serde.serialize_value(ir.Value(name=name, type=value.type, shape=value.shape)).type
        for name, value in inputs.items()
    }
    constants = {name: ir.convenience.get_const_tensor(value) for name, value in inputs.items()}
    data = {name: ir.to_proto(tensor) for name, tensor in constants.items() if tensor is not None}
    schema = onnx.defs.get_schema(node.op_type, node.version)
    opsets = [onnx.helper.make_opsetid("", node.version)]
    found = onnx.shape_inference.infer_node_outputs(
        schema, proto, kinds, data, opset_imports=opsets
    )
    for place, output in enumerate(node.outputs):
        if f"o{place}" in found:
            output.type = ir.serde.deserialize_type_proto_for_type(found[f"o{place}"])
            output.shape = ir.serde.deserialize_type_proto_for_shape(found[f"o{place}"])


# symgen: _inferring 86e7c1b72d5f904f
def _inferring(recorder: Any) -> Any:
    """An evaluator that records nodes as `recorder` does, and gives their outputs the types that ONNX infers."""

    def typed(evaluate: Callable[..., Any]) -> Callable[..., Any]:
        def call(operator: Any, inputs: Sequence[Any], attributes: Any) -> Any:
            known = len(recorder.nodes)
            kept = _kept_numbers(operator.name, inputs)
            outputs = evaluate(operator, kept, attributes)
            for node in recorder.nodes[known:]:
                _infer_types(node)
            if kept is inputs or any(
                value.shape for value in inputs if isinstance(value, ir.Value)
            ):
                return outputs
            return op.Squeeze(outputs, [0])

        return call

    entrances = {
        name: typed(getattr(recorder, name))
        for name in ("eval", "eval_op")
        if hasattr(recorder, name)
    }
    return types.SimpleNamespace(
        **{**vars(recorder), **entrances, "eval_function": recorder.eval_function}
    )


# symgen: _onnx_dtype af4adc49250d06fd
def _onnx_dtype(dtype: torch.dtype) -> ir.DataType:
    """ONNX's dtype for one of PyTorch."""
    name = str(dtype).removeprefix("torch.").upper()
    return ir.DataType[{"FLOAT32": "FLOAT", "FLOAT64": "DOUBLE"}.get(name, name)]


# symgen: _cast af96b4a07e2e2f2b
def _cast(value: Any, dtype: torch.dtype) -> ir.Value:
    """The tensor in that dtype; no node where it has it already, a constant for a number."""
    if not isinstance(value, ir.Value):
        return _constant(value, dtype)
    target = _onnx_dtype(dtype)
    return value if value.dtype == target else op.Cast(value, to=int(target))


# symgen: _as_cast_next 5a7c44c9ec601733
def _as_cast_next(output: Any, arguments: Iterable[Any]) -> Any:
    """The output in the dtype to which the exporter casts it next.

    It puts casts around an operator that eager PyTorch computes in another dtype than it gives, and takes an output of
    the model from before the cast behind, which is lost then.
    """
    cast = torch.ops.prims.convert_element_type.default
    makers = [value.producer() for value in arguments if isinstance(value, ir.Value)]
    given = [maker.meta["node"] for maker in makers if maker is not None and "node" in maker.meta]
    # A cast in front has one user, the operator; the operator's one user is the cast behind.
    operators = [list(node.users) for node in given if node.target is cast]
    behind = [list(users[0].users) for users in operators if len(users) == 1]
    for users in behind:
        if len(users) == 1 and users[0].target is cast and isinstance(output, ir.Value):
            return _cast(output, users[0].kwargs["dtype"])
    return output


# symgen: _apart 8ac62cb8509c1a6c
def _apart(results: Any, arguments: Iterable[Any]) -> Any:
    """The results, none of which is an argument or another result: the exporter gives each a name of its own."""
    taken = [
        one
        for given in arguments
        for one in (given if isinstance(given, (list, tuple)) else [given])
    ]

    def own(value: ir.Value) -> ir.Value:
        value = op.Identity(value) if any(value is other for other in taken) else value
        taken.append(value)
        return value

    if isinstance(results, (list, tuple)):
        return type(results)(map(own, results))
    return own(results)


# symgen: _holds_value 752a78c1381b1dd7
def _holds_value(argument: Any) -> bool:
    """Whether an argument is a value of the graph, or a list with one."""
    return any(
        isinstance(one, ir.Value)
        for one in (argument if isinstance(argument, (list, tuple)) else [argument])
    )


# symgen: _traced 2d982f1d98bf4dd0
def _traced(function: Callable[..., Any]) -> Callable[..., Any]:
    """Have the types of values inferred while the function is traced, and refuse numbers that only the model knows."""
    signature = inspect.signature(function)
    plain = re.compile(r"(Sequence\[)?(int|float|bool|str)\b")
    numbers = [
        name for name, one in signature.parameters.items() if plain.match(str(one.annotation))
    ]

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        for name in numbers:
            if _holds_value(bound.arguments.get(name)):
                raise NotImplementedError(f"{function.__name__}: {name} has to be known at export")
        with evaluator.default_as(_inferring(evaluator.default())):
            given = bound.arguments.values()
            return _apart(_as_cast_next(function(*bound.args, **bound.kwargs), given), given)

    return wrapper


# symgen: _cast_like a7d43a0d1d0789cb
def _cast_like(value: Any, like: ir.Value) -> ir.Value:
    """The tensor in the dtype of `like`, also where that is unknown at export."""
    return op.CastLike(value, like) if like.dtype is None else _cast(value, _dtype(like))


# symgen: _scalar de83ad8f8876d2d7
def _scalar(number: Any, like: ir.Value) -> ir.Value:
    """A constant of the dtype of `like`."""
    return _constant(number, _dtype(like))


# symgen: _class_weights 8ce9e51e4768ae7a
def _class_weights(
    scores: ir.Value, target: ir.Value, weight: ir.Value, ignore_index: int
) -> tuple[ir.Value, ...]:
    """The weight of each target's class, 1 without weights and 0 where the target is ignored; and a class for each."""
    is_ignored = op.Equal(target, ignore_index)
    places = op.Where(is_ignored, _constant(0, torch.int64), target)
    if weight is None:
        return (_cast_like(op.Not(is_ignored), scores), places)
    return (
        op.Where(is_ignored, _scalar(0, scores), op.Gather(_cast_like(weight, scores), places)),
        places,
    )


# symgen: _likelihood_loss b9cc7a45a33902b1
def _likelihood_loss(
    scores: ir.Value, target: ir.Value, weight: ir.Value, reduction: int, ignore_index: int
) -> tuple[ir.Value, ...]:
    """(−scores[target] · weight[target], by the reduction; the sum of these weights), with the classes along axis 1.

    What is reduced keeps its axes: the exporter takes 0-d float64 tensors for Python
    numbers.
    """
    weights, places = _class_weights(scores, target, weight, ignore_index)
    picked = op.Squeeze(op.GatherElements(scores, op.Unsqueeze(places, [1]), axis=1), [1])
    # What is ignored gives no nan either.
    loss = op.Where(
        op.Equal(target, ignore_index), _scalar(0, scores), op.Mul(op.Neg(picked), weights)
    )
    total = op.ReduceSum(weights, keepdims=1)
    if reduction == 0:
        return (loss, total)
    added = op.ReduceSum(loss, keepdims=1)
    return (op.Div(added, total) if reduction == 1 else added, total)


# symgen: _rank b56bd33a202af034
def _rank(value: Any) -> int:
    """The rank of a tensor; raises where it is not known."""
    if not isinstance(value, ir.Value):
        return 0
    if value.shape is None:
        raise NotImplementedError(f"the rank of {value.name} is not known at export")
    return len(value.shape)


# symgen: _static_size 2d48966345567839
def _static_size(value: ir.Value, axis: int) -> int | None:
    """The length of an axis where it is known at export, else None."""
    size = None if value.shape is None else value.shape[axis]
    return size if isinstance(size, int) else None


# symgen: _static_numel 0faccc91427e9abe
def _static_numel(value: ir.Value) -> int | None:
    """The number of elements where it is known at export, else None."""
    sizes = [_static_size(value, axis) for axis in range(_rank(value))]
    return None if None in sizes else math.prod(sizes)


# symgen: _reduced a5c44fd68686d00f
def _reduced(loss: ir.Value, reduction: int) -> ir.Value:
    """The loss of each element (0), their mean (1) or their sum (2)."""
    if reduction == 0:
        return loss
    if reduction == 2:
        return op.ReduceSum(loss, keepdims=0)
    if _static_numel(loss):
        return op.ReduceMean(loss, keepdims=0)
    # The mean of no elements is nan, but ReduceMean's may be 0. The axes stay for the choice, because the exporter
    # takes 0-d float64 tensors for Python numbers.
    mean = op.ReduceMean(loss, keepdims=1)
    mean = op.Where(op.Equal(op.Size(loss), 0), _scalar(math.nan, mean), mean)
    return op.Reshape(mean, [])


# symgen: _loss_of_chances daea228f93bd2a4c
def _loss_of_chances(scores: ir.Value, chances: ir.Value, reduction: int) -> ir.Value:
    """−Σ p · score over the classes along axis 1, by the reduction"""
    return _reduced(op.Neg(op.ReduceSum(op.Mul(scores, chances), [1], keepdims=0)), reduction)


# symgen: _as_single f3a8649d0624995c
def _as_single(x: ir.Value) -> ir.Value:
    """Whole numbers and half precision as float32."""
    return _cast(x, torch.float64 if _dtype(x) == torch.float64 else torch.float32)


# symgen: _even_loss 3faa07bdbe0d98f4
def _even_loss(
    scores: ir.Value, target: ir.Value, total: ir.Value, reduction: int, ignore_index: int
) -> ir.Value:
    """−Σ score over the classes along axis 1, by the reduction, of all targets that are not ignored"""
    is_ignored = op.Equal(target, ignore_index)
    loss = op.Where(is_ignored, _scalar(0, scores), op.Neg(op.ReduceSum(scores, [1], keepdims=0)))
    if reduction == 0:
        return loss
    added = op.ReduceSum(loss, keepdims=1)
    return op.Div(added, total) if reduction == 1 else added


# symgen: _log_softmax_along_axis f42ec971a5893ac8
def _log_softmax_along_axis(x: ir.Value, axis: int) -> ir.Value:
    """x − log Σ exp(x); the runtime's LogSoftmax of float64 passes over infinity."""
    if _dtype(x) != torch.float64:
        return op.LogSoftmax(x, axis=axis)
    shifted = op.Sub(x, op.ReduceMax(x, [axis], keepdims=1))
    return op.Sub(shifted, op.Log(op.ReduceSum(op.Exp(shifted), [axis], keepdims=1)))


# symgen: _log_softmax_of 55c9ff220b84ca36
def _log_softmax_of(x: ir.Value, dim: int) -> ir.Value:
    """x − log Σ exp(x); of a number 0"""
    if _rank(x) == 0:
        return op.Squeeze(_log_softmax_along_axis(op.Unsqueeze(x, [0]), 0), [0])
    return _log_softmax_along_axis(x, dim)


# symgen: _size 3a4e70776afc58e9
def _size(value: ir.Value, axis: int) -> ir.Value:
    """The length of an axis as an int64 tensor of shape [1], also where it is dynamic."""
    known = _static_size(value, axis)
    if known is not None:
        return _constant([known], torch.int64)
    start = axis % _rank(value)
    return op.Shape(value, start=start, end=start + 1)


# symgen: _in_shape c90c0a89be423aa8
def _in_shape(loss: ir.Value, is_alone: bool, reduction: int) -> ir.Value:
    """The loss without the axes that it does not have."""
    if reduction != 0:
        return op.Reshape(loss, _constant([], torch.int64))
    return op.Squeeze(loss, [0]) if is_alone else loss


# symgen: _with_batch dccdd870ed1dee0f
def _with_batch(x: ir.Value, is_alone: bool) -> ir.Value:
    """The tensor with a batch axis in front where it has none."""
    return op.Unsqueeze(x, [0]) if is_alone else x


# symgen: aten_cross_entropy_loss 1e8b9f7fd0162d01
@torch_op("aten::cross_entropy_loss", registry=REGISTRIES[18], trace_only=True)
@_traced
def aten_cross_entropy_loss(
    self: TTensor,
    target: TTensor,
    weight: TTensor | None = None,
    reduction: int = 1,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> TTensor:
    """cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100, float label_smoothing=0.0) -> Tensor

    −Σ p · log softmax(self) · weight over the classes, for targets that are classes or
    have a p for each
    """
    is_alone = _rank(self) == 1
    scores, targets = _with_batch(_as_single(self), is_alone), _with_batch(target, is_alone)
    scores = _log_softmax_of(scores, 1)
    weighted = scores
    if weight is not None:
        others = list(range(1, _rank(scores) - 1))
        by_class = _cast_like(weight, scores)
        weighted = op.Mul(scores, op.Unsqueeze(by_class, others) if others else by_class)
    share = op.Div(label_smoothing, _cast_like(_size(scores, 1), scores))
    if _dtype(target).is_floating_point:
        chances = op.Add(op.Mul(1.0 - label_smoothing, _cast_like(targets, scores)), share)
        loss = _loss_of_chances(weighted, chances, reduction)
    else:
        targets = _cast(targets, torch.int64)
        loss, total = _likelihood_loss(scores, targets, weight, reduction, ignore_index)
        if label_smoothing:
            even = _even_loss(weighted, targets, total, reduction, ignore_index)
            loss = op.Add(op.Mul(1.0 - label_smoothing, loss), op.Mul(share, even))
    return _cast_like(_in_shape(loss, is_alone, reduction), self)
