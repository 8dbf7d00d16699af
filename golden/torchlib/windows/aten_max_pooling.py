"""ONNX translations of PyTorch's operators for its dynamo exporter: max pooling."""

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

__all__ = ["aten_max_pool2d"]

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


# symgen: _constant 2f77b9a3bb2c4c1f
def _constant(value: Any, dtype: torch.dtype) -> ir.Value:
    """A constant of that dtype."""
    return op.Constant(value=ir.tensor(torch.tensor(value, dtype=dtype)))


# symgen: _scalar de83ad8f8876d2d7
def _scalar(number: Any, like: ir.Value) -> ir.Value:
    """A constant of the dtype of `like`."""
    return _constant(number, _dtype(like))


# symgen: _lowest_of c5f76fc34c69ad79
def _lowest_of(dtype: torch.dtype) -> float:
    """The number below all others of a dtype."""
    return -math.inf if dtype.is_floating_point else torch.iinfo(dtype).min


# symgen: _merit_in_window abc5ca6343da60f3
def _merit_in_window(
    windows: ir.Value, inside: ir.Value, is_behind: ir.Value, total: int
) -> ir.Value:
    """A rank for each place in a window, in the last axis: the highest for the element that counts as the largest.

    Of a window that holds no element it is the first place which isn't in the padding
    in front of an axis.
    """
    first = _constant([float(total - place) for place in range(total)], torch.float32)
    least = op.Where(is_behind, op.Div(first, total + 1.0), _constant(0.0, torch.float32))
    lowest = _scalar(_lowest_of(_dtype(windows)), windows)
    if not _dtype(windows).is_floating_point:
        largest = op.ReduceMax(op.Where(inside, windows, lowest), [3], keepdims=1)
        return op.Where(op.And(inside, op.Equal(windows, largest)), first, least)
    is_nan = op.IsNaN(windows)
    known = op.Where(op.And(inside, op.Not(is_nan)), windows, lowest)
    is_largest = op.And(inside, op.Equal(known, op.ReduceMax(known, [3], keepdims=1)))
    # Of equal elements the first counts, of several nan the last.
    last = _constant([float(total + place + 1) for place in range(total)], torch.float32)
    return op.Where(op.And(inside, is_nan), last, op.Where(is_largest, first, least))


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


# symgen: _size 3a4e70776afc58e9
def _size(value: ir.Value, axis: int) -> ir.Value:
    """The length of an axis as an int64 tensor of shape [1], also where it is dynamic."""
    known = _static_size(value, axis)
    if known is not None:
        return _constant([known], torch.int64)
    start = axis % _rank(value)
    return op.Shape(value, start=start, end=start + 1)


# symgen: _window_places 6c295de33a6c7fbc
def _window_places(
    x: ir.Value, axis: int, kernel: int, stride: int, padding: int, dilation: int, behind: ir.Value
) -> tuple[ir.Value, ...]:
    """(Where the elements of each window stand along an axis, in the shape [windows, kernel]; the count of windows)."""
    reach = dilation * (kernel - 1) + 1
    count = op.Add(op.Div(op.Add(op.Add(_size(x, axis), behind), 2 * padding - reach), stride), 1)
    starts = op.Sub(op.Mul(op.Range(0, op.Squeeze(count, [0]), 1), stride), padding)
    return (
        op.Add(
            op.Unsqueeze(starts, [1]),
            _constant([place * dilation for place in range(kernel)], torch.int64),
        ),
        count,
    )


# symgen: _with_shape 2593ee09b35f5130
def _with_shape(x: ir.Value, shape: ir.Value, rank: int) -> ir.Value:
    """The tensor in a shape of that rank, which is counted out; a 0 in it is a length."""
    return op.Reshape(x, shape, allowzero=1)


