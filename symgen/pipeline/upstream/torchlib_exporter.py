"""Torchlib itself as what is written for: functions in its own style, for the opset that it has."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from symgen.lower.element_types import deduce_types
from symgen.lower.torchlib import REAL_TORCHLIB, TORCHLIB_OPSET
from symgen.lower.torchlib_forms import torchlib_forms
from symgen.lower.versions import NotExpressibleError
from symgen.model.plan import Plan
from symgen.pipeline.exporters import Placement, TorchlibExporter
from symgen.render.torchlib import file_stem
from symgen.render.torchlib_upstream import render_torchlib_upstream
from symgen.sources import Sources


@dataclass(frozen=True)
class TorchlibUpstreamExporter(TorchlibExporter):
    """Writes what torchlib's own files are to hold."""

    plain: bool = True
    """Whether in plain operators, or with all that symgen's package for the exporter has."""

    def placements(
        self, plan: Plan, sources: Sources, lowest: int, below: int, own_templates: Path | None
    ) -> tuple[Placement, ...]:
        """The form for torchlib's own opset, which the exporter converts to every later one."""
        lowered = torchlib_forms(plan, sources.schemas, self.target.opsets[-1], REAL_TORCHLIB)[0]
        if lowered.first > TORCHLIB_OPSET:
            raise NotExpressibleError(f"it needs opset {lowered.first}, and torchlib is written for {TORCHLIB_OPSET}")
        module = render_torchlib_upstream(lowered, deduce_types(lowered, sources.schemas), plain=self.plain)
        if module is None:
            raise NotExpressibleError("it needs types and shapes of what it computes on the way")
        return (Placement(TORCHLIB_OPSET, self.target.opsets[-1], file_stem(plan), module),)
