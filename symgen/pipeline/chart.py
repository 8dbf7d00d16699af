"""How operators stand at every opset of both exporters, from what is declared and what is on record; nothing is run."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from symgen.config import Config, Target
from symgen.coverage import CoverageRow, forward_operators, list_coverage, lowest_opset
from symgen.introspect.cache import cache_folder
from symgen.introspect.torchlib_functions import load_torchlib_names
from symgen.lower.torchlib import TORCHLIB
from symgen.lower.versions import NotExpressibleError
from symgen.match.matcher import Match
from symgen.model.names import OpName, parse_op_name
from symgen.model.plan import Plan
from symgen.model.result import Evidence, Strategy
from symgen.model.standing import WHOLE, Apart, Chart, Ours, Proof, Span, Torch, to_spans
from symgen.pipeline.apart_on_record import Asked, OnRecord, PartState, apart_on_record
from symgen.pipeline.audit import last_audit
from symgen.pipeline.decide import FAILS_ALOUD, only_fails_aloud
from symgen.pipeline.exporters import TORCHLIB_EXPORTER, TORCHSCRIPT_EXPORTER, Exporter
from symgen.pipeline.in_parts import probe_task
from symgen.pipeline.in_processes import over_all
from symgen.pipeline.release_records import ReleaseRecord, ReleaseRecords, load_release_records, with_known_faults
from symgen.pipeline.translate import from_opset, translate
from symgen.sources import Sources, arrival_in, match_in
from symgen.verify.exported_plan import EXPORTED
from symgen.verify.record import load_record
from symgen.verify.task import Verification, VerifyTask

_OF_TORCHLIB = f'"{EXPORTED}'.encode()
"""Stands in the records of one exporter only, as the mode of what was run."""
_EXPORTERS: tuple[Exporter, ...] = (TORCHSCRIPT_EXPORTER, TORCHLIB_EXPORTER)


@dataclass(frozen=True)
class _Records:
    """All that is on record: files by the operators in their names, and what the last audits found wanting."""

    files: Mapping[str, tuple[Path, ...]]
    wanting: Mapping[Target, tuple[str, ...] | None]
    released: ReleaseRecords
    """What was seen when this version was made, for what has no record here."""

    def targets(self, op: str) -> frozenset[Target]:
        """The exporters that an operator has records of, at all; whether one still holds, only its task tells."""
        found = set()
        for path in self.files.get(op.replace("::", "."), ()):
            with contextlib.suppress(OSError):
                found.add(Target.TORCHLIB if _OF_TORCHLIB in path.read_bytes() else Target.TORCHSCRIPT)
        return frozenset(found)


def list_charted(names: Sequence[OpName], sources: Sources, config: Config) -> tuple[tuple[CoverageRow, Chart], ...]:
    """A row for each of the names, or for every forward operator, with its chart; many are spread over the cores.

    Args:
        names: the operators; none for all.
        sources: what torch and onnx declare.
        config: the settings of the run.

    Raises:
        UnknownNameError: where nothing declares an operator.
    """
    return over_all(_list_charted, names or forward_operators(sources), sources, config)


def _list_charted(names: Sequence[OpName], sources: Sources, config: Config) -> tuple[tuple[CoverageRow, Chart], ...]:
    rows, records = list_coverage(sources, names), _load_records(config)
    return tuple((row, _chart(row, sources, config, records)) for row in rows)


def _load_records(config: Config) -> _Records:
    files: dict[str, tuple[Path, ...]] = {}
    for path in (cache_folder() / "evidence").glob("*.json"):
        op = path.name.rpartition("-")[0]
        files[op] = (*files.get(op, ()), path)
    wanting = {target: last_audit(replace(config, target=target)) for target in Target}
    return _Records(files, wanting, load_release_records())


@dataclass(frozen=True)
class _Side:
    """How an operator stands in one exporter by itself, and the proofs of that."""

    match: Match
    torch: Callable[[int], Torch]
    lowest: int | None
    """The lowest opset at which symgen's first plan can be said."""
    first_proven: int | None
    proofs: tuple[Proof, ...]
    seen: tuple[Verification, ...]
    """What this machine's record has of that plan's code."""
    is_recorded: bool
    """Whether this machine has records of the operator at all."""

    def ours(self, opset: int, apart: Apart) -> Ours:
        """What symgen has for it."""
        if self.lowest is None or opset < self.lowest:
            return Ours.NONE
        if self.first_proven is not None and self.first_proven <= opset:
            return Ours.VERIFIED
        return Ours.UNVERIFIED if apart == WHOLE else Ours.NEVER_ASKED


