"""Traces what torch's own decomposition of an operator does; runs in a child process.

An operator's function in `torch._decomp` or `torch._refs`, or its composite kernel, is traced with symbolic sizes on
calls that the sample generator finds. Steps that can be said in the plan language are left whole.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch.utils import _pytree as pytree

from symgen.match.derived.phrases import ELEMENTWISE
from symgen.match.parameters import merge_parameters
from symgen.match.planner import WITHOUT_INFLUENCE
from symgen.model.plan import PromotionKind
from symgen.model.sample import SampleSpec, TensorSpec, Value
from symgen.model.schema import Argument, AtenSchema
from symgen.model.traces import DTypeName, Item, Numbers, Ref, Step, Trace, Traced
from symgen.model.types import OptionalType, is_tensor_list
from symgen.verify.arguments import default_value
from symgen.verify.calls import make_call
from symgen.verify.decomposition_jobs import TraceJob
from symgen.verify.domains import domain_of
from symgen.verify.generate import generate_samples
from symgen.verify.plan import twin

MOST_TRACES = 24
_MOST_CHOICES = 4
_MOST_GROWN = 3
_MOST_ELEMENTS = 16
_PLAIN = frozenset({"uniform", "distinct", "definite", "symmetric", "regular", "lower", "upper", "sorted", "simplex"})
_ON_LENGTHS: Mapping[Any, str] = {
    operator.add: "length.add",
    operator.sub: "length.sub",
    operator.mul: "length.mul",
    operator.floordiv: "length.floordiv",
    operator.mod: "length.mod",
    operator.neg: "length.neg",
    torch.sym_float: "length.float",
}


class _CannotBeSaidError(Exception):
    """A step that is no operator of ATen's and no arithmetic on lengths."""


def trace_operator(job: TraceJob) -> Traced:
    """The traces of an operator on calls that differ in ranks and arguments."""
    if any(is_tensor_list(argument.type) for schema in job.task.schemas for argument in schema.arguments):
        return Traced(reason="what torch's decomposition does with a list of tensors depends on how many there are")
    samples = _chosen(job)
    if not samples:
        return Traced(reason="no call of it is known on which it could be traced")
    table = _table(job)
    traces, reasons = [], []
    for sample in samples:
        try:
            traces.append(_traced(job, sample, table))
        except _CannotBeSaidError as error:
            return Traced(reason=str(error))
        except Exception as error:
            reasons.append(f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error) else ''}"[:160])
    if not traces:
        return Traced(reason=f"torch's decomposition can't be traced: {reasons[0]}")
    kind, promoted = _promotion(job, samples[0])
    return Traced(tuple(traces), kind, promoted)


def _chosen(job: TraceJob) -> list[SampleSpec]:
    """Calls in one dtype whose sizes are all above one, one for each set of ranks and arguments."""

    def accepts(sample: SampleSpec) -> bool:
        try:
            return bool(make_call(job.task.name, job.task.schemas, sample).eager())
        except Exception:
            return False

    found: dict[object, SampleSpec] = {}
    dtypes: dict[str, str] = {}
    for schema in job.task.schemas:
        for sample in generate_samples(schema, domain_of(job.task.op, schema.name.overload), accepts):
            tensors = sample.tensors
            named = _tensor_dtypes(schema, sample)
            dtypes = dtypes or named
            # A number in the place of a tensor is promoted to one, so that such overloads show nothing new.
            is_alike = {name: dtype for name, dtype in named.items() if name in dtypes} == dtypes
            if tensors and is_alike and all(map(_is_plain, tensors)):
                shown = sample.with_tensors(tuple(type(t)((len(t.shape),), t.dtype) for t in tensors))
                found.setdefault(shown, sample)
    chosen = list(found.values())[:MOST_TRACES]
    # Sizes that a decomposition has built in show where the same call has larger ones.
    larger = [grown for sample in chosen[:_MOST_GROWN] if (grown := twin(sample)) is not None]
    return [*chosen, *filter(accepts, (*larger, *_crossed(chosen, job.task.schemas)))]


