"""What comes out: the evidence of a verification, and the outcome of an operator's way through the pipeline."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field


class Strategy(enum.StrEnum):
    """How an operator was translated; the values are part of the command-line contract."""

    SAME_NAME = "same-name"
    ALIAS = "alias"
    DECOMPOSITION = "decomposition"
    DERIVED = "derived"
    NONE = "none"


class Status(enum.StrEnum):
    """How an operator's way ended; the values are part of the command-line contract."""

    VERIFIED = "verified"
    UNCHANGED = "unchanged"
    PARTIAL = "partial"
    WRITTEN = "written"
    STUB = "stub"
    FAILED = "failed"


class Verdict(enum.StrEnum):
    """What one sample showed."""

    RIGHT = "right"
    REFUSED = "refused"
    """The function raised `SymbolicValueError` for an argument that it does not take."""
    UNSUPPORTED_EAGER = "unsupported in eager"
    """Eager torch itself refuses the sample; it says nothing of the function."""
    EXPORT_ERROR = "export error"
    INVALID_MODEL = "invalid model"
    NO_KERNEL = "no kernel in the runtime"
    """Valid ONNX that the runtime cannot run and `onnx.reference` could not decide either."""
    RUNTIME_ERROR = "runtime error"
    WRONG_SHAPE = "wrong shape"
    WRONG_DTYPE = "wrong dtype"
    WRONG_VALUE = "wrong value"
    CRASH = "crash"
    TIMEOUT = "timeout"
    NEVER_ASKED = "never asked for"
    """The exporter made a model of the sample without the function; it says nothing of the function."""

    @property
    def is_failure(self) -> bool:
        """Whether a function with such a sample cannot be called verified."""
        says_nothing = {Verdict.UNSUPPORTED_EAGER, Verdict.NO_KERNEL, Verdict.NEVER_ASKED}
        return self not in {Verdict.RIGHT, Verdict.REFUSED, *says_nothing}


@dataclass(frozen=True)
class SampleResult:
    """One sample at one opset in one mode, and what it showed."""

    sample: str
    """A description short enough to print and exact enough to find the sample again."""
    dtype: str
    opset: int
    mode: str
    """`traced`, `scripted`; with `+dynamic` where the axes were dynamic."""
    verdict: Verdict
    detail: str = ""
    max_abs_err: float = 0.0
    max_rel_err: float = 0.0
    by_reference: bool = False
    """Whether `onnx.reference` decided, because the runtime has no kernel."""


@dataclass(frozen=True)
class Evidence:
    """What a verification saw: the sums, and each sample that did not pass."""

    samples: int = 0
    dtypes: tuple[str, ...] = ()
    opsets: tuple[int, ...] = ()
    modes: tuple[str, ...] = ()
    max_abs_err: float = 0.0
    max_rel_err: float = 0.0
    by_reference: tuple[str, ...] = ()
    """The dtypes for which `onnx.reference` decided."""
    refused: tuple[SampleResult, ...] = ()
    failures: tuple[SampleResult, ...] = ()
    no_kernel: tuple[SampleResult, ...] = ()
    """Valid models that neither the runtime nor `onnx.reference` could run."""
    never_asked: tuple[SampleResult, ...] = ()
    """Models that hold nothing of the function, as those of an overload that torch.export takes apart."""
    exports: int = 0
    runs: int = 0
    notes: tuple[str, ...] = ()
    """What else is to be said: that OpInfo could not be asked, for one."""
    refused_lengths: tuple[str, ...] = ()
    """The arguments that have to be known at export, where torch takes the length of an input that is not."""

    @classmethod
    def of(cls, results: Sequence[SampleResult]) -> Evidence:
        """The sums of what exports showed that each stand for one sample at one opset in one mode."""
        right = [result for result in results if result.verdict is Verdict.RIGHT]
        return cls(
            samples=len({result.sample for result in right}),
            dtypes=tuple(sorted({dtype for result in right for dtype in result.dtype.split("/") if dtype})),
            opsets=tuple(sorted({result.opset for result in right})),
            modes=tuple(sorted({result.mode for result in right})),
            max_abs_err=max((result.max_abs_err for result in right), default=0.0),
            max_rel_err=max((result.max_rel_err for result in right), default=0.0),
            refused=tuple(result for result in results if result.verdict is Verdict.REFUSED),
            failures=tuple(result for result in results if result.verdict.is_failure),
            exports=len(results),
        )

    @property
    def is_proof(self) -> bool:
        """Whether at least one sample passed and none failed."""
        return self.samples > 0 and not self.failures


@dataclass(frozen=True)
class Removal:
    """What became of the files that held an operator which was taken out."""

    changed: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    """Those in which nothing was left."""


@dataclass(frozen=True)
class Outcome:
    """One operator's line in the report of `new`, `fix`, `verify` and `audit`."""

    asked: str
    op: str
    status: Status
    strategy: Strategy = Strategy.NONE
    opset: int | None = None
    files: tuple[str, ...] = ()
    test_files: tuple[str, ...] = ()
    reason: str = ""
    evidence: Evidence = field(default_factory=Evidence)
    custom_opsets: tuple[tuple[str, int], ...] = ()
    """The domains of the user's own that the function's nodes are in, with the versions that an export has to give."""
    removal: Removal | None = None
    """Where the operator was taken out. To scripts that is `written` with a reason."""
    through: tuple[str, ...] = ()
    """The operators that it is made of and whose functions, written now, put it right. To scripts it is `unchanged`."""

    @property
    def exit_status(self) -> int:
        """0 where the operator is served, 1 for a stub and a failure."""
        return int(self.status in {Status.STUB, Status.FAILED})