def _chart(row: CoverageRow, sources: Sources, config: Config, records: _Records) -> Chart:
    spans: list[Span] = []
    proofs: list[Proof] = []
    strategies: list[tuple[str, Strategy]] = []
    arrivals = [arrival_in(sources, parse_op_name(row.op), exporter.target).op for exporter in _EXPORTERS]
    matches = {op: match_in(sources, op) for op in dict.fromkeys(arrivals)}
    for exporter, op in zip(_EXPORTERS, arrivals, strict=True):
        plans = matches[op].plans
        lowest = row.symgen if exporter.target is Target.TORCHSCRIPT else _lowest_in_torchlib(plans, sources)
        side = _side(matches[op], lowest, exporter, sources, config, records)
        proofs += side.proofs
        apart = _apart(side, exporter, sources, config, records)
        if apart is not None:
            proofs.append(apart.proof)
        cells = []
        for opset in exporter.target.opsets:
            made = apart.at(opset) if apart else WHOLE
            cells.append((opset, side.torch(opset), side.ours(opset, made), made))
        spans += to_spans(exporter.target, cells)
        strategies.append((exporter.target, plans[0].strategy if lowest is not None else Strategy.NONE))
    return Chart(tuple(spans), tuple(proofs), tuple(strategies))


def _side(
    match: Match, lowest: int | None, exporter: Exporter, sources: Sources, config: Config, records: _Records
) -> _Side:
    op = match.op
    proofs: list[Proof] = []
    is_recorded = exporter.target in records.targets(op.qualified)
    own = _own_record(op, sources, exporter) if is_recorded else None
    known = records.released.of_torch(op.qualified, exporter.target)
    if own is not None:
        own = replace(own, evidence=with_known_faults(own.evidence, known))
    torch = _torch_states(op, sources, exporter, own, records.wanting[exporter.target])
    if own is not None:
        proofs.append(Proof(op.qualified, exporter.target, "torch", own.evidence, own.failed))
    elif known is not None:
        torch = _as_released(known, torch)
        proofs.append(known.proof)
    proven, seen = None, []
    if match.plans and lowest is not None:
        seen = list(_records_here(match.plans[0], sources, config, exporter)) if is_recorded else []
        proven = _proof(match.plans[0], seen, exporter, records.released)
    if proven is not None:
        proofs.append(proven[1])
    first_proven = proven[0] if proven else None
    return _Side(match, torch, lowest, first_proven, tuple(proofs), tuple(one for _, one in seen), is_recorded)


def _apart(side: _Side, exporter: Exporter, sources: Sources, config: Config, records: _Records) -> OnRecord | None:
    """What is on record of an operator that the exporter never asks for, if it is one."""
    if exporter.target is Target.TORCHSCRIPT or side.first_proven is not None:
        return None
    op = side.match.op.qualified
    here = _never_asked_here(side, exporter) if side.is_recorded else None

    @functools.cache
    def state_of(name: str) -> PartState | None:
        part = parse_op_name(name)
        if not sources.catalogue.is_native(part):
            return None
        match = match_in(sources, part)
        found = _side(match, _lowest_in_torchlib(match.plans, sources), exporter, sources, config, records)
        return PartState(found.torch, found.first_proven)

    seen = [failure for proof in side.proofs if proof.by == "torch" for failure in proof.evidence.failures]
    faults = (*seen, *records.released.faults(op, exporter.target, exporter.target.opsets))
    asked = Asked(side.match, exporter, side.torch, faults, state_of)
    return apart_on_record(asked, here, records.released, sources, may_have_run=side.is_recorded)


def _never_asked_here(side: _Side, exporter: Exporter) -> Evidence | None:
    """What a verification on this machine's record saw, if it never asked for the function that it was of."""
    seen = side.seen
    if all(map(exporter.leaves, side.match.plans)):
        task = probe_task(side.match, exporter)
        record = load_record(task) if task else None
        seen = (record,) if record else ()
    return next((one.evidence for one in seen if exporter.never_asks(one.evidence)), None)


def _as_released(known: ReleaseRecord, torch: Callable[[int], Torch]) -> Callable[[int], Torch]:
    """What torch has by a record that came with symgen, at the opsets that it tells of."""

    def state(opset: int) -> Torch:
        said = known.state(opset)
        return torch(opset) if said is None else Torch(said)

    return state


def _lowest_in_torchlib(plans: Sequence[Plan], sources: Sources) -> int | None:
    """The lowest opset of the dynamo exporter at which the first plan can be said."""
    return lowest_opset(plans[0], sources, Target.TORCHLIB.opsets, TORCHLIB)[0] if plans else None


