"""ONNX translations of PyTorch's operators for its dynamo exporter: convolution."""

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

__all__ = ["aten_conv2d", "aten_conv2d_padding", "aten_convolution"]

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


# symgen: _as_single f3a8649d0624995c
def _as_single(x: ir.Value) -> ir.Value:
    """Whole numbers and half precision as float32."""
    return _cast(x, torch.float64 if _dtype(x) == torch.float64 else torch.float32)


# symgen: _convolvable 295f4c162c1e8bbf
def _convolvable(input: ir.Value) -> ir.Value:
    """The input in a dtype that the runtime convolves; raises for whole numbers."""
    if not _dtype(input).is_floating_point:
        raise NotImplementedError(
            "conv: ONNX convolves floating point only, input has whole numbers"
        )
    return _as_single(input)


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


# symgen: _convolved 74aad41d5a360d8b
def _convolved(
    input: ir.Value,
    weight: ir.Value,
    bias: ir.Value,
    stride: list[int],
    pads: list[int],
    dilation: list[int],
    groups: int,
) -> ir.Value:
    """The convolution of a tensor with or without a batch axis."""
    has_batch = _rank(input) == _rank(weight)
    x = _convolvable(input if has_batch else op.Unsqueeze(input, [0]))
    w = _cast_like(weight, x)
    if bias is None:
        y = op.Conv(x, w, pads=pads, strides=stride, dilations=dilation, group=groups)
    else:
        y = op.Conv(
            x, w, _cast_like(bias, x), pads=pads, strides=stride, dilations=dilation, group=groups
        )
    return _cast_like(y if has_batch else op.Squeeze(y, [0]), input)


# symgen: _static_size 2d48966345567839
def _static_size(value: ir.Value, axis: int) -> int | None:
    """The length of an axis where it is known at export, else None."""
    size = None if value.shape is None else value.shape[axis]
    return size if isinstance(size, int) else None


# symgen: _pads_for_same 824bd08bc8a21ab2
def _pads_for_same(weight: ir.Value, dilation: list[int]) -> list[int]:
    """Pads that keep the size at stride 1: dilation · (kernel − 1) along each axis, the odd one behind."""
    totals = []
    for axis in range(_rank(weight) - 2):
        kernel = _static_size(weight, axis + 2)
        if kernel is None:
            raise NotImplementedError(
                "padding by name: the size of the kernel is not known at export"
            )
        totals.append(dilation[axis if len(dilation) > 1 else 0] * (kernel - 1))
    return [total // 2 for total in totals] + [total - total // 2 for total in totals]


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


# symgen: _on_each_axis 72bc950e82af0fa3
def _on_each_axis(value: ir.Value, axes: int) -> list[int]:
    """One number for every axis, from one for all or from one for each."""
    numbers = _known(value)
    if numbers is None:
        raise NotImplementedError(
            "conv: stride, padding, dilation and groups have to be known at export"
        )
    listed = [numbers] if isinstance(numbers, int) else numbers
    return listed * axes if len(listed) == 1 else listed


# symgen: _aten_conv2d abb532901c49dcf6
def _aten_conv2d(input: TTensor, *args: Any) -> Any:
    """The input, convolved with weights (out, in, kernel) along its last axes; padding is also given by name."""
    weight, bias = args[0], args[1]
    axes = _rank(weight) - 2
    strides, dilations = _on_each_axis(args[2], axes), _on_each_axis(args[4], axes)
    if _known(args[3]) == "same":
        pads = _pads_for_same(weight, dilations)
    elif _known(args[3]) == "valid":
        pads = [0] * (2 * axes)
    else:
        pads = 2 * _on_each_axis(args[3], axes)
    return _convolved(input, weight, bias, strides, pads, dilations, _known(args[5]))


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


# symgen: _aten_convolution 32d82bbf07f064e4
def _aten_convolution(input: TTensor, *args: Any) -> Any:
    """The input, convolved with weights (out, in, kernel), or spread by weights (in, out, kernel)"""
    weight, bias = args[0], args[1]
    axes = _rank(weight) - 2
    strides, pads = _on_each_axis(args[2], axes), 2 * _on_each_axis(args[3], axes)
    dilations, groups = _on_each_axis(args[4], axes), _known(args[7])
    if not _known(args[5]):
        return _convolved(input, weight, bias, strides, pads, dilations, groups)
    x = _convolvable(input)
    w = _cast_like(weight, x)
    further = _on_each_axis(args[6], axes)
    y = op.ConvTranspose(
        x, w, pads=pads, strides=strides, dilations=dilations, output_padding=further, group=groups
    )
    if bias is not None:
        y = op.Add(y, op.Unsqueeze(_cast_like(bias, x), list(range(1, axes + 1))))
    return _cast_like(y, input)


# symgen: aten_conv2d 01bef67a916a5ee1
@torch_op("aten::conv2d", registry=REGISTRIES[18], trace_only=True)
@_traced
def aten_conv2d(
    input: TTensor,
    weight: TTensor,
    bias: TTensor | None = None,
    stride: Sequence[int] = (1, 1),
    padding: Sequence[int] = (0, 0),
    dilation: Sequence[int] = (1, 1),
    groups: int = 1,
) -> TTensor:
    """conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0, SymInt[2] dilation=1, SymInt groups=1) -> Tensor"""
    return _aten_conv2d(input, weight, bias, stride, padding, dilation, groups)


# symgen: aten_conv2d_padding cc00b5fb33bd03eb
@torch_op("aten::conv2d.padding", registry=REGISTRIES[18], trace_only=True)
@_traced
def aten_conv2d_padding(
    input: TTensor,
    weight: TTensor,
    bias: TTensor | None = None,
    stride: Sequence[int] = (1, 1),
    padding: str = "valid",
    dilation: Sequence[int] = (1, 1),
    groups: int = 1,
) -> TTensor:
    """conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, str padding="valid", SymInt[2] dilation=1, SymInt groups=1) -> Tensor"""
    return _aten_conv2d(input, weight, bias, stride, padding, dilation, groups)


# symgen: aten_convolution e291f1c0dd14d442
@torch_op("aten::convolution", registry=REGISTRIES[18], trace_only=True)
@_traced
def aten_convolution(
    input: TTensor,
    weight: TTensor,
    bias: TTensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> TTensor:
    """convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups) -> Tensor"""
    return _aten_convolution(
        input, weight, bias, stride, padding, dilation, transposed, output_padding, groups
    )