def _crossed(samples: Sequence[SampleSpec], schemas: Sequence[AtenSchema]) -> Iterator[SampleSpec]:
    """Calls with tensors that may be absent, with every choice that the other calls make of a flag or a mode."""
    choices: dict[str, dict[Value, None]] = {}
    for sample in samples:
        for name, value in _given(sample, schemas):
            if isinstance(value, bool | int | str):
                choices.setdefault(name, {})[value] = None
    optional = {a.name for schema in schemas for a in schema.arguments if isinstance(a.type, OptionalType)}
    seen = set(samples)
    for sample in samples:
        given = dict(_given(sample, schemas))
        if not any(name in optional and isinstance(value, TensorSpec) for name, value in given.items()):
            continue
        for name, values in choices.items():
            for value in values if len(values) <= _MOST_CHOICES and given.get(name) is None else ():
                crossed = replace(sample, keywords=(*((n, v) for n, v in sample.keywords if n != name), (name, value)))
                if crossed not in seen:
                    seen.add(crossed)
                    yield crossed


def _given(sample: SampleSpec, schemas: Sequence[AtenSchema]) -> tuple[tuple[str, Value], ...]:
    """The arguments of a call with their names."""
    schema = next(schema for schema in schemas if schema.name.overload == sample.overload)
    return sample.named(argument.name for argument in schema.arguments)


def _is_plain(tensor: TensorSpec) -> bool:
    """Whether a tensor has values and sizes that no decomposition could mean to branch on."""
    is_usual = tensor.recipe.kind in _PLAIN and tensor.layout == "contiguous"
    return is_usual and min(tensor.shape, default=2) > 1


def _tensor_dtypes(schema: AtenSchema, sample: SampleSpec) -> dict[str, str]:
    """The dtypes of the arguments that are tensors and must be given."""
    given = _given(sample, [schema])
    required = {a.name for a in schema.arguments if a.default is None and not isinstance(a.type, OptionalType)}
    first = {name: value[0] if isinstance(value, tuple) and value else value for name, value in given}
    return {name: value.dtype for name, value in first.items() if name in required and isinstance(value, TensorSpec)}


def _table(job: TraceJob) -> dict[Any, Callable[..., Any]]:
    """Torch's decompositions, but for what can be said whole; the operator's own in any case."""
    import torch._decomp as decomp
    import torch._refs as refs

    every: dict[Any, Callable[..., Any]] = dict(decomp.decomposition_table)
    table = {
        overload: function
        for overload, function in every.items()
        if overload.namespace == "aten" and overload._schema.name.removeprefix("aten::") not in job.sayable
    }
    packet = getattr(torch.ops.aten, job.task.name.base)
    for overload in (getattr(packet, name) for name in packet.overloads()):
        own = every.get(overload) or getattr(refs, job.task.name.base, None)
        if own is not None:
            table[overload] = own
    return table


