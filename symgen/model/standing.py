"""How an operator stands at one opset of one exporter: what torch has for it, and what symgen has."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from symgen.model.result import Evidence, SampleResult, Strategy
from symgen.model.sample import SampleSpec


class Torch(enum.StrEnum):
    """What torch itself has; the values stand in the JSON."""

    RIGHT = "right"
    """Right in every sample of the last audit on record."""
    WRONG = "wrong"
    REFUSES = "refuses"
    """It says of some arguments that it doesn't take them, or the export of these fails; others are right."""
    UNJUDGED = "unjudged"
    """It has a function, and no audit of it is on record."""
    NONE = "none"
    UNKNOWN = "unknown"
    """Only an export tells: torch.export may take the operator apart."""


class Ours(enum.StrEnum):
    """What symgen has; the values stand in the JSON."""

    VERIFIED = "verified"
    UNVERIFIED = "unverified"
    """It has a translation, and no proof of it is on record."""
    NEVER_ASKED = "never-asked"
    """It has a translation, which the exporter doesn't ask for: torch.export makes other operators of this one."""
    NONE = "none"


class Through(enum.StrEnum):
    """Whether symgen's functions for what torch.export makes of an operator put it right; the JSON has these values."""

    VERIFIED = "verified"
    """It was run with these functions, and was right."""
    DERIVED = "derived"
    """Each of its parts that is at fault has a verified function of symgen's; the operator was not run with them."""
    NONE = "none"


class Standing(enum.StrEnum):
    """The best of both, as a reader of the matrix wants it."""

    TORCH_RIGHT = "torch-right"
    TORCH = "torch"
    TORCH_REFUSES = "torch-refuses"
    TORCH_WRONG = "torch-wrong"
    SYMGEN_VERIFIED = "symgen-verified"
    SYMGEN = "symgen"
    PARTS_VERIFIED = "symgen-parts-verified"
    PARTS = "symgen-parts"
    NEITHER = "neither"
    UNKNOWN = "unknown"


BY_TORCH: Mapping[Torch, Standing] = {
    Torch.RIGHT: Standing.TORCH_RIGHT,
    Torch.WRONG: Standing.TORCH_WRONG,
    Torch.REFUSES: Standing.TORCH_REFUSES,
    Torch.UNJUDGED: Standing.TORCH,
    Torch.NONE: Standing.NEITHER,
    Torch.UNKNOWN: Standing.UNKNOWN,
}
"""How an operator stands by what torch has alone."""


_BY_PARTS = {Through.VERIFIED: Standing.PARTS_VERIFIED, Through.DERIVED: Standing.PARTS}


@dataclass(frozen=True)
class Apart:
    """What is on record of an operator that an exporter never asks for; all of it empty where that is not known."""

    made: str = ""
    """What torch.export makes of it, as a sentence."""
    parts: tuple[str, ...] = ()
    """Those of its parts whose functions of symgen's put it right, or, where they were tried and don't, those."""
    through: Through = Through.NONE

    @property
    def right(self) -> tuple[str, ...]:
        """The parts whose functions put it right, by a run or as is derived."""
        return self.parts if self.through is not Through.NONE else ()


WHOLE = Apart()
"""Of what an exporter asks for, and of what nothing is known of."""


def apart_sentence(apart: Apart) -> str:
    """What is said of an operator that is never asked for; empty of others. What is derived is said to be that."""
    if not apart.made:
        return ""
    by = f"symgen's {' and '.join(apart.parts)}"
    outcome = {
        Through.VERIFIED: f"; with {by} it is right",
        Through.DERIVED: f"; {by}, verified by {'itself' if len(apart.parts) == 1 else 'themselves'}, may put it right,"
        " which was not run",
        Through.NONE: f"; with {by} it is not right either" if apart.parts else "",
    }
    return f"never asked for: {apart.made}{outcome[apart.through]}"


@dataclass(frozen=True)
class Span:
    """A range of opsets in which an operator stands the same."""

    exporter: str
    first: int
    last: int
    torch: Torch
    ours: Ours
    apart: Apart = WHOLE

    @property
    def standing(self) -> Standing:
        """The best of both: what is right or proven before what is not, torch's own before symgen's."""
        if self.torch in {Torch.RIGHT, Torch.UNJUDGED}:
            return BY_TORCH[self.torch]
        if self.ours is Ours.VERIFIED:
            return Standing.SYMGEN_VERIFIED
        if self.apart.through is not Through.NONE:
            return _BY_PARTS[self.apart.through]
        if self.ours is Ours.UNVERIFIED and self.torch in {Torch.NONE, Torch.UNKNOWN}:
            return Standing.SYMGEN
        return BY_TORCH[self.torch]


@dataclass(frozen=True)
class Proof:
    """What is on record of one function: torch's own of an exporter, or symgen's."""

    op: str
    """The name that reaches the exporter."""
    exporter: str
    by: str
    """`torch`, `symgen`, or `parts`: of what is never asked for, with symgen's for its parts where it was run so."""
    evidence: Evidence
    failed: tuple[tuple[SampleSpec, SampleResult], ...] = ()


@dataclass(frozen=True)
class Chart:
    """One operator over all opsets of both exporters, with the proofs on record."""

    spans: tuple[Span, ...]
    proofs: tuple[Proof, ...] = ()
    strategies: tuple[tuple[str, Strategy], ...] = ()
    """How symgen translates what reaches each exporter."""

    def strategy(self, exporter: str) -> Strategy:
        """How symgen translates what reaches an exporter; `none` where it doesn't."""
        return dict(self.strategies).get(exporter, Strategy.NONE)

    def at(self, exporter: str, opset: int) -> Span | None:
        """The span of an exporter that an opset is in."""
        found = (span for span in self.spans if span.exporter == exporter and span.first <= opset <= span.last)
        return next(found, None)

    @property
    def dtypes(self) -> tuple[str, ...]:
        """Those that a proof of an operator's function on record holds for."""
        proven = (proof.evidence.dtypes for proof in self.proofs if not proof.evidence.failures)
        return tuple(sorted({dtype for dtypes in proven for dtype in dtypes}))


def to_spans(exporter: str, cells: Iterable[tuple[int, Torch, Ours, *tuple[Apart, ...]]]) -> tuple[Span, ...]:
    """Neighbouring opsets that stand the same, as one."""
    spans = []
    for key, group in groupby(cells, key=lambda cell: cell[1:]):
        opsets = [opset for opset, *_ in group]
        spans.append(Span(exporter, opsets[0], opsets[-1], *key))
    return tuple(spans)
