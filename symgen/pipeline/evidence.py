"""What `match` shows of proofs: those on record, those made now, and how accurate a translation is."""

from __future__ import annotations

from symgen.config import Config
from symgen.lower.versions import NotExpressibleError
from symgen.model.accuracy import Accuracy
from symgen.model.plan import Plan
from symgen.model.result import Evidence
from symgen.pipeline.exporters import exporter_of
from symgen.pipeline.translate import translate
from symgen.sources import Sources
from symgen.verify.messages import AccuracyJob, Ended, Failed, Measured
from symgen.verify.pool import Pool
from symgen.verify.record import load_record, store_record
from symgen.verify.session import verify
from symgen.verify.task import VerifyTask


def recorded_evidence(plan: Plan, sources: Sources, config: Config) -> Evidence | None:
    """What an earlier verification of this plan's code saw; None where there was none."""
    task = _task(plan, sources, config)
    record = load_record(task) if task else None
    return record.evidence if record else None


def evidence_now(plan: Plan, sources: Sources, config: Config, pool: Pool) -> Evidence | None:
    """Verifies the plan; None where no opset can say it."""
    task = _task(plan, sources, config)
    if task is None:
        return None
    seen = verify(task, pool=pool)
    store_record(task, seen)
    return seen.evidence


def accuracy_now(plan: Plan, sources: Sources, config: Config, pool: Pool) -> Accuracy | str:
    """Measures the plan's code over a sweep, or says why that can't be done."""
    task = _task(plan, sources, config)
    if task is None:
        return "no opset can say it"
    number = pool.submit(AccuracyJob(task))
    found: Accuracy | str = "it could not be measured"
    for of, message in pool.messages():
        if of != number:
            continue
        match message:
            case Measured(accuracy):
                found = accuracy
            case Failed(error, _):
                found = error
            case Ended():
                break
            case _:
                pass
    return found


def _task(plan: Plan, sources: Sources, config: Config) -> VerifyTask | None:
    """The same task that `new` verifies, so that their records are one."""
    try:
        translation = translate(
            plan, sources, lowest=config.opset, own_templates=config.templates, exporter=exporter_of(config)
        )
    except NotExpressibleError:
        return None
    return VerifyTask(plan.op.qualified, plan.overloads, translation.modules, translation.opsets, target=config.target)
