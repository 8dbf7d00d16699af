"""How an operator stands at one opset of one exporter: what torch has for it, and what symgen has."""

from __future__ import annotations

import enum
from collections.abc import Iterable
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
    NONE = "none"


class Standing(enum.StrEnum):
    """The best of both, as a reader of the matrix wants it."""

    TORCH_RIGHT = "torch-right"
    TORCH = "torch"
    TORCH_REFUSES = "torch-refuses"
    TORCH_WRONG = "torch-wrong"
    SYMGEN_VERIFIED = "symgen-verified"
    SYMGEN = "symgen"
    NEITHER = "neither"
    UNKNOWN = "unknown"


_BY_TORCH = {
    Torch.RIGHT: Standing.TORCH_RIGHT,
    Torch.WRONG: Standing.TORCH_WRONG,
    Torch.REFUSES: Standing.TORCH_REFUSES,
    Torch.UNJUDGED: Standing.TORCH,
    Torch.NONE: Standing.NEITHER,
    Torch.UNKNOWN: Standing.UNKNOWN,
}


@dataclass(frozen=True)
class Span:
    """A range of opsets in which an operator stands the same."""

    exporter: str
    first: int
    last: int
    torch: Torch
    ours: Ours

    @property
    def standing(self) -> Standing:
        """The best of both: what is right or proven before what is not, torch's own before symgen's."""
        if self.torch in {Torch.RIGHT, Torch.UNJUDGED}:
            return _BY_TORCH[self.torch]
        if self.ours is Ours.VERIFIED:
            return Standing.SYMGEN_VERIFIED
        if self.ours is Ours.UNVERIFIED and self.torch in {Torch.NONE, Torch.UNKNOWN}:
            return Standing.SYMGEN
        return _BY_TORCH[self.torch]


@dataclass(frozen=True)
class Proof:
    """What is on record of one function: torch's own of an exporter, or symgen's."""

    op: str
    """The name that reaches the exporter."""
    exporter: str
    by: str
    """`torch` or `symgen`."""
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


def to_spans(exporter: str, cells: Iterable[tuple[int, Torch, Ours]]) -> tuple[Span, ...]:
    """Neighbouring opsets that stand the same, as one."""
    spans = []
    for (torch, ours), group in groupby(cells, key=lambda cell: cell[1:]):
        opsets = [opset for opset, _, _ in group]
        spans.append(Span(exporter, opsets[0], opsets[-1], torch, ours))
    return tuple(spans)
