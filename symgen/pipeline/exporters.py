"""What the pipeline has to know of each target: what the exporter has of its own, and how a plan is said."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from symgen.config import Config, Target
from symgen.errors import UsageError
from symgen.introspect.torchlib_functions import load_torchlib_names
from symgen.lower.element_types import deduce_types
from symgen.lower.lowering import LOWEST_OPSET, LoweredPlan, lower_plan
from symgen.lower.older_forms import load_older_forms
from symgen.lower.torchlib import TORCHLIB_OPSET
from symgen.lower.torchlib_forms import torchlib_forms
from symgen.lower.versions import NotExpressibleError
from symgen.model.definition import ModuleText
from symgen.model.domain import parse_domain
from symgen.model.names import OpName, parse_op_name
from symgen.model.plan import NoPlan, Plan
from symgen.model.result import Evidence, SampleResult, Verdict
from symgen.model.schema import AtenSchema
from symgen.render.standalone import standalone_source
from symgen.render.stub import NO_TRANSLATION
from symgen.render.torchlib import file_stem, render_torchlib_module, render_torchlib_stub
from symgen.render.torchscript import render_module
from symgen.sources import Sources
from symgen.verify.exported_plan import NO_FUNCTION
from symgen.verify.task import Verification


@dataclass(frozen=True)
class Placement:
    """The code for one range of opsets: `opset` is its first, `last` the last that it serves, `stem` names its file."""

    opset: int
    last: int
    stem: str
    module: ModuleText

    @property
    def source(self) -> str:
        """The module as one text that can be run by itself."""
        return standalone_source(self.module)


class Exporter(Protocol):
    """One of torch's two exporters, as far as the pipeline asks."""

    @property
    def target(self) -> Target:
        """Its name on the command line."""

    def registered(self, sources: Sources) -> tuple[OpName, ...]:
        """The ATen operators that it has functions of its own for."""

    def own_opsets(self, op: OpName, sources: Sources) -> tuple[int, ...]:
        """Where it has functions of its own, or may have; those below its first opset serve from there on."""

    def is_wanted(self, op: OpName, sources: Sources, *, correct: bool) -> bool:
        """Whether `--all` means an operator: `new` those that are lacking at some opset, `fix` those that are there."""

    def told_fault(self, op: OpName, sources: Sources) -> str | None:
        """What the text of its own function tells is wrong with it; empty for nothing, None where there is no text."""

    def lacks(self, seen: Verification) -> bool:
        """Whether a verification of its own function shows that there is none."""

    def leaves(self, plan: Plan) -> str:
        """Why it has no use for a plan; empty where it has."""

    def never_asks(self, seen: Evidence) -> str:
        """What a verification says where the exporter never asks for a function of that name; else empty."""

    def probe(self, none: NoPlan, overloads: Sequence[AtenSchema]) -> str:
        """A module whose functions raise: a run of it shows whether they are asked for. Empty where all are."""

    def has_newer_form(self, plan: Plan, sources: Sources, opset: int) -> bool:
        """Whether an opset has operators for a plan that the exporter itself doesn't use."""

    def describe(self, first: int) -> str:
        """Its own function, as the subject of a sentence."""

    def placements(
        self, plan: Plan, sources: Sources, lowest: int, below: int, own_templates: Path | None
    ) -> tuple[Placement, ...]:
        """The plan's code for all opsets from `lowest` on and below `below`.

        Raises:
            NotExpressibleError: where no opset can say the plan.
        """


@dataclass(frozen=True)
class TorchScriptExporter:
    """Symbolic functions, which a registry finds by their names, and of which each opset may have its own."""

    functions_in: str = field(default="", kw_only=True)
    """The domain of local functions, for operators that are to be one node each."""
    target = Target.TORCHSCRIPT

    def registered(self, sources: Sources) -> tuple[OpName, ...]:
        """What its registry has."""
        return _declared(sources.catalogue.registered.functions, sources)

    def own_opsets(self, op: OpName, sources: Sources) -> tuple[int, ...]:
        """What is registered."""
        opsets = sources.catalogue.registered.opsets(op.qualified)
        return tuple(sorted({max(opset, LOWEST_OPSET) for opset in opsets}))

    def is_wanted(self, op: OpName, sources: Sources, *, correct: bool) -> bool:
        """As the registry has it."""
        opsets = sources.catalogue.registered.opsets(op.qualified)
        return bool(opsets) if correct else not opsets or opsets[0] > self.target.opsets.start

    def told_fault(self, op: OpName, sources: Sources) -> str | None:
        """What it says where it refuses arguments."""
        refusals = sources.catalogue.registered.refusals(op.qualified, self.target.opsets[-1])
        return f"says: {refusals[0].message}" if refusals else ""

    def lacks(self, seen: Verification) -> bool:
        """Never: the registry has told."""
        return False

    def leaves(self, plan: Plan) -> str:
        """What traces call in its place."""
        return plan.dynamo_only

    def never_asks(self, seen: Evidence) -> str:
        """Empty: what a model calls reaches the registry."""
        return ""

    def probe(self, none: NoPlan, overloads: Sequence[AtenSchema]) -> str:
        """Empty, for the same reason."""
        return ""

    def has_newer_form(self, plan: Plan, sources: Sources, opset: int) -> bool:
        """Never: torch's functions are registered from the opset on that they are made for."""
        return False

    def describe(self, first: int) -> str:
        """Torch's own function, with its opset."""
        return f"torch's own function, from opset {first} on,"

    def placements(
        self, plan: Plan, sources: Sources, lowest: int, below: int, own_templates: Path | None
    ) -> tuple[Placement, ...]:
        """A file for each range; registered again wherever torch has a version of its own inside it."""
        torch_opsets = sources.catalogue.registered.opsets(plan.op.qualified)

        def placement(lowered: LoweredPlan) -> Placement:
            last = min(lowered.last, below - 1)
            opsets = [lowered.first, *(opset for opset in torch_opsets if lowered.first < opset <= last)]
            module = render_module(lowered, opsets, own_templates, functions_in=self.functions_in)
            return Placement(lowered.first, last, f"symbolic_opset{lowered.first}", module)

        ranges = lower_plan(plan, sources.schemas, load_older_forms(), lowest)
        return tuple(placement(lowered) for lowered in ranges if lowered.first < below)