def _traced(job: TraceJob, sample: SampleSpec, table: Mapping[Any, Callable[..., Any]]) -> Trace:
    from torch.fx.experimental.proxy_tensor import make_fx

    call = make_call(job.task.name, job.task.schemas, sample)
    leaves, tree = pytree.tree_flatten((list(call.positional), call.keywords))

    def run(*tensors: torch.Tensor) -> Any:
        rest = iter(tensors)
        filled = [next(rest) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        positional, named = pytree.tree_unflatten(filled, tree)
        return call.op(*positional, **named)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        functional = torch.func.functionalize(run, remove="mutations_and_views")
        made = make_fx(functional, decomposition_table=dict(table), tracing_mode="symbolic")(*call.tensors)
    made.graph.eliminate_dead_code()
    return _as_data(job, sample, made)


def _as_data(job: TraceJob, sample: SampleSpec, made: torch.fx.GraphModule) -> Trace:
    """The graph as steps; its inputs have the names of the parameters."""
    parameters = [p.name for p in merge_parameters(job.task.schemas) or ()]
    schema = next(schema for schema in job.task.schemas if schema.name.overload == sample.overload)
    places = {argument.name: parameters[place] for place, argument in enumerate(schema.arguments)}
    given = [*zip((places[a.name] for a in schema.arguments), sample.positional, strict=False)]
    given += [(places[name], value) for name, value in sample.keywords]
    call = make_call(job.task.name, job.task.schemas, sample)
    real = dict(zip((name for name, _ in given), (*call.positional, *call.keywords.values()), strict=True))
    names, ranks, known = _inputs(real)
    defaults = {places[a.name]: _default(a) for a in schema.arguments if a.default is not None}
    references: dict[str, Ref] = {}
    steps: list[Step] = []
    results: tuple[Ref, ...] = ()
    for node in made.graph.nodes:
        match node.op:
            case "placeholder":
                references[node.name] = names.pop(0)
            case "get_attr":
                references[node.name] = Ref(node.name)
                steps.append(Step(node.name, "constant", (_numbers(getattr(made, str(node.target))),)))
            case "output":
                flat = pytree.tree_leaves(_item(node.args[0], references))
                results = tuple(one for one in flat if isinstance(one, Ref))
            case "call_function" if node.target is operator.getitem:
                references[node.name] = Ref(references[node.args[0].name].name, node.args[1])
            case "call_function" if _name_of(node) == "expand" and _is_broadcast_anyway(node):
                references[node.name] = references[node.args[0].name]
            case "call_function":
                steps.append(_step(node, references))
                references[node.name] = Ref(node.name)
                if _writes(node):
                    references[node.args[0].name] = Ref(node.name)
    absent = {name: value for name, value in defaults.items() if name not in ranks}
    return Trace({**absent, **known}, ranks, tuple(steps), results)


def _is_broadcast_anyway(node: torch.fx.Node) -> bool:
    """Whether all that takes a tensor would broadcast it to this shape, so that nothing needs to expand it."""

    def goes_with_another(user: torch.fx.Node) -> bool:
        others = [other for other in user.all_input_nodes if other is not node and _shape_of(other)]
        if any(_shape_of(other) == _shape_of(user) for other in others):
            return True
        return not others and _is_broadcast_anyway(user)

    users = list(node.users)
    return bool(users) and all(_name_of(user) in ELEMENTWISE and goes_with_another(user) for user in users)


def _name_of(node: torch.fx.Node) -> str:
    return node.target._schema.name.partition("::")[2] if isinstance(node.target, torch._ops.OpOverload) else ""


def _shape_of(node: torch.fx.Node) -> tuple[str, ...]:
    """The lengths of a tensor as expressions in the lengths of the arguments."""
    value = node.meta.get("val")
    return tuple(map(str, value.shape)) if isinstance(value, torch.Tensor) else ()


def _writes(node: torch.fx.Node) -> bool:
    """Whether a step writes into its first argument, which is the result from then on."""
    target = node.target
    return isinstance(target, torch._ops.OpOverload) and target._schema.is_mutable


def _inputs(real: Mapping[str, Any]) -> tuple[list[Ref], dict[str, int], dict[str, Item]]:
    """The tensors' names in the order of the graph's inputs, their ranks, and the arguments that are no tensors."""
    names: list[Ref] = []
    ranks: dict[str, int] = {}
    known: dict[str, Item] = {}
    for name, value in real.items():
        if isinstance(value, torch.Tensor):
            names.append(Ref(name))
            ranks[name] = value.dim()
        else:
            known[name] = _item(value, {})
    return names, ranks, known


def _step(node: torch.fx.Node, references: Mapping[str, Ref]) -> Step:
    value = node.meta.get("val")
    tensor = value if isinstance(value, torch.Tensor) else None
    arguments, keywords = _arguments(node)
    return Step(
        name=node.name,
        target=_target(node),
        arguments=tuple(_item(argument, references) for argument in arguments),
        keywords=tuple((name, _item(argument, references)) for name, argument in keywords.items()),
        dtype="" if tensor is None else str(tensor.dtype).removeprefix("torch."),
        rank=None if tensor is None else tensor.dim(),
    )


def _arguments(node: torch.fx.Node) -> tuple[list[Any], dict[str, Any]]:
    """All arguments by position, defaults too, and those by keyword that can change the result."""
    if not isinstance(node.target, torch._ops.OpOverload):
        return list(node.args), dict(node.kwargs)
    positional, keywords = list(node.args), {}
    for argument in node.target._schema.arguments[len(positional) :]:
        value = node.kwargs.get(argument.name, argument.default_value)
        if not argument.kwarg_only:
            positional.append(value)
        elif argument.name not in WITHOUT_INFLUENCE:
            keywords[argument.name] = value
    return positional, keywords


def _target(node: torch.fx.Node) -> str:
    """The name of the operator; one that writes in place has the name of the one that does not."""
    target = node.target
    if isinstance(target, torch._ops.OpOverload) and target.namespace in ("aten", "prims"):
        return target._schema.name.partition("::")[2].removesuffix("_")
    if target in _ON_LENGTHS:
        return _ON_LENGTHS[target]
    raise _CannotBeSaidError(f"torch's decomposition takes {target}, which is no operator")


def _item(value: Any, references: Mapping[str, Ref]) -> Item:
    if isinstance(value, torch.fx.Node):
        return references[value.name]
    if isinstance(value, torch.dtype):
        return DTypeName(str(value).removeprefix("torch."))
    if isinstance(value, list | tuple | torch.Size):
        return tuple(_item(element, references) for element in value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, torch.layout | torch.device | torch.memory_format):
        return None
    raise _CannotBeSaidError(f"torch's decomposition takes a {type(value).__name__}")


def _numbers(tensor: torch.Tensor) -> Numbers:
    if tensor.numel() > _MOST_ELEMENTS:
        raise _CannotBeSaidError("torch's decomposition takes a large constant")
    return Numbers(_nested(tensor.tolist()), str(tensor.dtype).removeprefix("torch."))


def _nested(value: Any) -> Any:
    return tuple(map(_nested, value)) if isinstance(value, list) else value


def _default(argument: Argument) -> Item:
    """The default of an argument as a value."""
    value = default_value(argument)
    if isinstance(value, str) and value.startswith("["):
        return tuple(int(part) for part in value.strip("[]").split(",") if part.strip())
    return value if value is None or isinstance(value, bool | int | float | str) else None


def _promotion(job: TraceJob, sample: SampleSpec) -> tuple[str, tuple[str, ...]]:
    """How torch finds the dtype of the result, seen from what it gives for whole numbers, and whose dtypes count."""
    named = _given(sample, job.task.schemas)
    first = sample.tensors[0].dtype
    promoted = tuple(name for name, value in named if _has_dtype(value, first))
    if not first.startswith("float"):
        return ("", ()) if first == "int64" else (str(PromotionKind.DEFAULT), promoted)
    results = [x.dtype for x in make_call(job.task.name, job.task.schemas, sample).eager()]
    if results[0] in (torch.bool, torch.float64):
        return str(PromotionKind.ALWAYS_BOOL if results[0] is torch.bool else PromotionKind.DOUBLE), promoted
    for dtype, expected in (("int64", torch.float32), ("bool", torch.int64)):
        whole = tuple(replace(t, dtype=dtype) if t.dtype == first else t for t in sample.tensors)
        try:
            found = make_call(job.task.name, job.task.schemas, sample.with_tensors(whole)).eager()[0].dtype
        except Exception:
            continue
        if found is expected:
            return str(PromotionKind.INT_TO_FLOAT if dtype == "int64" else PromotionKind.BOOL_TO_LONG), promoted
    mixed = tuple(
        replace(t, dtype="float64") if t.dtype == first and place else t for place, t in enumerate(sample.tensors)
    )
    try:
        found = make_call(job.task.name, job.task.schemas, sample.with_tensors(mixed)).eager()[0].dtype
    except Exception:
        return str(PromotionKind.DEFAULT), promoted
    follows_first = found is torch.float32 and len(promoted) > 1
    return str(PromotionKind.LIKE_FIRST if follows_first else PromotionKind.DEFAULT), promoted


def _has_dtype(value: object, dtype: str) -> bool:
    """Whether an argument is a tensor, or a list of tensors, of this dtype."""
    if isinstance(value, tuple):
        return bool(value) and _has_dtype(value[0], dtype)
    return isinstance(value, TensorSpec) and value.dtype == dtype
