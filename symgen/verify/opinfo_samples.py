"""Turns OpInfo's samples into calls of ATen overloads; runs in a child process, as OpInfo takes seconds to import.

OpInfo calls Python functions (`torch.nn.functional.huber_loss(…, reduction="none")`). What reaches the exporter is
found by tracing: the node of the operator says which overload it is and what it gets; what it gets from other nodes is
computed by the graph up to there.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import torch
from torch.utils import _pytree as pytree

from symgen.model.result import Verdict
from symgen.model.sample import DTYPES, DType, Recipe, SampleSpec, TensorSpec, Value
from symgen.model.schema import Argument, AtenSchema
from symgen.model.types import BaseType, strip_optional
from symgen.verify.arguments import UNTOUCHED, default_value
from symgen.verify.calls import make_call
from symgen.verify.compare import TOLERANCES, compare_all
from symgen.verify.encoding import encode
from symgen.verify.free_results import FREE_RESULTS
from symgen.verify.task import VerifyTask

MOST_ELEMENTS = 2500
_MOST_FLOAT32, _MOST_OTHER = 16, 3
_LOOKED_AT = 60


def load_op_db() -> Sequence[Any]:
    """OpInfo's table.

    Raises:
        ImportError: where what it needs (`expecttest`) is not installed.
    """
    from torch.testing._internal.common_methods_invocations import op_db

    return list(op_db)


def collect(task: VerifyTask, op_db: Sequence[Any]) -> tuple[SampleSpec, ...]:
    """The samples of all entries that stand for this operator, as many different ones as are useful."""
    base = task.name.base
    found: dict[SampleSpec, None] = {}
    for entry in op_db:
        if base in _names(entry):
            for dtype in DTYPES:
                if getattr(torch, dtype) in entry.supported_dtypes("cpu"):
                    most = _MOST_FLOAT32 if dtype == "float32" else _MOST_OTHER
                    found.update(dict.fromkeys(_different(_samples(entry, dtype, task), most)))
    return tuple(found)


def _names(entry: Any) -> set[str]:
    """The names under which people know the operator of an entry."""
    names = [entry.name, *(alias.name for alias in entry.aliases)]
    return {entry.aten_name, *names, *(n.rpartition(".")[2] for n in names), *(n.replace(".", "_") for n in names)}


def _different(samples: Iterable[SampleSpec], most: int) -> list[SampleSpec]:
    """Up to so many samples: first one of each kind of call, then what comes."""
    kinds: dict[object, SampleSpec] = {}
    others: list[SampleSpec] = []
    for sample in samples:
        plain = tuple(TensorSpec((len(t.shape),), t.dtype) for t in sample.tensors)
        if kinds.setdefault(sample.with_tensors(plain), sample) is not sample:
            others.append(sample)
    return [*kinds.values(), *others][:most]


def _samples(entry: Any, dtype: str, task: VerifyTask) -> Iterator[SampleSpec]:
    torch.manual_seed(0)
    try:
        inputs = iter(entry.sample_inputs("cpu", getattr(torch, dtype), requires_grad=False))
        for _, sample in zip(range(_LOOKED_AT), inputs, strict=False):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                traced = _traced(entry.op, (sample.input, *sample.args), sample.kwargs, task)
            if traced is not None:
                yield traced
    except Exception:  # an entry that does not work on this machine has no samples
        return


def _traced(
    function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any], task: VerifyTask
) -> SampleSpec | None:
    """The call of the operator inside the function; None where there is none, or where it cannot be said as data."""
    leaves, tree = pytree.tree_flatten((list(arguments), dict(keywords)))
    tensors = tuple(leaf for leaf in leaves if isinstance(leaf, torch.Tensor))
    if sum(x.numel() for x in tensors) > MOST_ELEMENTS:
        return None

    def call(*given: torch.Tensor) -> Any:
        rest = iter(given)
        filled = [next(rest) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        positional, named = pytree.tree_unflatten(filled, tree)
        return function(*positional, **named)

    try:
        graph = torch.jit.trace(call, tensors, check_trace=False).graph  # type: ignore[no-untyped-call]
        node = next((n for n in graph.nodes() if n.kind() in (task.op, f"{task.op}_")), None)
        sample = None if node is None else _spec(graph, node, tensors, task.schemas)
        return sample if sample is not None and _is_repeatable(sample, task) else None
    except (RuntimeError, TypeError, ValueError, LookupError):
        return None


def _is_repeatable(sample: SampleSpec, task: VerifyTask) -> bool:
    """Whether a call gives the same again, unless nothing else is promised; attention that drops out doesn't."""
    if task.op in FREE_RESULTS:
        return True
    first, again = (make_call(task.name, task.schemas, sample).eager() for _ in range(2))
    return compare_all(first, again, TOLERANCES).verdict is Verdict.RIGHT


def _spec(graph: Any, node: Any, tensors: Sequence[torch.Tensor], schemas: Sequence[AtenSchema]) -> SampleSpec | None:
    overload = node.schema().partition("(")[0].partition(".")[2]
    schema = next((schema for schema in schemas if schema.name.overload == overload), None)
    if schema is None:
        return None
    positional: list[Value] = []
    keywords: list[tuple[str, Value]] = []
    gap = False
    for argument, value in zip(schema.arguments, node.inputs(), strict=True):
        if str(strip_optional(argument.type)) in UNTOUCHED:
            gap = True
            continue
        said = _value(graph, value, tensors, argument)
        if argument.default is not None and said == default_value(argument):
            gap = True
        elif gap or argument.keyword_only:
            keywords.append((argument.name, said))
        else:
            positional.append(said)
    return SampleSpec(overload, tuple(positional), tuple(keywords), "OpInfo")


def _value(graph: Any, value: Any, tensors: Sequence[torch.Tensor], argument: Argument) -> Value:
    """A node's input as data."""
    producer = value.node()
    if producer.kind() == "prim::ListConstruct":
        return tuple(_value(graph, element, tensors, argument) for element in producer.inputs())
    plain = value.toIValue()
    if plain is None and producer.kind() != "prim::Constant":
        plain = _computed(graph, value, tensors)
    if isinstance(plain, torch.Tensor):
        return TensorSpec(
            tuple(plain.shape), str(plain.dtype).removeprefix("torch."), Recipe("stored", data=encode(plain))
        )
    if strip_optional(argument.type) == BaseType("ScalarType") and isinstance(plain, int):
        return DType(_dtype_name(plain))
    if isinstance(plain, list):
        return tuple(plain)
    if plain is None or isinstance(plain, bool | int | float | str):
        return plain
    raise TypeError(type(plain).__name__)


def _computed(graph: Any, value: Any, tensors: Sequence[torch.Tensor]) -> Any:
    """What the graph computes for a value."""
    places = [place for place, given in enumerate(graph.inputs()) if given.debugName() == value.debugName()]
    if places:
        return tensors[places[0]]
    cut = graph.copy()
    while len(list(cut.outputs())):
        cut.eraseOutput(0)
    twin = next(o for n in cut.nodes() for o in n.outputs() if o.debugName() == value.debugName())
    cut.registerOutput(twin)
    return torch._C._create_function_from_graph("cut", cut)(*tensors)


def _dtype_name(number: int) -> str:
    """The dtype of ATen's number for it."""
    from torch.onnx._internal.torchscript_exporter._type_utils import JitScalarType

    return str(JitScalarType(number).dtype()).removeprefix("torch.")
