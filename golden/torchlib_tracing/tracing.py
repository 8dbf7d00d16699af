"""What the functions share: dtypes, shapes and constants, as far as they are known at export."""

from __future__ import annotations

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
from onnxscript import evaluator, ir
from onnxscript.onnx_opset import opset18 as op
from torch import _prims_common
from torch.onnx._internal.exporter import _registration
from torch.onnx._internal.exporter._building import OpRecorder


# symgen: _as_indexed 75482c5d98380889
def _as_indexed(indices: Sequence[ir.Value], place: int) -> ir.Value:
    """One of the indices of an assignment: this exporter makes no views of them."""
    return indices[place]


# symgen: _carried 1bfc3449405db299
def _carried(value: ir.Value) -> ir.Value:
    """A complex result as a real tensor with a last axis of 2."""
    evaluator.default().carried.append(value)
    return value


# symgen: _before_cast 42d0b768c8726f4e
def _before_cast(value: Any) -> Any:
    """What a value was cast from; the value itself where it is of no cast."""
    maker = value.producer() if isinstance(value, ir.Value) else None
    return value if maker is None or maker.op_type != "Cast" else maker.inputs[0]


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


# symgen: _known 8d227ec925b600d6
def _known(value: Any) -> Any:
    """The number, list of numbers or text in a constant; None where it is known only when the model runs."""
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


# symgen: _subgraph 2b9e0e672adbe6c0
def _subgraph(function: Callable[..., Any], inputs: Sequence[ir.Value]) -> ir.Graph:
    """The graph of what a function does with its arguments; it may use values from outside."""
    recorder = OpRecorder(evaluator.default().opset, {})
    recorder.depth = getattr(evaluator.default(), "depth", 0) + 1
    with evaluator.default_as(_inferring(recorder)):
        results = function(*inputs)
        outputs = [
            op.Identity(one) for one in (results if isinstance(results, tuple) else (results,))
        ]
    graph = ir.Graph(inputs, outputs, nodes=recorder.nodes, name="inner")
    # Inner values must have other names than outer ones.
    for value in (*inputs, *(output for node in graph for output in node.outputs)):
        value.name = f"inner{recorder.depth}_{value.name}"
    return graph


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


# symgen: _cond 0f555e014c2cccad
def _cond(test: ir.Value, then: Callable[..., Any], otherwise: Callable[..., Any]) -> ir.Value:
    """The result of `then()` or `otherwise()`, as an ONNX If."""
    branches = [_subgraph(branch, ()) for branch in (then, otherwise)]
    (output,) = _node("If", [test], 1, then_branch=branches[0], else_branch=branches[1])
    one, other = (branch.outputs[0] for branch in branches)
    output.type = one.type
    output.shape = one.shape if one.shape == other.shape else None
    return output


# symgen: _dtype_argument 7e7de4e76d6af021
def _dtype_argument(dtype: int | None) -> torch.dtype | None:
    """The `torch.dtype` that a `dtype` argument stands for; the exporter has -1 for one that is absent."""
    return None if dtype is None or dtype == -1 else _torch_dtype(ir.DataType(dtype))


# symgen: _index_kinds f90dfe931779fa7b
def _index_kinds(indices: Sequence[ir.Value | None]) -> list[str]:
    """What each index of an assignment is: this exporter keeps the model's own list, of tensors."""
    return ["all" if index is None else "tensor" for index in indices]


# symgen: _int_list 4d7c8bdfc9f01a64
def _int_list(value: Any) -> list[int] | None:
    """An `int` or `int[]` argument as a list, None where it is absent."""
    return list(value) if isinstance(value, (list, tuple)) else value if value is None else [value]


# symgen: _list 96d196645f8743c7
def _list(values: Sequence[ir.Value]) -> list[ir.Value]:
    """A list of tensors: the exporter takes it as it is."""
    return list(values)


# symgen: _listed 27f0a69998dca3bd
def _listed(outputs: Any) -> list[ir.Value]:
    """The outputs of a node as a list, also where it has one."""
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]


# symgen: _turns eb9ab8f58224dd66
def _turns(
    count: ir.Value, going_on: ir.Value, body: Callable[..., Any], state: Sequence[ir.Value]
) -> Any:
    """An ONNX Loop of up to `count` turns; `body(i, *state)` gives whether to go on and the next state."""
    unknown = [
        None if value.shape is None else ir.Shape([None] * len(value.shape)) for value in state
    ]
    arguments = [
        ir.Value(name="turn", type=ir.TensorType(ir.DataType.INT64), shape=ir.Shape([])),
        ir.Value(name="going_on", type=ir.TensorType(ir.DataType.BOOL), shape=ir.Shape([])),
        *(
            ir.Value(name=f"state_{place}", type=value.type, shape=shape)
            for place, (value, shape) in enumerate(zip(state, unknown))
        ),
    ]

    def turn(iteration: ir.Value, _: ir.Value, *values: ir.Value) -> Any:
        goes_on, results = body(iteration, *values)
        return goes_on, *(results if isinstance(results, tuple) else (results,))

    outputs = _node("Loop", [count, going_on, *state], len(state), body=_subgraph(turn, arguments))
    for output, value, shape in zip(outputs, state, unknown):
        output.type, output.shape = value.type, shape
    return outputs[0] if len(state) == 1 else tuple(outputs)


