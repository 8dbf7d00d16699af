"""Proof by round trip: samples are found, exported, run and compared in child processes; the parent needs no torch."""

from __future__ import annotations

from symgen.verify.findings import Finding, find_smallest
from symgen.verify.pool import Pool, PoolError, start_pool
from symgen.verify.session import InterruptedVerification, Progress, collect_samples, verify, verify_many
from symgen.verify.task import SampleSet, Tolerance, Verification, VerifyTask

__all__ = [
    "Finding",
    "InterruptedVerification",
    "Pool",
    "PoolError",
    "Progress",
    "SampleSet",
    "Tolerance",
    "Verification",
    "VerifyTask",
    "collect_samples",
    "find_smallest",
    "start_pool",
    "verify",
    "verify_many",
]
