"""`coverage --verify`: how right each operator is exported, by whoever serves it, without anything being written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from symgen.config import Config
from symgen.introspect.onnx_schemas import HIGHEST_OPSET
from symgen.model.result import Evidence, Status
from symgen.model.run import Listener, ignore_steps
from symgen.pipeline.decide import Decision, Settings, decide
from symgen.pipeline.derive import with_derived
from symgen.pipeline.drive import run_trials
from symgen.pipeline.resolve import resolve_names
from symgen.sources import Sources
from symgen.verify.pool import start_pool

_EVERY_DTYPE = ""


@dataclass(frozen=True)
class Judgement:
    """What a verification says of one operator as it is exported with symgen's functions, or by torch alone."""

    op: str
    status: Status
    by: str
    """`torch` where its own function is right, `symgen` where symgen's is used, else `neither`."""
    float32: bool
    """Whether every float32 sample is right, and none was refused; all samples, where torch takes no float32."""
    every_dtype: bool
    """Whether every sample is right, in every dtype that eager torch takes, and none was refused."""
    reason: str
    evidence: Evidence


def survey(
    ops: Sequence[str], sources: Sources, config: Config, listener: Listener = ignore_steps
) -> tuple[Judgement, ...]:
    """Judges operators as `new` would, in the order given.

    Raises:
        UnknownNameError: where nothing declares an operator.
        InterruptedVerification: on Ctrl-C; what was seen is on record.
    """
    requests = resolve_names(ops, sources)
    settings = Settings(lowest=config.opset, own_templates=config.templates)
    with start_pool(os.cpu_count() or 1) as pool:
        sources = with_derived(sources, [request.op for request in requests], pool, config.opset)
        decisions = run_trials([decide(request, sources, settings) for request in requests], pool, listener)
    return tuple(_judge(op, decision) for op, decision in zip(ops, decisions, strict=True))


def _judge(op: str, decision: Decision) -> Judgement:
    served = decision.status in {Status.VERIFIED, Status.PARTIAL, Status.UNCHANGED}
    evidence = decision.evidence
    right_by_torch = decision.status is Status.UNCHANGED and decision.translation is None
    by = "torch" if right_by_torch else "symgen" if served else "neither"
    every_dtype = right_by_torch or (served and is_right(evidence, _EVERY_DTYPE))
    return Judgement(
        op=op,
        status=decision.status,
        by=by,
        float32=every_dtype or (served and is_right(evidence, "float32")),
        every_dtype=every_dtype,
        reason=decision.reason,
        evidence=evidence,
    )


def is_right(evidence: Evidence, dtype: str) -> bool:
    """Whether samples of a dtype (of any where it is empty) were right up to the newest opset, none failed."""
    wrong = [one for one in (*evidence.failures, *evidence.refused) if not dtype or one.dtype in (dtype, "")]
    seen = evidence.dtypes if not dtype else [one for one in evidence.dtypes if one == dtype]
    return bool(seen) and not wrong and HIGHEST_OPSET in evidence.opsets
