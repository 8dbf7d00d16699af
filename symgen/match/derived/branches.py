"""Several traces as one: the same steps, their constants explained, or branches on what makes the steps differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from symgen.match.derived.constants import explained, literal
from symgen.model.traces import Item, Ref, Step, Trace

MOST_DEPTH = 3
_PRESENT = "a tensor"


@dataclass(frozen=True)
class Block:
    """Steps whose constants are all `Said`."""

    steps: tuple[Step, ...]
    results: tuple[Ref, ...]
    assumed: tuple[tuple[str, Item], ...] = ()
    """Arguments that had one value in all calls that came here, while other calls had others."""


@dataclass(frozen=True)
class Choice:
    """Branches by tests, in order; `otherwise` is None where nothing is known of what passes no test."""

    branches: tuple[tuple[str, Tree], ...]
    otherwise: Tree | None
    about: str
    shared: tuple[Step, ...] = ()
    """The steps that all branches take first."""


Tree = Block | Choice


def merged(traces: Sequence[Trace]) -> Tree | None:
    """One tree for all traces; None where nothing that is known of the calls explains how they differ."""
    open_names = frozenset(name for trace in traces for name in trace.known if len(_values_of(name, traces)) > 1)
    return _merged([_renamed(_without_unread(trace)) for trace in traces], 0, open_names)


def _values_of(name: str, traces: Sequence[Trace]) -> set[str]:
    """The different values of an argument, as text."""
    return {literal(trace.known.get(name)) for trace in traces}


def _merged(traces: Sequence[Trace], depth: int, open_names: frozenset[str]) -> Tree | None:
    """The tree for some traces; `open_names` are arguments that differ somewhere and that no branch has asked for."""
    shared = _common_front(traces)
    if all(len(trace.steps) == len(shared) and trace.results == traces[0].results for trace in traces):
        fixed = (name for name in sorted(open_names) if len(_values_of(name, traces)) == 1)
        return Block(shared, traces[0].results, tuple((name, traces[0].known.get(name)) for name in fixed))
    if depth == MOST_DEPTH:
        return None
    rest = [replace(trace, steps=trace.steps[len(shared) :]) for trace in traces]
    found = [choice for choice in _choices(rest, depth, open_names) if choice is not None]
    best = min(found, key=leaves, default=None)
    return None if best is None else replace(best, shared=shared)


def leaves(tree: Tree | None) -> int:
    """How many blocks there are; an open end counts as two."""
    match tree:
        case Choice(branches, otherwise):
            return sum(leaves(branch) for _, branch in branches) + leaves(otherwise)
        case None:
            return 2
        case _:
            return 1


def _block_of(traces: Sequence[Trace], open_names: frozenset[str]) -> Block | None:
    """The steps that all traces take, None where they take different ones."""
    tree = _merged(traces, MOST_DEPTH, open_names)
    return tree if isinstance(tree, Block) else None


def _common_front(traces: Sequence[Trace]) -> tuple[Step, ...]:
    """The steps that all traces take first, with constants that what is known of the calls explains."""
    front: list[Step] = []
    for several in zip(*(trace.steps for trace in traces), strict=False):
        step = _one_step(several, traces)
        if step is None:
            break
        front.append(step)
    return tuple(front)


def _one_step(several: Sequence[Step], traces: Sequence[Trace]) -> Step | None:
    first = several[0]
    names = [tuple(name for name, _ in step.keywords) for step in several]
    if any(step.target != first.target for step in several) or len(set(names)) > 1:
        return None
    arguments = _items([step.arguments for step in several], traces)
    values = _items([tuple(value for _, value in step.keywords) for step in several], traces)
    if not isinstance(arguments, tuple) or not isinstance(values, tuple):
        return None
    rank = first.rank if len({step.rank for step in several}) == 1 else None
    dtype = first.dtype if len({step.dtype for step in several}) == 1 else ""
    return replace(
        first, arguments=arguments, keywords=tuple(zip(names[0], values, strict=True)), rank=rank, dtype=dtype
    )


def references(item: Item) -> Iterator[Ref]:
    """The references in an argument, in lists too."""
    if isinstance(item, Ref):
        yield item
    elif isinstance(item, tuple):
        for element in item:
            yield from references(element)


def references_of(step: Step) -> Iterator[Ref]:
    """What a step reads."""
    yield from references(step.arguments)
    yield from references(tuple(value for _, value in step.keywords))


def _without_unread(trace: Trace) -> Trace:
    """The trace without the steps that nothing reads."""
    read = {ref.name for ref in trace.results}
    kept: list[Step] = []
    for step in reversed(trace.steps):
        if step.name in read:
            kept.insert(0, step)
            read |= {ref.name for ref in references_of(step)}
    return replace(trace, steps=tuple(kept))


def _renamed(trace: Trace) -> Trace:
    """The trace with steps that are called by their number."""
    names = {step.name: f"step{number}" for number, step in enumerate(trace.steps)}

    def named(item: Item) -> Item:
        if isinstance(item, Ref):
            return Ref(names.get(item.name, item.name), item.place)
        return tuple(map(named, item)) if isinstance(item, tuple) else item

    steps = tuple(
        replace(
            step,
            name=names[step.name],
            arguments=tuple(map(named, step.arguments)),
            keywords=tuple((name, named(value)) for name, value in step.keywords),
        )
        for step in trace.steps
    )
    results = tuple(Ref(names.get(ref.name, ref.name), ref.place) for ref in trace.results)
    return replace(trace, steps=steps, results=results)


def _items(several: Sequence[Item], traces: Sequence[Trace]) -> Item:
    """The same item of all traces: a reference, or a list of items, or a constant that is explained."""
    first = several[0]
    if any(isinstance(item, Ref) for item in several):
        return first if all(item == first for item in several) else None
    if all(isinstance(item, tuple) for item in several):
        if len({len(item) for item in several if isinstance(item, tuple)}) == 1:
            parts = tuple(_items(part, traces) for part in zip(*several, strict=True))
            if None not in parts:
                return parts
        if any(isinstance(part, Ref) for item in several if isinstance(item, tuple) for part in item):
            return None
    return explained(several, traces)


def _choices(traces: Sequence[Trace], depth: int, open_names: frozenset[str]) -> Iterator[Choice | None]:
    """The ways to tell the traces apart."""
    names = dict.fromkeys(name for trace in traces for name in (*trace.known, *trace.ranks))
    for name in names:
        values = [trace.known.get(name, _PRESENT if name in trace.ranks else None) for trace in traces]
        if any(value is None for value in values) and not all(value is None for value in values):
            yield _by_absence(name, values, traces, depth, open_names)
    for name in names:
        values = [trace.known.get(name) for trace in traces]
        if all(isinstance(value, bool | int | float | str) for value in values) and len(set(values)) > 1:
            yield _by_value(name, values, traces, depth, open_names - {name})
    for tensor in dict.fromkeys(name for trace in traces for name in trace.ranks):
        ranks = [trace.ranks.get(tensor) for trace in traces]
        if None not in ranks and len(set(ranks)) > 1:
            yield _by_value(f"op.rank({tensor})", ranks, traces, depth, open_names)


def _by_absence(
    name: str, values: Sequence[object], traces: Sequence[Trace], depth: int, open_names: frozenset[str]
) -> Choice | None:
    without = [trace for trace, value in zip(traces, values, strict=True) if value is None]
    others = [trace for trace, value in zip(traces, values, strict=True) if value is not None]
    absent = _merged(without, depth + 1, open_names - {name})
    given = _merged(others, depth + 1, open_names if len(_values_of(name, others)) > 1 else open_names - {name})
    return None if absent is None or given is None else Choice(((f"{name} is None", absent),), given, name)


def _by_value(
    text: str, values: Sequence[object], traces: Sequence[Trace], depth: int, open_names: frozenset[str]
) -> Choice | None:
    """Branches on single values, and one for all values whose traces can be said as one."""
    groups: dict[object, list[Trace]] = {}
    for trace, value in zip(traces, values, strict=True):
        groups.setdefault(value, []).append(trace)
    general: list[Trace] = []
    together: list[object] = []
    for value, group in sorted(groups.items(), key=lambda item: -len(item[1])):
        if _block_of([*general, *group], open_names) is not None:
            general += group
            together.append(value)
    if len(together) < 2:
        general, together = [], []
    branches = []
    for value, group in groups.items():
        if value not in together:
            tree = _merged(group, depth + 1, open_names)
            if tree is None:
                return None
            branches.append((_test(text, value), tree))
    otherwise: Tree | None = _block_of(general, open_names) if general else None
    if otherwise is None and len(groups) == 2 and all(isinstance(value, bool) for value in groups):
        otherwise = branches.pop()[1]
    return Choice(tuple(branches), otherwise, text)


def _test(text: str, value: object) -> str:
    if isinstance(value, bool):
        return text if value else f"not {text}"
    return f"{text} == {literal(value)}"