# symgen: _loop 8fb9ca9c43e39d39
def _loop(count: ir.Value, body: Callable[..., Any], *state: ir.Value) -> Any:
    """`state = body(i, *state)` for i from 0 to count - 1, as an ONNX Loop."""

    def turn(iteration: ir.Value, *arguments: ir.Value) -> Any:
        return _constant(True, torch.bool), body(iteration, *arguments)

    return _turns(
        op.Reshape(count, _constant([], torch.int64)), _constant(True, torch.bool), turn, state
    )


# symgen: _number 99034ec41cba2638
def _number(value: Any) -> Any:
    """The Python number in a constant value, None where it is not a constant number."""
    known = _known(value)
    while isinstance(known, list) and len(known) == 1:
        (known,) = known
    return None if isinstance(known, list) else known


# symgen: _numel fc40e915c50b15f0
def _numel(value: ir.Value) -> ir.Value:
    """The number of elements as an int64 tensor of shape [1]."""
    return op.Unsqueeze(op.Size(value), [0])


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


# symgen: _was_cast 7fa5a6440c3d424c
def _was_cast(value: Any) -> bool:
    """Whether the exporter has cast an argument before, to the dtype to which it promotes all arguments."""
    maker = value.producer() if isinstance(value, ir.Value) else None
    node = None if maker is None else maker.meta.get("node")
    return node is not None and node.target is torch.ops.prims.convert_element_type.default


# symgen: _unrounded b59c87fa8c698d96
def _unrounded(value: Any) -> Any:
    """What the exporter's pass for promotion has cast to an argument; the argument itself where it has not."""
    maker = value.producer() if isinstance(value, ir.Value) else None
    node = None if maker is None else maker.meta.get("node")
    if maker is None or node is None or maker.op_type != "Cast":
        return value
    # Of a number the pass makes a tensor, which says of itself that the operator stood there in the model.
    number, origin = torch.ops.aten.scalar_tensor.default, node.meta.get("original_aten")
    is_number = node.target is number and origin is not None and str(origin) != str(number)
    is_of_pass = _was_cast(value) or is_number
    return maker.inputs[0] if is_of_pass else value


# symgen: _promoted a1bee4ae21b1972a
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
            for name in names:
                is_kept = name in unrounded and compute.is_floating_point and _rank(cast[name]) == 0
                cast[name] = _unrounded(cast[name]) if is_kept else _cast_all(cast[name], common)
                cast[name] = _cast_all(cast[name], compute)
            outputs = function(*bound.args, **bound.kwargs)
            if isinstance(outputs, (list, tuple)):
                return type(outputs)(_cast_back(output, compute, result) for output in outputs)
            return _cast_back(outputs, compute, result)

        return _traced(wrapper)

    return decorate


# symgen: _repeat 9d5c91f8d76f0646
def _repeat(test: Callable[..., Any], body: Callable[..., Any], *state: ir.Value) -> Any:
    """`while test(*state): state = body(*state)`, as an ONNX Loop."""

    def turn(_: ir.Value, *arguments: ir.Value) -> Any:
        results = body(*arguments)
        return test(*(results if isinstance(results, tuple) else (results,))), results

    return _turns(_constant(torch.iinfo(torch.int64).max, torch.int64), test(*state), turn, state)


# symgen: _scalar de83ad8f8876d2d7
def _scalar(number: Any, like: ir.Value) -> ir.Value:
    """A constant of the dtype of `like`."""
    return _constant(number, _dtype(like))


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


# symgen: _split 9e92b53306b2eede
def _split(value: ir.Value, sizes: Any = None, *, outputs: int, **attributes: Any) -> Any:
    """A Split into so many parts; one alone is no list."""
    parts = _node("Split", [value, None if sizes is None else _ints(sizes)], outputs, **attributes)
    return parts[0] if outputs == 1 else parts


# symgen: _static_numel 0faccc91427e9abe
def _static_numel(value: ir.Value) -> int | None:
    """The number of elements where it is known at export, else None."""
    sizes = [_static_size(value, axis) for axis in range(_rank(value))]
    return None if None in sizes else math.prod(sizes)


# symgen: _told f22035431a7d0626
def _told(value: Any, name: str) -> Any:
    """The number, list of numbers or text in a constant, None where the argument is absent."""
    known = _known(value)
    if known is None and value is not None:
        raise NotImplementedError(f"{name} has to be known at export")
    return known
