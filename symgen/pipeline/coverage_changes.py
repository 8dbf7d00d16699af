"""Compares two coverages: what an upgrade of torch or onnx gained, lost, or changed in signature.

What is compared is who serves an operator and how well, not what is on record: a proof belongs to its versions, so it
is never there after an upgrade.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from symgen.config import Target
from symgen.errors import ParseError
from symgen.model.location import Location
from symgen.model.standing import BY_TORCH, Standing, Torch

_SERVED = 3
_WORTH: Mapping[str, int] = {
    Standing.TORCH_RIGHT: _SERVED,
    Standing.TORCH: _SERVED,
    Standing.SYMGEN_VERIFIED: _SERVED,
    Standing.SYMGEN: _SERVED,
    Standing.PARTS_VERIFIED: _SERVED,
    Standing.TORCH_REFUSES: 2,
    Standing.TORCH_WRONG: 1,
    Standing.NEITHER: 0,
}
"""How well an operator is served; where only an export tells, nothing can be compared."""
_JUDGED = frozenset({Standing.TORCH_RIGHT, Standing.TORCH_REFUSES, Standing.TORCH_WRONG})
_BY_PARTS = frozenset({Standing.PARTS_VERIFIED, Standing.PARTS})


class Kind(enum.StrEnum):
    """What became of an operator; the values are keys of the JSON."""

    LOST = "lost"
    GAINED = "gained"
    CHANGED = "changed"


@dataclass(frozen=True)
class CoverageChange:
    """One difference: in some opsets of an exporter, or in a signature, which has no exporter."""

    kind: Kind
    op: str
    before: str
    after: str
    exporter: str = ""
    first: int = 0
    last: int = 0


_TOLD = {"torch", "symgen"}
"""What each operator of a list has had since the first version."""


def load_coverage(path: Path) -> Mapping[str, Any]:
    """What `coverage --json` printed earlier.

    Raises:
        ParseError: where the file can't be read, or is something else.
    """
    try:
        old = json.loads(path.read_text("utf-8"))
        if all(isinstance(op["op"], str) and op.keys() >= _TOLD for op in old["ops"]):
            return dict(old)
    except FileNotFoundError:
        hint = "`symgen coverage --json > FILE` makes one"
        raise ParseError("there is no such file", location=Location(str(path)), hint=hint) from None
    except OSError as error:
        raise ParseError(f"cannot be read: {error.strerror}", location=Location(str(path))) from None
    except (ValueError, KeyError, TypeError):
        pass
    raise ParseError("is not what `symgen coverage --json` prints", location=Location(str(path)))


def compare_coverage(
    before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]], *, whole: bool = True
) -> tuple[CoverageChange, ...]:
    """The differences between the operators of two coverages, by operator; losses come first.

    `whole` says that the second lists every operator, so that one which it lacks is lost.
    """
    old, new = ({op["op"]: op for op in ops} for ops in (before, after))
    found: list[CoverageChange] = []
    for name in sorted({*old, *new} if whole else new):
        if name not in new:
            found.append(CoverageChange(Kind.LOST, name, "declared", "not declared"))
        elif name not in old:
            found.append(CoverageChange(Kind.GAINED, name, "not declared", "declared"))
        else:
            found += _standings(name, old[name], new[name])
            signatures = [list(op.get("signature", ())) for op in (old[name], new[name])]
            if all(signatures) and signatures[0] != signatures[1]:
                gone, come = ([one for one in these if one not in those] for these, those in _both_ways(*signatures))
                found.append(CoverageChange(Kind.CHANGED, name, "; ".join(gone), "; ".join(come)))
    order = list(Kind)
    return tuple(sorted(found, key=lambda change: (order.index(change.kind), change.op)))


def _both_ways(one: list[str], other: list[str]) -> tuple[tuple[list[str], list[str]], tuple[list[str], list[str]]]:
    return (one, other), (other, one)


def _standings(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[CoverageChange]:
    """The ranges of opsets in which an operator is served better or worse than before."""
    for target in Target:
        before, after = _by_opset(old, target), _by_opset(new, target)
        cells = [(opset, *before(opset), *after(opset)) for opset in target.opsets]
        for (was, was_torch, now, now_torch), group in groupby(cells, key=lambda cell: cell[1:]):
            opsets = [opset for opset, *_ in group]
            difference = _difference(was, now, was_torch, now_torch)
            if difference:
                kind = Kind.GAINED if difference > 0 else Kind.LOST
                yield CoverageChange(kind, name, was, now, target, opsets[0], opsets[-1])


def _difference(was: str, now: str, was_torch: str, now_torch: str) -> int:
    """Above 0 for a gain, below for a loss; a function that was judged on one side only is the same function.

    What symgen's functions for the parts put right stands on record alone: that it is there no more is no loss, and
    what is derived of it no gain.
    """
    if was in _BY_PARTS and now in _BY_PARTS:
        return 0
    was = was_torch if was in _BY_PARTS else was
    now = now_torch if now == Standing.PARTS else now
    one_side_unjudged = Standing.TORCH in (was, now) and bool(_JUDGED & {was, now})
    if one_side_unjudged or was not in _WORTH or now not in _WORTH:
        return 0
    return _WORTH[now] - _WORTH[was]


def _by_opset(op: Mapping[str, Any], target: Target) -> Callable[[int], tuple[str, str]]:
    """How an operator stood at an opset, and how without symgen.

    A coverage without standings tells of the TorchScript exporter only.
    """
    spans = [one for one in op.get("standings", ()) if one["exporter"] == target]

    def at(opset: int) -> tuple[str, str]:
        if "standings" in op:
            found = (one for one in spans if one["first"] <= opset <= one["last"])
            return next(((str(one["standing"]), _by_torch(one)) for one in found), (Standing.UNKNOWN, Standing.UNKNOWN))
        if target is not Target.TORCHSCRIPT:
            return Standing.UNKNOWN, Standing.UNKNOWN
        if any(since <= opset for since in op["torch"]):
            return Standing.TORCH, Standing.TORCH
        is_served = op["symgen"] is not None and op["symgen"] <= opset
        return Standing.SYMGEN if is_served else Standing.NEITHER, Standing.NEITHER

    return at


def _by_torch(span: Mapping[str, Any]) -> str:
    """How an operator stood without symgen."""
    torch = span.get("torch")
    return BY_TORCH[Torch(torch)] if torch in tuple(Torch) else Standing.UNKNOWN
