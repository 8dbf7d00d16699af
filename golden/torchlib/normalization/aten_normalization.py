"""ONNX translations of PyTorch's operators for its dynamo exporter: normalization."""

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
from onnxscript.function_libs.torch_lib.tensor_typing import TFloat, TTensor
from onnxscript.onnx_opset import opset18 as op
from torch import _prims_common

__all__ = ["aten_layer_norm", "aten_native_layer_norm"]

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


# symgen: _as_float e433046a2312e95f
def _as_float(value: Any) -> Any:
    """A tensor of whole numbers or bools in float32; any other as it is."""
    return (
        value if value is None or _dtype(value).is_floating_point else _cast(value, torch.float32)
    )


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


# symgen: _cast_all 494e58db148e230e
def _cast_all(value: Any, dtype: torch.dtype) -> Any:
    """Cast a tensor, or each tensor of a list; an absent one stays absent."""
    if isinstance(value, (list, tuple)):
        return [_cast_all(element, dtype) for element in value]
    return value if value is None else _cast(value, dtype)


# symgen: _cast_back 42eaa0fdfb69070d
def _cast_back(output: Any, compute: torch.dtype, result: torch.dtype) -> Any:
    """Cast what was computed to the dtype of the result; an output of another dtype (indices, a mask) stays."""
    if isinstance(output, (list, tuple)):
        return [_cast_back(element, compute, result) for element in output]
    if output.dtype is None or output.dtype == _onnx_dtype(compute):
        return _cast(output, result)
    return output


# symgen: _promoted 60c7a418cccf682e
def _promoted(
    *names: str,
    kind: str = "DEFAULT",
    widen: bool = True,
    precise: bool = False,
    as_float: Sequence[str] = (),
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Cast the named arguments to their common dtype, as eager PyTorch promotes them, and the results back.

    With `widen`, half precision is computed in float32, with `precise` all floating point in float64. Integers that
    ONNX operators do not take, and bool, are computed in int32. Whole numbers in `as_float` count as float32.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            cast = bound.arguments
            cast.update({name: _as_float(cast[name]) for name in as_float})
            values = [cast[name] for name in names]
            compute, result = _result_dtypes(values, kind, widen, precise)
            common = compute if kind == "DOUBLE" else _common_dtype(values, kind)
            cast.update({name: _cast_all(_cast_all(cast[name], common), compute) for name in names})
            outputs = function(*bound.args, **bound.kwargs)
            if isinstance(outputs, (list, tuple)):
                return type(outputs)(_cast_back(output, compute, result) for output in outputs)
            return _cast_back(outputs, compute, result)

        return _traced(wrapper)

    return decorate


# symgen: _as_single f3a8649d0624995c
def _as_single(x: ir.Value) -> ir.Value:
    """Whole numbers and half precision as float32."""
    return _cast(x, torch.float64 if _dtype(x) == torch.float64 else torch.float32)


# symgen: _cast_like a7d43a0d1d0789cb
def _cast_like(value: Any, like: ir.Value) -> ir.Value:
    """The tensor in the dtype of `like`, also where that is unknown at export."""
    return op.CastLike(value, like) if like.dtype is None else _cast(value, _dtype(like))


# symgen: _rank b56bd33a202af034
def _rank(value: Any) -> int:
    """The rank of a tensor; raises where it is not known."""
    if not isinstance(value, ir.Value):
        return 0
    if value.shape is None:
        raise NotImplementedError(f"the rank of {value.name} is not known at export")
    return len(value.shape)


# symgen: _standardized a3592e46d5a0642b
def _standardized(x: ir.Value, axes: list[int], eps: float) -> tuple[ir.Value, ...]:
    """((x − mean) / sqrt(variance + eps), mean, 1 / sqrt(variance + eps)) over some axes, which stay with length 1."""
    mean = op.ReduceMean(x, axes, keepdims=1)
    centered = op.Sub(x, mean)
    variance = op.ReduceMean(op.Mul(centered, centered), axes, keepdims=1)
    inverse = op.Reciprocal(op.Sqrt(op.Add(variance, eps)))
    return (op.Mul(centered, inverse), mean, inverse)


# symgen: _standardized_layers 1359abe5ed20e277
def _standardized_layers(x: ir.Value, normalized_shape: list[int], eps: float) -> ir.Value:
    """(The tensor standardized over its last axes, the means, the reciprocal deviations)."""
    rank = _rank(x)
    return _standardized(x, list(range(rank - len(normalized_shape), rank)), eps)


# symgen: _scaled_by_place 994a2fc45d455b3a
def _scaled_by_place(x: ir.Value, weight: ir.Value, bias: ir.Value) -> ir.Value:
    """x · weight + bias, which have the last axes of x; either may be absent."""
    if weight is not None:
        x = op.Mul(x, weight)
    if bias is not None:
        x = op.Add(x, bias)
    return x


# symgen: aten_layer_norm 082783c52b70989c
@torch_op("aten::layer_norm", registry=REGISTRIES[18], trace_only=True)
@_promoted("input", "weight", "bias", kind="LIKE_FIRST")
def aten_layer_norm(
    input: TFloat,
    normalized_shape: Sequence[int],
    weight: TTensor | None = None,
    bias: TTensor | None = None,
    eps: float = 1e-05,
    cudnn_enable: bool = True,
) -> TFloat:
    """layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enable=True) -> Tensor

    The input normalized over its last axes
    """
    normalized, _, _ = _standardized_layers(input, normalized_shape, eps)
    return _scaled_by_place(normalized, weight, bias)


# symgen: aten_native_layer_norm c326d7269bcb1a06
@torch_op("aten::native_layer_norm", registry=REGISTRIES[18], trace_only=True)
@_traced
def aten_native_layer_norm(
    input: TTensor,
    normalized_shape: Sequence[int],
    weight: TTensor | None,
    bias: TTensor | None,
    eps: float,
) -> tuple[TTensor, TTensor, TTensor]:
    """native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)

    The input normalized over its last axes, the means, and the reciprocal deviations
    """
    # The statistics have the dtype of the weights, which may be wider than that of the input.
    dtype = _common_dtype([*[x for x in (input, weight, bias) if x is not None]], "DEFAULT")
    normalized, mean, inverse = _standardized_layers(_as_single(input), normalized_shape, eps)
    if 0 in normalized_shape:
        # The runtime has 0 for the mean of nothing, and torch nan for its variance.
        inverse = op.Mul(inverse, math.nan)
    weight = None if weight is None else _cast_like(weight, normalized)
    bias = None if bias is None else _cast_like(bias, normalized)
    scaled = _scaled_by_place(normalized, weight, bias)
    return (_cast_like(scaled, input), _cast(mean, dtype), _cast(inverse, dtype))