# symgen: _largest_elements db7576bf287b1550
def _largest_elements(
    x: ir.Value,
    kernel: list[int],
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    behind: ir.Value,
    lowest: float,
) -> tuple[ir.Value, ...]:
    """(The largest element of each window, its place in the line, plane or volume of the last axes).

    `behind` is how many places behind the padding the last windows reach.
    """
    axes = len(kernel)
    places, counts = _constant([0], torch.int64), []
    inside, is_behind = _constant(True, torch.bool), _constant(True, torch.bool)
    for k in range(axes):
        more = op.Slice(behind, [k], [k + 1])
        along, count = _window_places(x, k + 2, kernel[k], stride[k], padding[k], dilation[k], more)
        counts.append(count)
        along = op.Unsqueeze(along, [axis for axis in range(2 * axes) if axis not in (k, axes + k)])
        length = _size(x, k + 2)
        is_behind = op.And(is_behind, op.Not(op.Less(along, 0)))
        inside = op.And(inside, op.Less(along, length))
        places = op.Add(op.Mul(places, length), along)
    total = math.prod(kernel)
    places, inside, is_behind = [
        op.Reshape(each, [-1, total]) for each in (places, op.And(inside, is_behind), is_behind)
    ]
    batch, plane = op.Slice(op.Shape(x), [0], [2]), op.Slice(op.Shape(x), [2], [2 + axes])
    flat = _with_shape(x, op.Concat(batch, op.ReduceProd(plane, [0], keepdims=1), axis=0), 3)
    windows = op.Gather(flat, op.Where(inside, places, _constant(0, torch.int64)), axis=2)
    place = op.ArgMax(_merit_in_window(windows, inside, is_behind, total), axis=3, keepdims=1)
    elements = op.Where(inside, windows, _scalar(lowest, x))
    shape = op.Concat(batch, *counts, axis=0)
    values, standing = [
        _with_shape(op.Squeeze(op.GatherElements(each, place, axis=3), [3]), shape, 2 + axes)
        for each in (elements, op.Expand(places, op.Shape(windows)))
    ]
    return (values, standing)


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


# symgen: _cast_like a7d43a0d1d0789cb
def _cast_like(value: Any, like: ir.Value) -> ir.Value:
    """The tensor in the dtype of `like`, also where that is unknown at export."""
    return op.CastLike(value, like) if like.dtype is None else _cast(value, _dtype(like))


# symgen: _listed 27f0a69998dca3bd
def _listed(outputs: Any) -> list[ir.Value]:
    """The outputs of a node as a list, also where it has one."""
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]


# symgen: _largest_numbers 8f87ad9038ce9fb8
def _largest_numbers(
    x: ir.Value, kernel: list[int], stride: list[int], pads: list[int], dilation: list[int]
) -> ir.Value:
    """The largest number of each window, of a floating point tensor."""
    # ONNX Runtime passes over a nan, and takes a window without a finite number for one of the lowest.
    is_nan = op.IsNaN(x)
    lowest, one = _scalar(-math.inf, x), _scalar(1.0, x)
    rank = op.Add(op.Mul(_cast_like(is_nan, x), 2.0), _cast_like(op.Greater(x, lowest), x))
    numbers = op.Where(is_nan, lowest, x)
    largest, highest = [
        _listed(
            op.MaxPool(each, kernel_shape=kernel, strides=stride, pads=pads, dilations=dilation)
        )[0]
        for each in (numbers, rank)
    ]
    found = op.Where(op.Less(highest, one), lowest, largest)
    return op.Where(op.Greater(highest, one), _scalar(math.nan, x), found)


# symgen: _comparable 2a09006afc745277
def _comparable(x: ir.Value) -> ir.Value:
    """The tensor in a dtype that every operator compares."""
    return (
        _cast(x, torch.int32)
        if _dtype(x) in (torch.bool, torch.uint8, torch.int8, torch.int16)
        else x
    )


