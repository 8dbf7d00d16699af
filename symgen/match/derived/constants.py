"""Explains the constants of several traces by what differs between the calls: arguments and ranks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from symgen.model.traces import DTypeName, Item, Numbers, Said, Trace

Of = Callable[[Trace], object]

_LARGEST, _TINY, _EPS = 3.4028234663852886e38, 1.1754943508222875e-38, 1.1920928955078125e-07
"""The limits of float32, in which calls are traced."""


def explained(values: Sequence[Item], traces: Sequence[Trace]) -> Said | None:
    """An expression that has these values in these calls, a literal where they are the same; None for none."""
    if all(_same(value, values[0]) for value in values):
        return Said(_limit(values[0], traces) or literal(values[0]))
    for text, of in (*_candidates(traces), *_with_defaults(values, traces)):
        try:
            if all(_same(value, of(trace)) for value, trace in zip(values, traces, strict=True)):
                return Said(text)
        except (TypeError, ValueError, ArithmeticError, KeyError):
            continue
    return None


def literal(value: object) -> str:
    """A constant as source."""
    match value:
        case DTypeName(name):
            return f"torch.{name}"
        case Numbers(values):
            return literal(values)
        case tuple():
            return f"[{', '.join(map(literal, value))}]"
        case float() if math.isnan(value):
            return "math.nan"
        case float() if math.isinf(value):
            return "math.inf" if value > 0 else "-math.inf"
        case _:
            return repr(value)


def _limit(value: object, traces: Sequence[Trace]) -> str:
    """A limit of the dtype as such, as other dtypes have others; empty for any other constant."""
    if not isinstance(value, float) or not traces[0].ranks:
        return ""
    limits = f"torch.finfo(op.dtype({next(iter(traces[0].ranks))}))"
    found = {_LARGEST: f"{limits}.max", -_LARGEST: f"{limits}.min", _EPS: f"{limits}.eps", _TINY: f"{limits}.tiny"}
    return found.get(value, "")


def _with_defaults(values: Sequence[Item], traces: Sequence[Trace]) -> Iterator[tuple[str, Of]]:
    """An argument where it is given, and the constant that stands for it where it is not."""
    for name in traces[0].known:
        absent = [value for value, trace in zip(values, traces, strict=True) if trace.known.get(name) is None]
        if absent and len(absent) < len(values) and all(_same(value, absent[0]) for value in absent):
            default = absent[0]
            yield (
                f"{_limit(default, traces) or literal(default)} if {name} is None else {name}",
                lambda trace, name=name, default=default: (  # type: ignore[misc]
                    default if trace.known.get(name) is None else trace.known[name]
                ),
            )


def _same(one: object, other: object) -> bool:
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, bool) != isinstance(other, bool):
        return False
    return one == other or (one != one and other != other)


def _candidates(traces: Sequence[Trace]) -> Iterator[tuple[str, Of]]:
    """Expressions in the arguments and ranks that all these calls have, the plainest first."""
    known = [name for name in traces[0].known if all(name in trace.known for trace in traces)]
    ranked = [name for name in traces[0].ranks if all(name in trace.ranks for trace in traces)]
    for name in known:
        yield name, _value_of(name)
    for tensor in ranked:
        yield from _of_rank(tensor)
        for name in known:
            yield from _of_both(name, tensor)
    for name in known:
        yield from _of_argument(name)


def _value_of(name: str) -> Callable[[Trace], Any]:
    return lambda trace: trace.known[name]


def _of_argument(name: str) -> Iterator[tuple[str, Of]]:
    value = _value_of(name)
    yield f"-{name}", lambda trace: -value(trace)
    yield f"1 - {name}", lambda trace: 1 - value(trace)
    yield f"{name} + 1", lambda trace: value(trace) + 1
    yield f"{name} - 1", lambda trace: value(trace) - 1
    yield f"1.0 / {name}", lambda trace: 1.0 / value(trace)
    yield f"{name} * {name}", lambda trace: value(trace) * value(trace)
    yield f"0.5 * {name}", lambda trace: 0.5 * value(trace)
    yield f"0.5 / {name}", lambda trace: 0.5 / value(trace)
    yield f"-1.0 / {name}", lambda trace: -1.0 / value(trace)
    yield f"not {name}", lambda trace: not value(trace) if isinstance(value(trace), bool) else None
    yield f"[{name}]", lambda trace: (value(trace),)
    yield (
        f"[{name}] if isinstance({name}, int) else {name}",
        lambda trace: (value(trace),) if isinstance(value(trace), int) else value(trace),
    )
    yield f"bool({name})", lambda trace: bool(value(trace))
    yield f"float({name})", lambda trace: float(value(trace))


def _of_rank(tensor: str) -> Iterator[tuple[str, Of]]:
    def rank(trace: Trace) -> int:
        return trace.ranks[tensor]

    yield f"op.rank({tensor})", rank
    yield f"op.rank({tensor}) - 1", lambda trace: rank(trace) - 1
    yield f"op.rank({tensor}) - 2", lambda trace: rank(trace) - 2
    yield f"list(range(op.rank({tensor})))", lambda trace: tuple(range(rank(trace)))
    yield f"list(range(1, op.rank({tensor})))", lambda trace: tuple(range(1, rank(trace)))
    yield f"[-1] * op.rank({tensor})", lambda trace: (-1,) * rank(trace)


def _of_both(name: str, tensor: str) -> Iterator[tuple[str, Of]]:
    value = _value_of(name)

    def rank(trace: Trace) -> int:
        return trace.ranks[tensor]

    yield f"{name} % op.rank({tensor})", lambda trace: value(trace) % rank(trace)
    yield f"{name} % (op.rank({tensor}) + 1)", lambda trace: value(trace) % (rank(trace) + 1)
    yield f"[{name} % op.rank({tensor})]", lambda trace: (value(trace) % rank(trace),)
    yield (
        f"[dim % op.rank({tensor}) for dim in {name}]",
        lambda trace: tuple(dim % rank(trace) for dim in value(trace)),
    )
    yield (
        f"sorted([dim % op.rank({tensor}) for dim in {name}])",
        lambda trace: tuple(sorted(dim % rank(trace) for dim in value(trace))),
    )
    yield (
        f"[axis for axis in range(op.rank({tensor})) if axis != {name} % op.rank({tensor})]",
        lambda trace: tuple(axis for axis in range(rank(trace)) if axis != value(trace) % rank(trace)),
    )
