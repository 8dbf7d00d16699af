"""ONNX translations of PyTorch's operators for its dynamo exporter: shape."""

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
from torch.onnx._internal.exporter import _registration

__all__ = ["aten_select_int"]

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


# symgen: _node_in_model d945905697569875
def _node_in_model(value: Any) -> torch.fx.Node | None:
    """The node of the model that gives a value; None for a number, and for what a function makes on its way."""
    if not isinstance(value, ir.Value):
        return None
    maker = value.producer()
    return value.meta.get("node") if maker is None else maker.meta.get("node")


# symgen: _is_complex 209e93f57b7f7303
def _is_complex(value: Any) -> bool:
    """Whether an argument is complex in the model; here it is a real tensor with a last axis of 2 then."""
    if not isinstance(value, ir.Value):
        return isinstance(value, complex)
    node = _node_in_model(value)
    if node is None:
        # Promotion has cast it, or it is the constant of a number.
        behind = _before_cast(value)
        return bool(value.meta.get("is_complex")) if behind is value else _is_complex(behind)
    tensor = node.meta.get("val")
    if isinstance(tensor, (list, tuple)):
        place = str(value.name).rpartition("__")[2]
        tensor = tensor[int(place) if place.isdigit() else 0]
    return isinstance(tensor, torch.Tensor) and tensor.is_complex()


# symgen: _with_parts 8e6746a9ea369bcb
def _with_parts(value: Any, dtype: torch.dtype, is_alone: bool) -> Any:
    """A complex number as a tensor of its parts, also a real one that stands alone; any other argument as it is."""
    node = _node_in_model(value)
    if (
        node is not None
        and node.target is torch.ops.aten.scalar_tensor.default
        and _is_complex(value)
    ):
        # The exporter rounds a number to single precision where it makes a complex tensor of it.
        (number,), dtype = node.args, _dtype(value)
        value = complex(number) if is_alone else number
    if isinstance(value, complex):
        value = _constant([value.real, value.imag], dtype)
        _infer_types(value.producer())
        value.meta["is_complex"] = True
    return value


# symgen: _rank b56bd33a202af034
def _rank(value: Any) -> int:
    """The rank of a tensor; raises where it is not known."""
    if not isinstance(value, ir.Value):
        return 0
    if value.shape is None:
        raise NotImplementedError(f"the rank of {value.name} is not known at export")
    return len(value.shape)


# symgen: _length_of_complex 120674617b6c485e
def _length_of_complex(self: ir.Value, dim: int = 0) -> ir.Value:
    """The length of an axis of a complex tensor, whose parts have an axis more."""
    axis = dim % (_rank(self) - 1)
    return op.Squeeze(op.Shape(self, start=axis, end=axis + 1), [0])


# symgen: _complex_in_precision 029fecd1a04f858c
def _complex_in_precision(a: ir.Value, dtype: int) -> ir.Value:
    """A complex tensor in another precision."""
    parts = {ir.DataType.COMPLEX64: ir.DataType.FLOAT, ir.DataType.COMPLEX128: ir.DataType.DOUBLE}
    if dtype not in parts:
        raise NotImplementedError(
            "a complex tensor becomes no real one without being asked for a part"
        )
    return op.Cast(a, to=int(parts[ir.DataType(dtype)]))


# symgen: _let_complex_in 7443ce9219bde85b
def _let_complex_in() -> None:
    """Have the exporter ask the functions of a translation table of complex arguments too, where they know of them.

    It takes what stands in a table for functions of real arguments. With the first of those that know of complex ones
    come functions for what it puts into a model by itself, and has none for.
    """
    register = _registration.ONNXRegistry.register_op
    if hasattr(register, "lets_complex_in"):
        return

    @functools.wraps(register)
    def register_op(registry: Any, target: Any, function: Any, is_complex: bool = False) -> None:
        register(registry, target, function, is_complex)
        if is_complex or not hasattr(function, "carries_complex"):
            return
        register(registry, target, function, True)
        added = {
            torch.ops.aten.sym_size.int: _length_of_complex,
            torch.ops.prims.convert_element_type.default: _complex_in_precision,
        }
        for further, own in added.items():
            if not any(known.is_complex for known in registry.get_decomps(further)):
                register(registry, further, own, True)

    register_op.lets_complex_in = True  # type: ignore[attr-defined]
    _registration.ONNXRegistry.register_op = register_op  # type: ignore[method-assign]


# symgen: _carrying_complex 92786652217eeda6
def _carrying_complex(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function that takes complex arguments as real tensors with a last axis of 2, and gives them as such."""
    _let_complex_in()

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        recorder = evaluator.default()
        recorder.carried = []
        tensors = [value for value in (*args, *kwargs.values()) if isinstance(value, ir.Value)]
        dtype = next((_dtype(value) for value in tensors if _is_complex(value)), torch.float32)
        parts = functools.partial(_with_parts, dtype=dtype, is_alone=len(tensors) == 1)
        output = function(
            *map(parts, args), **{name: parts(value) for name, value in kwargs.items()}
        )
        if recorder.carried:
            if output.dtype == ir.DataType.FLOAT16:
                raise NotImplementedError(
                    "the exporter has no type for complex numbers in half precision"
                )
            # The exporter adds the axis of the parts to the shape of an output that has no type yet.
            output.type = None
        return output

    wrapper.carries_complex = True  # type: ignore[attr-defined]
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


# symgen: _own_rank bda96f374ee1ae54
def _own_rank(x: ir.Value, is_complex: bool) -> int:
    """The rank in the model, where complex numbers have no axis for their parts."""
    return _rank(x) - int(is_complex)


# symgen: _carried 1bfc3449405db299
def _carried(value: ir.Value) -> ir.Value:
    """A complex result as a real tensor with a last axis of 2."""
    evaluator.default().carried.append(value)
    return value


# symgen: aten_select_int 7d2dd925a9d66bd3
@torch_op("aten::select.int", registry=REGISTRIES[18], trace_only=True)
@_carrying_complex
@_traced
def aten_select_int(self: TTensor, dim: int, index: INT64) -> TTensor:
    """select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)

    self[index] along an axis
    """
    axis = dim % _own_rank(self, _is_complex(self))
    part = op.Gather(self, op.Squeeze(_ints(index), [0]), axis=axis)
    return _carried(part) if _is_complex(self) else part
