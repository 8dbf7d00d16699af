"""What a verification is asked for, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass, field

from symgen.config import Target
from symgen.model.names import OpName
from symgen.model.result import Evidence, SampleResult
from symgen.model.sample import SampleSpec
from symgen.model.schema import AtenSchema
from symgen.render.runtime import CARRYING_COMPLEX

KNOWS_COMPLEX = f"@{CARRYING_COMPLEX}"
"""What stands in the text of a module whose functions the dynamo exporter asks of complex tensors too."""


@dataclass(frozen=True)
class Tolerance:
    """A tolerance looser than torch's own for the dtype, and why it has to be."""

    dtype: str
    rtol: float
    atol: float
    reason: str


@dataclass(frozen=True)
class VerifyTask:
    """One operator to verify.

    `modules` holds, for each opset at which a file stands, the full text of a module that registers itself when it is
    run. Without modules torch's own functions are judged.
    """

    op: str
    schemas: tuple[AtenSchema, ...]
    modules: tuple[tuple[int, str], ...] = ()
    opsets: tuple[int, ...] = tuple(range(9, 21))
    full: bool = False
    tolerances: tuple[Tolerance, ...] = ()
    target: Target = Target.TORCHSCRIPT

    @property
    def name(self) -> OpName:
        """The operator's name in its parts."""
        namespace, _, base = self.op.partition("::")
        return OpName(namespace, base)

    @property
    def knows_complex(self) -> bool:
        """Whether the dynamo exporter asks the task's functions of complex tensors; else it has others for them."""
        return any(KNOWS_COMPLEX in text for _, text in self.modules)

    @property
    def ranges(self) -> tuple[tuple[int, ...], ...]:
        """The claimed opsets, cut where the code changes."""
        starts = sorted(opset for opset, _ in self.modules)
        groups: dict[int, list[int]] = {}
        for opset in sorted(self.opsets):
            groups.setdefault(max((start for start in starts if start <= opset), default=0), []).append(opset)
        return tuple(tuple(group) for group in groups.values())


@dataclass(frozen=True)
class SampleSet:
    """The samples of one operator that eager torch takes, the most telling first, and what is to be said of them."""

    op: str
    samples: tuple[SampleSpec, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verification:
    """What a verification saw, and the samples with which it did."""

    op: str
    evidence: Evidence = field(default_factory=Evidence)
    samples: SampleSet = field(default_factory=lambda: SampleSet(""))
    proven: tuple[SampleSpec, ...] = ()
    """Those of the samples that stand for all and were right wherever they were run; a test is made of them."""
    refused: tuple[SampleSpec, ...] = ()
    """The samples that were refused wherever they were run."""
    failed: tuple[tuple[SampleSpec, SampleResult], ...] = ()
    """The samples that failed, each with what it showed where."""
    same: str = ""
    """The name of the property that says whether a result is right, where values are free."""
    ends: tuple[int, ...] = ()
    """The first and the last opset of each range in which the code is the same."""
