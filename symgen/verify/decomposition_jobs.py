"""The job that traces what torch's own decomposition of an operator does."""

from __future__ import annotations

from dataclasses import dataclass

from symgen.model.traces import Traced
from symgen.verify.task import VerifyTask
from symgen.verify.user_jobs import UserJob


@dataclass(frozen=True)
class TraceJob(UserJob[Traced]):
    """Trace the decomposition of the task's operator on calls that the sample generator finds."""

    task: VerifyTask
    sayable: frozenset[str]
    """Operators that are left whole."""