class TorchlibExporter:
    """Functions in a table, one for each overload; what it lacks it takes apart by torch's decompositions."""

    target = Target.TORCHLIB

    def registered(self, sources: Sources) -> tuple[OpName, ...]:
        """What torchlib has."""
        return _declared(load_torchlib_names(), sources)

    def own_opsets(self, op: OpName, sources: Sources) -> tuple[int, ...]:
        """Only an export tells: torchlib may have a function, or torch a decomposition."""
        return (TORCHLIB_OPSET,)

    def is_wanted(self, op: OpName, sources: Sources, *, correct: bool) -> bool:
        """Those with a function in torchlib may be wrong; what is lacking, the verification tells."""
        return op.namespace == "aten" and (not correct or op in self.registered(sources))

    def told_fault(self, op: OpName, sources: Sources) -> str | None:
        """Nothing: what the exporter does stands in no one place."""
        return None

    def lacks(self, seen: Verification) -> bool:
        """Whether no sample found a function."""
        failures = seen.evidence.failures
        return not seen.evidence.samples and bool(failures) and all(map(_found_nothing, failures))

    def leaves(self, plan: Plan) -> str:
        """What of it is better taken apart."""
        return plan.torchscript_only

    def never_asks(self, seen: Evidence) -> str:
        """What torch.export made of the operator in every sample, before the table was asked."""
        # A stub refuses where it is asked: for one overload, it may be, and not for another.
        is_asked = seen.samples or seen.failures or any(NO_TRANSLATION in one.detail for one in seen.refused)
        return seen.never_asked[0].detail if seen.never_asked and not is_asked else ""

    def probe(self, none: NoPlan, overloads: Sequence[AtenSchema]) -> str:
        """The stub."""
        return standalone_source(render_torchlib_stub(none, overloads))

    def has_newer_form(self, plan: Plan, sources: Sources, opset: int) -> bool:
        """Whether a later form than the first serves the opset: the exporter's own functions are of one opset."""
        try:
            forms = torchlib_forms(plan, sources.schemas, self.target.opsets[-1])
        except NotExpressibleError:
            return False
        return any(form.first <= opset <= form.last for form in forms[1:])

    def describe(self, first: int) -> str:
        """What it does without a table."""
        return "the exporter's own translation"

    def placements(
        self, plan: Plan, sources: Sources, lowest: int, below: int, own_templates: Path | None
    ) -> tuple[Placement, ...]:
        """All forms in the file of the family; a later form stands beside the first one."""
        forms = torchlib_forms(plan, sources.schemas, self.target.opsets[-1])

        def placement(form: LoweredPlan) -> Placement:
            types = deduce_types(form, sources.schemas)
            form = replace(form, first=max(form.first, lowest))
            return Placement(form.first, form.last, file_stem(plan), render_torchlib_module(form, types, own_templates))

        return tuple(placement(form) for form in forms if form.last >= lowest)


def exporter_of(config: Config) -> Exporter:
    """The exporter of a run.

    Raises:
        UsageError: where the target needs a package that is not installed, or has no local functions,
            or where the package's name is no domain for them.
    """
    if config.target is Target.TORCHSCRIPT:
        if not config.as_function:
            return TORCHSCRIPT_EXPORTER
        return TorchScriptExporter(functions_in=parse_domain(config.package.name).name)
    if config.as_function:
        raise UsageError(
            "--as-function is for the TorchScript exporter", hint="the dynamo exporter inlines the functions of a table"
        )
    if importlib.util.find_spec("onnxscript") is None:
        raise UsageError("the torchlib target needs onnxscript", hint="pip install 'symgen[torchlib]'")
    return TORCHLIB_EXPORTER


def _declared(names: Iterable[str], sources: Sources) -> tuple[OpName, ...]:
    """The ATen operators among some that native_functions.yaml declares."""
    found = [parse_op_name(name) for name in sorted(names) if name.startswith("aten::")]
    return tuple(
        name for name in found if sources.catalogue.is_native(name) and sources.catalogue.overloads_reaching(name)
    )


def _found_nothing(result: SampleResult) -> bool:
    return result.verdict is Verdict.EXPORT_ERROR and NO_FUNCTION in result.detail


TORCHSCRIPT_EXPORTER: Exporter = TorchScriptExporter()
TORCHLIB_EXPORTER: Exporter = TorchlibExporter()