def _own_record(op: OpName, sources: Sources, exporter: Exporter) -> Verification | None:
    """What the last audit saw of the exporter's own function, or of what it does without one."""
    own = exporter.own_opsets(op, sources)
    if not own:
        return None
    opsets = tuple(range(max(own[0], exporter.target.opsets.start), exporter.target.opsets.stop))
    overloads = sources.catalogue.overloads_reaching(op)
    return load_record(VerifyTask(op.qualified, overloads, opsets=opsets, target=exporter.target))


def _torch_states(
    op: OpName, sources: Sources, exporter: Exporter, seen: Verification | None, wanting: tuple[str, ...] | None
) -> Callable[[int], Torch]:
    """What torch has for an operator at an opset."""
    if exporter.target is Target.TORCHLIB:
        if seen is not None:
            lacks = exporter.lacks(seen)
            return lambda opset: Torch.NONE if lacks else judged(seen.evidence, exporter.target.opsets)
        has = op.qualified in load_torchlib_names()
        return lambda opset: Torch.UNJUDGED if has else Torch.UNKNOWN
    registered = sources.catalogue.registered
    own = registered.opsets(op.qualified)

    def state(opset: int) -> Torch:
        since = max((one for one in own if one <= opset), default=None)
        if since is None:
            return Torch.NONE
        end = min((one for one in own if one > opset), default=exporter.target.opsets.stop)
        if seen is not None:
            return judged(seen.evidence, range(since, end))
        if registered.refusals(op.qualified, opset):
            return Torch.REFUSES
        if wanting is None:
            return Torch.UNJUDGED
        return Torch.WRONG if op.qualified in wanting else Torch.RIGHT

    return state


def judged(evidence: Evidence, opsets: range) -> Torch:
    """What a verification says of a function that serves some opsets.

    What fails aloud for some arguments, while others are right, is refused: nobody gets a wrong number.
    """
    failures = [failure for failure in evidence.failures if failure.opset in opsets]
    is_right = any(opset in opsets for opset in evidence.opsets)
    if failures and not (is_right and all(failure.verdict in FAILS_ALOUD for failure in failures)):
        return Torch.WRONG
    if failures or any(refused.opset in opsets for refused in evidence.refused):
        return Torch.REFUSES
    return Torch.RIGHT if is_right else Torch.UNJUDGED


def _proof(
    plan: Plan, seen: Sequence[tuple[int, Verification]], exporter: Exporter, released: ReleaseRecords
) -> tuple[int, Proof] | None:
    """A proof of the plan's code, from this machine or from when symgen was made, with the opset it holds from."""
    for first, one in seen:
        if _is_proof(one.evidence):
            return first, Proof(plan.op.qualified, exporter.target, "symgen", one.evidence, one.failed)
    known = released.of_plan(plan, exporter.target)
    firsts = [first for first, _, state in known.spans if state == Ours.VERIFIED] if known else []
    return (min(firsts), known.proof) if known and firsts else None


def _is_proof(evidence: Evidence) -> bool:
    return evidence.is_proof or (evidence.samples > 0 and only_fails_aloud(evidence))


def _records_here(
    plan: Plan, sources: Sources, config: Config, exporter: Exporter
) -> Iterator[tuple[int, Verification]]:
    """What this machine's record has of the plan's code, up to a proof, each with the first opset that it is of.

    `new` verifies what it would write: all opsets, those below torch's own first, or those above the last that fails;
    from the lowest opset on that can say the plan, or from the one that was asked for. What was made without
    `--opset` serves an opset as well.
    """
    own = exporter.own_opsets(plan.op, sources)
    ends = (None, *(first for first in own[:1] if first > exporter.target.opsets.start))
    for lowest, below in itertools.product(dict.fromkeys((None, config.opset)), ends):
        try:
            translation = translate(
                plan, sources, lowest=lowest, own_templates=config.templates, below=below, exporter=exporter
            )
        except NotExpressibleError:
            continue
        while translation.placements:
            overloads = sources.catalogue.overloads_reaching(plan.op)
            task = VerifyTask(
                plan.op.qualified, overloads, translation.modules, translation.opsets, target=exporter.target
            )
            seen = load_record(task)
            if seen is None:
                break
            yield translation.first, seen
            if _is_proof(seen.evidence):
                return
            failing = [failure.opset for failure in seen.evidence.failures]
            if not failing:
                break
            translation = from_opset(translation, max(failing) + 1)
