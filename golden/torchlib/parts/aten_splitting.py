"""ONNX translations of PyTorch's operators for its dynamo exporter: splitting."""

from __future__ import annotations

import collections
import functools
import inspect
import itertools
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

__all__ = ["aten_split", "aten_unsafe_split_with_sizes"]

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


# symgen: _ints ebc0224c58db422b
def _ints(values: Any) -> ir.Value:
    """Integers, of which some may be graph values, as one int64 tensor of shape [n]."""
    if isinstance(values, ir.Value):
        return _cast(op.Reshape(values, [-1]), torch.int64)
    if not _holds_value(values):
        return _constant(
            list(values) if isinstance(values, (list, tuple)) else [values], torch.int64
        )
    runs = itertools.groupby(values, key=lambda value: isinstance(value, ir.Value))
    parts = [part for is_value, run in runs for part in (run if is_value else [list(run)])]
    return op.Concat(*[_ints(part) for part in parts], axis=0)


# symgen: _node d72f0ba27f6cae05
def _node(
    name: str, inputs: Sequence[ir.Value | None], outputs: int, **attributes: Any
) -> list[ir.Value]:
    """A node with as many outputs as are asked for; its inputs are values."""
    recorder = evaluator.default()
    given = ir.convenience.convert_attributes(attributes)
    node = ir.Node("", name, inputs, given, num_outputs=outputs, version=recorder.opset.version)
    recorder.nodes.append(node)
    if not any(isinstance(value, ir.Graph) for value in attributes.values()):
        _infer_types(node)
    return list(node.outputs)


# symgen: _split 9e92b53306b2eede
def _split(value: ir.Value, sizes: Any = None, *, outputs: int, **attributes: Any) -> Any:
    """A Split into so many parts; one alone is no list."""
    parts = _node("Split", [value, None if sizes is None else _ints(sizes)], outputs, **attributes)
    return parts[0] if outputs == 1 else parts


# symgen: _listed 27f0a69998dca3bd
def _listed(outputs: Any) -> list[ir.Value]:
    """The outputs of a node as a list, also where it has one."""
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]


# symgen: _in_parts 257542dad374db10
def _in_parts(x: ir.Value, sizes: list[int], axis: int) -> list[ir.Value]:
    """The parts of those sizes."""
    if len(sizes) == 1:
        return [x]
    return _listed(_split(x, sizes, axis=axis, outputs=len(sizes)))


# symgen: _static_size 2d48966345567839
def _static_size(value: ir.Value, axis: int) -> int | None:
    """The length of an axis where it is known at export, else None."""
    size = None if value.shape is None else value.shape[axis]
    return size if isinstance(size, int) else None


# symgen: _in_parts_of d1ba348ed80a5efc
def _in_parts_of(x: ir.Value, size: int, axis: int) -> list[ir.Value]:
    """Parts of one size, the last one what is left, of an axis whose length is known."""
    length = _static_size(x, axis)
    whole = length // size if size else 0
    rest = length - whole * size
    return _in_parts(x, [size] * whole + [rest] * (rest > 0 or not whole), axis)


# symgen: _in_sizes 26851ae1ce2a041b
def _in_sizes(x: ir.Value, sizes: ir.Value, axis: int) -> list[ir.Value]:
    """The parts of those sizes, also where only the run of the model knows them."""
    known = _known(sizes)
    if known is not None:
        return _in_parts(x, known, axis)
    return _listed(_split(x, _ints(sizes), axis=axis, outputs=len(list(sizes))))


# symgen: _rank b56bd33a202af034
def _rank(value: Any) -> int:
    """The rank of a tensor; raises where it is not known."""
    if not isinstance(value, ir.Value):
        return 0
    if value.shape is None:
        raise NotImplementedError(f"the rank of {value.name} is not known at export")
    return len(value.shape)


# symgen: _size 3a4e70776afc58e9
def _size(value: ir.Value, axis: int) -> ir.Value:
    """The length of an axis as an int64 tensor of shape [1], also where it is dynamic."""
    known = _static_size(value, axis)
    if known is not None:
        return _constant([known], torch.int64)
    start = axis % _rank(value)
    return op.Shape(value, start=start, end=start + 1)


# symgen: _as_sequence 719d773be3355a71
def _as_sequence(x: ir.Value, size: ir.Value, axis: int) -> ir.Value:
    """Parts of one size, the last one what is left, as an ONNX sequence: only the run of the model knows how many."""
    if _dtype(x) == torch.bfloat16:
        raise NotImplementedError(
            "ONNX has no sequences of bfloat16: the length and the size of its parts have to be known at export"
        )
    length = _size(x, axis)
    # Of nothing there is one part, which is empty; the runtime would make none.
    starts = op.Range(0, op.Squeeze(op.Max(length, _constant([1], torch.int64)), [0]), size)
    return op.SplitToSequence(x, op.Min(op.Sub(length, starts), size), axis=axis)


# symgen: _list 96d196645f8743c7
def _list(values: Sequence[ir.Value]) -> list[ir.Value]:
    """A list of tensors: the exporter takes it as it is."""
    return list(values)


# symgen: aten_split 46fee19f878c23d3
@torch_op(("aten::split.Tensor", "aten::split.sizes"), registry=REGISTRIES[18], trace_only=True)
@_traced
def aten_split(
    self: TTensor, split_size: INT64 | Sequence[INT64], dim: int = 0
) -> Sequence[TTensor]:
    """split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]
    split.sizes(Tensor(a -> *) self, SymInt[] split_size, int dim=0) -> Tensor(a)[]

    Parts of one size, the last one what is left, or parts of the sizes in a list.
    """
    axis = dim % _rank(self)
    size = _known(split_size)
    if isinstance(size, list):
        parts = _in_parts(self, size, axis)
    elif size is not None and _static_size(self, axis) is not None:
        parts = _in_parts_of(self, size, axis)
    else:
        return _as_sequence(self, split_size, axis)
    return _list(parts)


# symgen: aten_unsafe_split_with_sizes 9fd3c88ab774ffc3
@torch_op("aten::unsafe_split_with_sizes", registry=REGISTRIES[18], trace_only=True)
@_traced
def aten_unsafe_split_with_sizes(
    self: TTensor, split_sizes: Sequence[INT64], dim: int = 0
) -> Sequence[TTensor]:
    """unsafe_split_with_sizes(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]

    Parts of those sizes.
    """
    parts = _in_sizes(self, split_sizes, dim % _rank(self))
    return _list(parts)
