"""ONNX symbolic functions, right from opset 11 on."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import itertools
import math
import types
from collections.abc import Callable, Sequence
from typing import Any

import onnx
import torch
from torch import _C, _prims_common
from torch.onnx import errors
from torch.onnx._internal.torchscript_exporter import (
    _type_utils,
    jit_utils,
    registration,
    symbolic_helper,
)

__all__ = ["frexp"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=11, custom=True)


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


# symgen: _is_packed 8abd8c6540097f9a
def _is_packed(value: Any) -> bool:
    """Whether a value of the graph is a list or a tuple of others."""
    packing = ("prim::ListConstruct", "prim::TupleConstruct", "onnx::SequenceConstruct")
    return isinstance(value, _C.Value) and value.node().kind() in packing


# symgen: _leaves 0d597195b6397ecf
def _leaves(value: Any) -> list[Any]:
    """The single values in lists and tuples, those of the graph too."""
    if _is_packed(value):
        value = list(value.node().inputs())
    return (
        [leaf for item in value for leaf in _leaves(item)]
        if isinstance(value, (list, tuple))
        else [value]
    )


# symgen: _function_graph ce4f419c566a38cd
def _function_graph(
    block: _C.Block, arguments: dict[str, Any], results: Sequence[_C.Value], opset: int
) -> tuple[_C.Graph, list[_C.Value]]:
    """A graph of its own with copies of a block's nodes, as the exporter leaves them, and the values that it takes."""
    graph = _C.Graph()
    twins: dict[_C.Value, _C.Value] = {}

    def twin(value: _C.Value, name: str = "value") -> _C.Value:
        if value not in twins:
            twins[value] = graph.addInput(name)
            twins[value].setType(value.type())
        return twins[value]

    for name, argument in arguments.items():
        leaves = _leaves(argument)
        for place, value in enumerate(leaves):
            if isinstance(value, _C.Value):
                twin(value, f"{name}_{place}" if len(leaves) > 1 else name)
    for node in block.nodes():
        copied = graph.insertNode(graph.createClone(node, twin))
        twins.update(zip(node.outputs(), copied.outputs()))
    for value in results:
        graph.registerOutput(twins[value])
    _C._jit_pass_onnx_scalar_type_analysis(graph, True, opset)
    _C._jit_pass_onnx_peephole(graph, opset, False)
    _C._jit_pass_dce_allow_deleting_nodes_with_side_effects(graph)
    inputs = list(graph.inputs())
    named = [*inputs]
    for place, value in enumerate(list(graph.outputs())):
        if value in named:
            # The exporter has found that nothing is left to do, but each result of a function has a name of its own.
            same = graph.insertNode(graph.create("onnx::Identity", [value], 1)).output()
            same.setType(value.type())
            graph.return_node().replaceInput(place, same)
            value = same
        value.setDebugName(f"result_{place}" if len(results) > 1 else "result")
        named.append(value)
    for place in reversed(range(len(inputs))):
        if not inputs[place].uses():
            graph.eraseInput(place)
    left = list(graph.inputs())
    return graph, [value for value, copied in twins.items() if copied in left]


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


