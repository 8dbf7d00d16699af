"""What travels between the parent, the supervisor and the children: jobs down, messages up. All of it is data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from symgen.model.accuracy import Accuracy
from symgen.model.result import SampleResult, Verdict
from symgen.model.sample import SampleSpec
from symgen.verify.plan import Case
from symgen.verify.scan_jobs import ScanAnswer, ScanStep
from symgen.verify.task import VerifyTask
from symgen.verify.user_jobs import UserAnswer, UserJob


@dataclass(frozen=True)
class SampleJob:
    """Find the samples of a task; `known` ones beside those that are generated, without the `deadly` ones."""

    task: VerifyTask
    known: tuple[SampleSpec, ...] = ()
    deadly: frozenset[SampleSpec] = frozenset()


@dataclass(frozen=True)
class RunJob:
    """Run these cases of a task."""

    task: VerifyTask
    cases: tuple[Case, ...]


@dataclass(frozen=True)
class OpInfoJob:
    """Collect OpInfo's samples of these tasks' operators."""

    tasks: tuple[VerifyTask, ...]


@dataclass(frozen=True)
class ShrinkJob:
    """Make the sample that showed this result as small as possible."""

    task: VerifyTask
    sample: SampleSpec
    result: SampleResult


@dataclass(frozen=True)
class AccuracyJob:
    """Measure how accurate the task's operator is."""

    task: VerifyTask


Job = SampleJob | RunJob | OpInfoJob | ShrinkJob | AccuracyJob | UserJob[Any]


@dataclass(frozen=True)
class About:
    """The child is about to do something with this sample that may kill it."""

    sample: SampleSpec
    case: Case | None = None
    exporting: bool = False
    """Whether it is the export, which all samples of the case wait for."""


@dataclass(frozen=True)
class Seen:
    """What a sample showed."""

    case: Case
    sample: SampleSpec
    result: SampleResult


@dataclass(frozen=True)
class Found:
    """The samples that eager torch takes."""

    samples: tuple[SampleSpec, ...]


@dataclass(frozen=True)
class Collected:
    """OpInfo's samples, by operator."""

    samples: tuple[tuple[str, tuple[SampleSpec, ...]], ...]
    note: str = ""


@dataclass(frozen=True)
class Shrunk:
    """The smallest sample with the same verdict, and what it showed."""

    sample: SampleSpec
    result: SampleResult


@dataclass(frozen=True)
class Measured:
    """How accurate an operator is, or why that can't be measured."""

    accuracy: Accuracy | str


@dataclass(frozen=True)
class Counted:
    """How many exports and runs a child did."""

    exports: int
    runs: int


@dataclass(frozen=True)
class Failed:
    """The child could not do its job: the module does not run, or a fault of our own; with the traceback."""

    error: str
    trace: str
    death: Verdict | None = None
    """Where the child itself came to its end: a crash or a timeout."""
    cause: str = ""
    """And of what: `SIGSEGV`."""


@dataclass(frozen=True)
class Ended:
    """The job is done; nothing more comes of it."""


Message = (
    About | Seen | Found | Collected | Shrunk | Measured | Counted | UserAnswer | ScanAnswer | ScanStep | Failed | Ended
)
