"""What `symgen match` tells of one operator."""

from __future__ import annotations

from dataclasses import dataclass

from symgen.model.accuracy import Accuracy
from symgen.model.location import Location
from symgen.model.result import Evidence, Strategy


@dataclass(frozen=True)
class Declared:
    """One declaration of the operator, and where it stands."""

    text: str
    location: Location


@dataclass(frozen=True)
class OperatorUse:
    """An ONNX operator that a translation uses: the first opset that has it, and the runtime's kernels for it."""

    name: str
    since: int
    kernels: tuple[str, ...]
    """The dtypes for which ONNX Runtime has a kernel, as torch names them."""
    reach: str = ""
    """What the exporter and the runtime reach of it, for an operator that is newer than most."""


@dataclass(frozen=True)
class CandidateReport:
    """One way to translate the operator, with its verdict before anything is run."""

    strategy: Strategy
    verdict: str
    opsets: tuple[tuple[int, int], ...] = ()
    """The ranges in which the generated code is the same, from the lowest; empty where the candidate can't be used."""
    parameters: tuple[tuple[str, str], ...] = ()
    """Each parameter with what becomes of it."""
    operators: tuple[OperatorUse, ...] = ()
    limits: tuple[str, ...] = ()
    plan: str = ""
    """The body of the translation, in the plan language."""
    evidence: Evidence | None = None
    """What a verification saw, where one was run or is on record."""
    accuracy: Accuracy | str | None = None
    """How accurate the translation is, or why that can't be measured; None where it was not asked for."""


@dataclass(frozen=True)
class Explanation:
    """One operator: what torch and ONNX declare of it, and each candidate, in the order in which they are tried."""

    asked: str
    op: str
    arrival: str
    """Why `op` is another name than the one asked for; empty where it is not."""
    overloads: tuple[Declared, ...]
    stubs: tuple[Declared, ...]
    standardised: tuple[str, int] | None
    """The ONNX operator of the same name, and the first opset that has it."""
    standard_reach: str
    """What the exporter and the runtime reach of that one, where it is newer than most."""
    registered: tuple[int, ...]
    """The opsets at which torch registers a function of its own."""
    refusals: tuple[str, ...]
    """What torch's own function refuses, as far as its source shows."""
    candidates: tuple[CandidateReport, ...]
    exporter: str = "torchscript"
    """Whose functions the candidates are: `torchscript`, or `dynamo`."""
    reach: str = ""
    """Which opsets the exporter reaches, where it builds models of one and converts them."""
    reason: str = ""
    """Why there is no translation; empty where a candidate can be tried."""