# symgen: _room_behind 82b0103fa6008f27
def _room_behind(x: ir.Value, kernel: list[int], stride: list[int], padding: list[int]) -> ir.Value:
    """How many places behind the padding the last windows reach, for each of the last axes, as int64.

    The last window must start inside the tensor or its padding in front, so that there
    may be none of them.
    """
    rank = _rank(x)
    sizes = op.Slice(op.Shape(x), [rank - len(kernel)], [rank])
    strides = _constant(stride, torch.int64)
    padded = op.Add(sizes, _constant([2 * amount for amount in padding], torch.int64))
    room = op.Sub(padded, _constant(kernel, torch.int64))
    # ⌈room / stride⌉ windows follow the first; the last is dropped where it starts in the padding behind.
    following = op.Div(op.Sub(op.Add(room, strides), 1), strides)
    starts_behind = op.Not(
        op.Less(op.Mul(following, strides), op.Add(sizes, _constant(padding, torch.int64)))
    )
    following = op.Sub(following, _cast(starts_behind, torch.int64))
    missing = op.Sub(op.Mul(following, strides), room)
    return op.Max(missing, _constant([0], torch.int64))


# symgen: _for_each_axis 3520a04425563a63
def _for_each_axis(values: list[int], axes: int) -> list[int]:
    """One number for every axis, from one for all or from one for each."""
    return [values[0]] * axes if len(values) == 1 else list(values)


# symgen: _max_pool cbe6a3395619530d
def _max_pool(
    x: ir.Value,
    kernel_size: list[int],
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    ceil_mode: bool,
    axes: int,
    with_indices: bool,
) -> ir.Value:
    """The largest element of each window along the last axes, and its place if asked for; with or without a batch."""
    kernel = _for_each_axis(kernel_size, axes)
    steps = _for_each_axis(stride, axes) if stride else kernel
    pads, apart = _for_each_axis(padding, axes), _for_each_axis(dilation, axes)
    is_batched = _rank(x) == axes + 2
    batched = x if is_batched else op.Unsqueeze(x, [0])
    is_half = _dtype(x) in (torch.float16, torch.bfloat16)
    batched = _cast(batched, torch.float32) if is_half else _comparable(batched)
    reach = [step * (length - 1) + 1 for step, length in zip(apart, kernel, strict=True)]
    behind = (
        _room_behind(batched, reach, steps, pads)
        if ceil_mode
        else _constant([0] * axes, torch.int64)
    )
    if with_indices or not _dtype(x).is_floating_point:
        results = _largest_elements(
            batched, kernel, steps, pads, apart, behind, _lowest_of(_dtype(x))
        )
    elif ceil_mode:
        beyond = op.Concat(
            _constant([0, 0, *pads, 0, 0], torch.int64),
            op.Add(behind, _constant(pads, torch.int64)),
            axis=0,
        )
        padded = op.Pad(batched, beyond, _scalar(-math.inf, batched))
        results = [_largest_numbers(padded, kernel, steps, [0] * (2 * axes), apart)]
    else:
        results = [_largest_numbers(batched, kernel, steps, pads + pads, apart)]
    if not is_batched:
        results = [op.Squeeze(each, [0]) for each in results]
    values = _cast_like(results[0], x)
    return (values, results[1]) if with_indices else values


# symgen: _before_cast 42d0b768c8726f4e
def _before_cast(value: Any) -> Any:
    """What a value was cast from; the value itself where it is of no cast."""
    maker = value.producer() if isinstance(value, ir.Value) else None
    return value if maker is None or maker.op_type != "Cast" else maker.inputs[0]


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


# symgen: aten_max_pool2d 4dcb5ae75e35b05c
@torch_op("aten::max_pool2d", registry=REGISTRIES[18], trace_only=True)
@_traced
def aten_max_pool2d(
    self: TTensor,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0, 0),
    dilation: Sequence[int] = (1, 1),
    ceil_mode: bool = False,
) -> TTensor:
    """max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor

    The largest element of each window
    """
    return _max_pool(self, kernel_size, stride, padding, dilation, ceil_mode, 2, False)
