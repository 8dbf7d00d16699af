"""From a plan to the modules that hold it: lowered, rendered, and registered where torch's own would take over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from symgen.introspect.onnx_schemas import HIGHEST_OPSET
from symgen.lower.lowering import LOWEST_OPSET, LoweredPlan, lower_plan
from symgen.lower.older_forms import load_older_forms
from symgen.model.definition import ModuleText
from symgen.model.plan import Guarded, Plan
from symgen.render.standalone import standalone_source
from symgen.render.torchscript import render_module
from symgen.sources import Sources


@dataclass(frozen=True)
class Placement:
    """The code for one range of opsets: `opset` is the number of its file, `last` the last opset it serves."""

    opset: int
    last: int
    module: ModuleText

    @property
    def source(self) -> str:
        """The module as one text that can be run by itself."""
        return standalone_source(self.module)


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
    plan: Plan, sources: Sources, *, lowest: int | None, own_templates: Path | None, below: int = HIGHEST_OPSET + 1
) -> Translation:
    """The plan's code for all opsets from `lowest` on (or the first at which it can be said) and below `below`.

    Raises:
        NotExpressibleError: where no opset in the range can say the plan.
    """
    ranges = lower_plan(plan, sources.schemas, load_older_forms(), lowest or LOWEST_OPSET)
    torch_opsets = sources.catalogue.registered.opsets(plan.op.qualified)
    placements = [
        _placement(lowered, torch_opsets, min(lowered.last, below - 1), own_templates)
        for lowered in ranges
        if lowered.first < below
    ]
    return Translation(plan, tuple(placements))


def from_opset(translation: Translation, opset: int) -> Translation:
    """The part of a translation that serves an opset and all later ones."""
    return Translation(translation.plan, tuple(p for p in translation.placements if p.opset >= opset))


def _placement(lowered: LoweredPlan, torch_opsets: Sequence[int], last: int, own_templates: Path | None) -> Placement:
    """Registered at its first opset, and again wherever torch has a version of its own inside the range."""
    opsets = [lowered.first, *(opset for opset in torch_opsets if lowered.first < opset <= last)]
    return Placement(lowered.first, last, render_module(lowered, opsets, own_templates))