# symgen: _told_attributes 9c9fbf6d35d56e0a
def _told_attributes(arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments that a local function was made for, as attributes for the reader of the model, by name and letter."""
    attributes = {}
    for name, value in arguments.items():
        known = _known(value)
        items = known if isinstance(known, list) else [known]
        for letter, kind in (("i", int), ("f", (int, float)), ("s", str)):
            if items and all(isinstance(item, kind) for item in items):
                attributes[f"{name}_{letter}"] = known
                break
    return attributes


# symgen: _with_values 0198da0fb8ba8df6
def _with_values(g: jit_utils.GraphContext, value: Any, others: dict[_C.Value, _C.Value]) -> Any:
    """The same with other values in it, also in lists and tuples of the graph."""
    if isinstance(value, (list, tuple)):
        return type(value)(_with_values(g, item, others) for item in value)
    if _is_packed(value):
        return g.op(
            value.node().kind(), *(_with_values(g, item, others) for item in value.node().inputs())
        )
    return others.get(value, value) if isinstance(value, _C.Value) else value


# symgen: _local_function 28eb9f824f90e836
def _local_function(
    g: jit_utils.GraphContext, name: str, version: int, graph: _C.Graph, attributes: Sequence[str]
) -> Any:
    """A graph in the form in which the exporter takes functions of onnxscript; another of its name gets a number."""
    domain, base = name.split("::")
    kind = torch.onnx.OperatorExportTypes.ONNX
    exported, *_ = graph._export_onnx({}, g.opset, {}, False, kind, True, True, {})
    model = onnx.load_from_string(exported)
    inputs, outputs = (
        [value.name for value in values] for values in (model.graph.input, model.graph.output)
    )
    for number in itertools.count(1):
        own = base if number == 1 else f"{base}_{number}"
        proto = onnx.helper.make_function(
            domain, own, inputs, outputs, model.graph.node, model.opset_import, attributes
        )
        group = registration.registry.get_function_group(f"{domain}::{own}")
        there = group.get(version) if group else None
        # The registry outlives an export, and so do the functions of earlier ones.
        if getattr(there, "graph", None) is not g.graph:
            opset = types.SimpleNamespace(domain=domain, version=version)
            return types.SimpleNamespace(
                name=own, opset=opset, graph=g.graph, to_function_proto=lambda: proto
            )
        if there.to_function_proto() == proto:
            return there


# symgen: _function_call 484627c45a42061e
def _function_call(
    g: jit_utils.GraphContext,
    name: str,
    version: int,
    block: _C.Block,
    arguments: dict[str, Any],
    results: Any,
) -> Any:
    """The results of a block's nodes by a call of a local function; constants, which others may ask for, as they are."""
    made = {value for node in block.nodes() for value in node.outputs()}
    leaves = [value for value in _leaves(results) if isinstance(value, _C.Value) and value in made]
    constants = [value for value in leaves if value.node().kind() == "onnx::Constant"]
    outside = {value: g.op("Constant", value_t=value.node().t("value")) for value in constants}
    computed = list(dict.fromkeys(value for value in leaves if value not in outside))
    if computed:
        graph, inputs = _function_graph(block, arguments, computed, g.opset)
        told = {
            key: value
            for key, value in arguments.items()
            if not any(leaf in inputs for leaf in _leaves(value))
        }
        attributes = _told_attributes(told)
        function = _local_function(g, name, version, graph, [key[:-2] for key in attributes])
        calls = g.onnxscript_op(function, *inputs, outputs=len(computed), **attributes)
        for value, call, twin in zip(
            computed, calls if len(computed) > 1 else [calls], graph.outputs()
        ):
            call.setType(twin.type())
            outside[value] = call
    return _with_values(g, results, outside)


# symgen: _in_function a434a9098a5fa1d1
def _in_function(block: _C.Block) -> bool:
    """Whether a local function is being made here: the exporter finds none that only another one calls."""
    node = block.owningNode()
    while node is not None and node.kind() != "prim::LocalFunction":
        node = node.owningBlock().owningNode()
    return node is not None


# symgen: _as_function d1dfc8f5511867c9
def _as_function(name: str, version: int = 1) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Put the nodes that a symbolic function adds into a local function of the model, and call that in their place.

    It is made anew for each call, of what is known there of arguments, ranks and dtypes; those that are equal are one.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        parameters = list(inspect.signature(function).parameters)[1:]

        @functools.wraps(function)
        def wrapper(g: jit_utils.GraphContext, *args: Any, **kwargs: Any) -> Any:
            if _in_function(g.block):
                return function(g, *args, **kwargs)
            apart = g.block.addNode("prim::LocalFunction", [])
            try:
                inner = dataclasses.replace(g, block=apart.addBlock(), new_nodes=[])
                results = function(inner, *args, **kwargs)
                return _function_call(
                    g, name, version, inner.block, dict(zip(parameters, args)), results
                )
            finally:
                apart.destroy()

        return wrapper

    return decorate


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


# symgen: _power_of 377e81d851c9f0e9
def _power_of(g: jit_utils.GraphContext, a: _C.Value, b: _C.Value) -> _C.Value:
    """aᵇ, also for integers (Pow takes them from opset 12 on)."""
    if _dtype(a).is_floating_point:
        return g.op("Pow", a, _cast_like(g, b, a))
    return _cast_like(g, g.op("Pow", _cast(g, a, torch.float64), _cast(g, b, torch.float64)), a)


# symgen: _scalar 9451145ccc11ca13
def _scalar(g: jit_utils.GraphContext, number: Any, like: _C.Value) -> _C.Value:
    """A constant of the dtype of `like`, also where that is unknown at export."""
    known = _type_utils.JitScalarType.from_value(like, _type_utils.JitScalarType.UNDEFINED)
    if known == _type_utils.JitScalarType.UNDEFINED:
        return _cast_like(g, g.op("Constant", value_t=torch.tensor(number)), like)
    return g.op("Constant", value_t=torch.tensor(number, dtype=known.dtype()))


# symgen: _greater_or_equal e0ba7c67b2db0957
def _greater_or_equal(g: jit_utils.GraphContext, a: _C.Value, b: _C.Value) -> _C.Value:
    """a ≥ b, false where either is nan (opset 12 has GreaterOrEqual)."""
    return g.op("Or", g.op("Greater", a, b), g.op("Equal", a, b))


# symgen: aten::frexp 5fa782e500fb42de
@_onnx_symbolic("aten::frexp")
@_as_function("symbolics::frexp")
@symbolic_helper.parse_args("v")
@_promoted("input")
def frexp(g: jit_utils.GraphContext, input: _C.Value) -> tuple[_C.Value, ...]:
    """frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)

    x = mantissa · 2^exponent with 0.5 ≤ |mantissa| < 1; exponent 0 for 0, infinities
    and nan
    """
    smallest = torch.finfo(_dtype(input)).tiny
    size = g.op("Abs", input)
    has_parts = g.op(
        "And",
        g.op("Greater", size, _scalar(g, 0.0, size)),
        g.op("Less", size, _scalar(g, math.inf, size)),
    )
    # Numbers below the normal range are scaled into it.
    is_tiny = g.op("And", has_parts, g.op("Less", size, _scalar(g, smallest, size)))
    lift = g.op("Where", is_tiny, _scalar(g, 2.0**64, input), _scalar(g, 1.0, input))
    x = g.op("Where", has_parts, g.op("Mul", input, lift), _scalar(g, 0.5, input))
    # The logarithm may miss by one at the powers of 2.
    exponent = g.op(
        "Add",
        g.op("Floor", g.op("Div", g.op("Log", g.op("Abs", x)), _scalar(g, math.log(2), x))),
        _scalar(g, 1.0, x),
    )
    mantissa = g.op("Mul", x, _power_of(g, _scalar(g, 2.0, exponent), g.op("Neg", exponent)))
    is_large, is_small = (
        _greater_or_equal(g, g.op("Abs", mantissa), _scalar(g, 1.0, mantissa)),
        g.op("Less", g.op("Abs", mantissa), _scalar(g, 0.5, mantissa)),
    )
    half, two = _scalar(g, 0.5, mantissa), _scalar(g, 2.0, mantissa)
    mantissa = g.op(
        "Where",
        is_large,
        g.op("Mul", mantissa, half),
        g.op("Where", is_small, g.op("Mul", mantissa, two), mantissa),
    )
    places = g.op(
        "Sub",
        g.op("Add", _cast(g, exponent, torch.int32), _cast(g, is_large, torch.int32)),
        _cast(g, is_small, torch.int32),
    )
    places = g.op(
        "Sub",
        places,
        g.op(
            "Where",
            is_tiny,
            g.op("Constant", value_t=torch.tensor(64, dtype=torch.int32)),
            g.op("Constant", value_t=torch.tensor(0, dtype=torch.int32)),
        ),
    )
    return (
        g.op("Where", has_parts, mantissa, input),
        g.op(
            "Where", has_parts, places, g.op("Constant", value_t=torch.tensor(0, dtype=torch.int32))
        ),
    )
