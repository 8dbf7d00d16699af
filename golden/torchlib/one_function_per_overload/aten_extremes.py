"""ONNX translations of PyTorch's operators for its dynamo exporter: extremes."""

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
from onnxscript import INT64, evaluator, ir
from onnxscript.function_libs.torch_lib.registration import Registry, torch_op
from onnxscript.function_libs.torch_lib.tensor_typing import TTensor
from onnxscript.onnx_opset import opset18 as op
from torch import _prims_common

__all__ = ["aten_max", "aten_max_dim", "aten_max_other"]

REGISTRIES: dict[int, Registry] = collections.defaultdict(Registry)
"""The translations, by the opset from which on they are valid."""


# symgen: _constant 2f77b9a3bb2c4c1f
def _constant(value: Any, dtype: torch.dtype) -> ir.Value:
    """A constant of that dtype."""
    return op.Constant(value=ir.tensor(torch.tensor(value, dtype=dtype)))


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


# symgen: _rank b56bd33a202af034
def _rank(value: Any) -> int:
    """The rank of a tensor; raises where it is not known."""
    if not isinstance(value, ir.Value):
        return 0
    if value.shape is None:
        raise NotImplementedError(f"the rank of {value.name} is not known at export")
    return len(value.shape)


# symgen: _chosen e1a34e870839029b
def _chosen(condition: ir.Value, a: ir.Value, b: ir.Value) -> ir.Value:
    """The elements of one tensor where a condition holds, else of another one of the same dtype."""
    dtype = _dtype(a)
    is_number = max(_rank(condition), _rank(a), _rank(b)) == 0
    if is_number:
        # The exporter takes 0-d float64 tensors for Python numbers and would make them float32.
        condition, a, b = [op.Unsqueeze(value, [0]) for value in (condition, a, b)]
    if dtype in (torch.bool, torch.int16):
        found = _cast(op.Where(condition, _cast(a, torch.int32), _cast(b, torch.int32)), dtype)
    elif dtype == torch.bfloat16:
        # Where takes it since opset 16 only.
        found = _cast(op.Where(condition, _cast(a, torch.float32), _cast(b, torch.float32)), dtype)
    else:
        found = op.Where(condition, a, b)
    return op.Squeeze(found, [0]) if is_number else found


# symgen: _cast_like a7d43a0d1d0789cb
def _cast_like(value: Any, like: ir.Value) -> ir.Value:
    """The tensor in the dtype of `like`, also where that is unknown at export."""
    return op.CastLike(value, like) if like.dtype is None else _cast(value, _dtype(like))


# symgen: _comparable 2a09006afc745277
def _comparable(x: ir.Value) -> ir.Value:
    """The tensor in a dtype that every operator compares."""
    return (
        _cast(x, torch.int32)
        if _dtype(x) in (torch.bool, torch.uint8, torch.int8, torch.int16)
        else x
    )


# symgen: _any_over 69231de793df0c6d
def _any_over(mask: ir.Value, axes: list[int], keepdim: bool) -> ir.Value:
    """Whether any element over some axes is true."""
    if not axes:
        return op.Identity(mask)
    return op.Greater(op.ReduceSum(_cast(mask, torch.int32), axes, keepdims=int(keepdim)), 0)


# symgen: _extreme_over e95dbfd4f6ce9666
def _extreme_over(self: ir.Value, axes: list[int], keepdim: bool, sign: int) -> ir.Value:
    """The largest (1) or smallest (-1) element over some axes."""
    if not axes:
        return op.Identity(self)
    x = _comparable(self)
    found = (
        op.ReduceMax(x, axes, keepdims=int(keepdim))
        if sign > 0
        else op.ReduceMin(x, axes, keepdims=int(keepdim))
    )
    if _dtype(x).is_floating_point:
        # ONNX Runtime passes over a nan at times.
        has_nan = _any_over(op.IsNaN(x), axes, keepdim)
        found = _chosen(has_nan, _constant(math.nan, _dtype(x)), found)
    return _cast_like(found, self)


# symgen: _stand_in 0efaa51b700be312
def _stand_in(value: Any) -> Any:
    """What counts for promotion: a number as it is, for a tensor one without data of the same dtype and rank."""
    if not isinstance(value, ir.Value):
        return value
    rank = 1 if value.shape is None else len(value.shape)
    return torch.empty((1,) * rank, dtype=_dtype(value), device="meta")


