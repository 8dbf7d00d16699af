"""From a plan to the modules that hold it, for one of the exporters."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from symgen.lower.lowering import LOWEST_OPSET
from symgen.model.plan import Guarded, Plan
from symgen.pipeline.exporters import TORCHSCRIPT_EXPORTER, Exporter, Placement
from symgen.sources import Sources


@dataclass(frozen=True)
class Translation:
    """One operator's plan in the form of files, lowest opset first."""

    plan: Plan
    placements: tuple[Placement, ...]

    @property
    def first(self) -> int:
        """The lowest opset that is served."""
        return self.placements[0].opset

    @property
    def opsets(self) -> tuple[int, ...]:
        """Every opset that is served."""
        return tuple(o for placement in self.placements for o in range(placement.opset, placement.last + 1))

    @property
    def modules(self) -> tuple[tuple[int, str], ...]:
        """What a verification runs: each file's opset and its text."""
        return tuple((placement.opset, placement.source) for placement in self.placements)

    @property
    def restrictions(self) -> tuple[str, ...]:
        """What raises although the operator takes it, as sentences."""
        names = {p.name: p.stub_name for p in self.plan.parameters}
        guarded = [
            f"{names[name]} other than {disposition.allowed} raises"
            for name, disposition in self.plan.dispositions.items()
            if isinstance(disposition, Guarded)
        ]
        return (*guarded, *self.plan.limits)


def translate(
    plan: Plan,
    sources: Sources,
    *,
    lowest: int | None,
    own_templates: Path | None,
    below: int | None = None,
    exporter: Exporter = TORCHSCRIPT_EXPORTER,
) -> Translation:
    """The plan's code for all opsets from `lowest` on (or the first at which it can be said) and below `below`.

    Raises:
        NotExpressibleError: where no opset in the range can say the plan.
    """
    end = exporter.target.opsets.stop if below is None else below
    return Translation(plan, exporter.placements(plan, sources, lowest or LOWEST_OPSET, end, own_templates))


def from_opset(translation: Translation, opset: int) -> Translation:
    """The part of a translation that serves an opset and all later ones."""
    return Translation(translation.plan, tuple(p for p in translation.placements if p.opset >= opset))
