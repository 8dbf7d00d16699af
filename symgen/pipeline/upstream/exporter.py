"""The exporter of a checkout, as far as the pipeline asks: code in its style, and no function of its own in the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from symgen.lower.all_opsets import lower_for_all
from symgen.lower.older_forms import load_older_forms
from symgen.lower.versions import NotExpressibleError
from symgen.model.names import OpName
from symgen.model.plan import Plan
from symgen.pipeline.exporters import Placement, TorchScriptExporter
from symgen.pipeline.upstream.checkout import Checkout
from symgen.pipeline.upstream.fit import functions_of
from symgen.render.exporter_style import known_functions
from symgen.render.upstream import render_upstream
from symgen.sources import Sources


@dataclass(frozen=True)
class CheckoutExporter(TorchScriptExporter):
    """Writes for the files of one checkout; what it has already is refused before it comes to that."""

    checkout: Checkout = field(kw_only=True)

    def own_opsets(self, op: OpName, sources: Sources) -> tuple[int, ...]:
        """None: the checkout lacks the operator."""
        return ()

    def placements(
        self, plan: Plan, sources: Sources, lowest: int, below: int, own_templates: Path | None
    ) -> tuple[Placement, ...]:
        """A file for each range, as few as can be.

        While they are proven on the installed torch, they take precedence over what that has of its own.
        """
        shared = self.checkout.read(self.checkout.module_path("symbolic_opset9")).decode("utf-8", "replace")
        known = known_functions(functions_of(shared).keys())
        installed = sources.catalogue.registered.opsets(plan.op.qualified)
        ranges = lower_for_all(plan, sources.schemas, load_older_forms(), lowest)
        served = [lowered for lowered in ranges if lowered.first <= self.checkout.opsets[-1]]
        if not served:
            newest = self.checkout.opsets[-1]
            raise NotExpressibleError(f"it needs opset {ranges[0].first}, and the checkout's exporter ends at {newest}")
        return tuple(
            Placement(
                lowered.first,
                lowered.last,
                f"symbolic_opset{lowered.first}",
                render_upstream(
                    lowered,
                    [lowered.first, *(opset for opset in installed if lowered.first < opset <= lowered.last)],
                    known,
                ),
            )
            for lowered in served
        )