# symgen: _common_dtype c841f15cfb40aea7
def _common_dtype(values: Sequence[Any], kind: str) -> torch.dtype:
    """The dtype to which eager PyTorch casts the arguments."""
    tensors = [
        tensor
        for value in values
        for tensor in (value if isinstance(value, (list, tuple)) else [value])
    ]
    if kind == "BY_DTYPE":
        return functools.reduce(torch.promote_types, [_dtype(tensor) for tensor in tensors])
    stand_ins = [_stand_in(tensor) for tensor in tensors if tensor is not None]
    rule = kind if kind in ("INT_TO_FLOAT", "BOOL_TO_LONG") else "DEFAULT"
    kinds = _prims_common.ELEMENTWISE_TYPE_PROMOTION_KIND
    return _prims_common.elementwise_dtypes(*stand_ins, type_promotion_kind=kinds[rule])[1]


# symgen: _extreme_of_two b28485a49b29a062
def _extreme_of_two(first: ir.Value, second: ir.Value, sign: int) -> ir.Value:
    """The larger (1) or smaller (-1) of two tensors element by element."""
    dtype = _common_dtype([first, second], "DEFAULT")
    is_number = _rank(first) == 0 and _rank(second) == 0
    a, b = _comparable(_cast(first, dtype)), _comparable(_cast(second, dtype))
    if is_number:
        a, b = op.Unsqueeze(a, [0]), op.Unsqueeze(b, [0])
    found = _cast(op.Max(a, b) if sign > 0 else op.Min(a, b), dtype)
    return op.Squeeze(found, [0]) if is_number else found


# symgen: _extremes 07ee309712d4016c
def _extremes(x: ir.Value, count: ir.Value, axis: int, largest: bool) -> tuple[ir.Value, ...]:
    """The largest or smallest elements along an axis in order, and where they stood; `count` has the shape [1]."""
    # TopK takes neither bool nor bfloat16.
    wider = {torch.bool: torch.uint8, torch.bfloat16: torch.float32}.get(_dtype(x), _dtype(x))
    comparable = _cast(x, wider)
    values, places = op.TopK(comparable, count, axis=axis, largest=int(largest), sorted=1)
    return (_cast(values, _dtype(x)), places)


# symgen: _first_extreme be49153e2cd87c5e
def _first_extreme(self: ir.Value, axis: int, keepdim: bool, sign: int) -> ir.Value:
    """The largest (1) or smallest (-1) element along an axis, and the first place where it stands."""
    x = _comparable(self)
    turns = sign < 0 and _dtype(x).is_floating_point
    # TopK takes nan for the largest.
    values, places = _extremes(
        op.Neg(x) if turns else x, _constant([1], torch.int64), axis, sign > 0 or turns
    )
    values = _cast_like(op.Neg(values) if turns else values, self)
    return (values, places) if keepdim else (op.Squeeze(values, [axis]), op.Squeeze(places, [axis]))


# symgen: _axes_of 173670c8690c9579
def _axes_of(x: ir.Value, dim: list[int] | int | None) -> list[int]:
    """The axes that are meant, all of them where none is named; a number has none."""
    rank = _rank(x)
    named = [dim] if isinstance(dim, int) else dim
    return [axis % rank for axis in named] if named and rank else list(range(rank))


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


# symgen: _aten_max d75b459fb284e317
def _aten_max(self: TTensor, *args: Any) -> Any:
    """The largest element; along an axis, and where it stands; or the larger of two tensors, element by element."""
    if len(args) == 1:
        return _extreme_of_two(self, args[0], 1)
    if not args:
        return _extreme_over(self, _axes_of(self, None), False, 1)
    if _rank(self) == 0:
        return (op.Identity(self), _constant(0, torch.int64))
    return _first_extreme(self, _known(args[0]) % _rank(self), bool(_known(args[1])), 1)


# symgen: _before_cast 42d0b768c8726f4e
def _before_cast(value: Any) -> Any:
    """What a value was cast from; the value itself where it is of no cast."""
    maker = value.producer() if isinstance(value, ir.Value) else None
    return value if maker is None or maker.op_type != "Cast" else maker.inputs[0]


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


# symgen: aten_max 6f8bee2de2f88f02
@torch_op("aten::max", registry=REGISTRIES[18], trace_only=True)
@_traced
def aten_max(self: TTensor) -> TTensor:
    """max(Tensor self) -> Tensor"""
    return _aten_max(self)


# symgen: aten_max_dim 41bc2ad603d493c7
@torch_op("aten::max.dim", registry=REGISTRIES[18], trace_only=True)
@_traced
def aten_max_dim(self: TTensor, dim: int, keepdim: bool = False) -> tuple[TTensor, INT64]:
    """max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)"""
    return _aten_max(self, dim, keepdim)


# symgen: aten_max_other ea1e50f16f33dc72
@torch_op("aten::max.other", registry=REGISTRIES[18], trace_only=True)
@_traced
def aten_max_other(self: TTensor, other: TTensor) -> TTensor:
    """max.other(Tensor self, Tensor other) -> Tensor"""
    return _aten_max(self, other)
