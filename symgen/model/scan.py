"""What a scan of a model finds: everything that stands between it and ONNX, each with its place and what to do."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from symgen.model.result import Outcome


class Kind(enum.StrEnum):
    """What is in the way; the values are part of the command-line contract."""

    MISSING = "missing"
    """No symbolic function at any opset."""
    LATER_OPSET = "later-opset"
    """A symbolic function, but at a later opset only."""
    REFUSED = "refused"
    """A symbolic function that refuses these arguments."""
    CUSTOM_OP = "custom-op"
    """An operator of a namespace that isn't torch's, without a symbolic function."""
    PYTHON_OP = "python-op"
    """A torch.autograd.Function."""
    CONTROL_FLOW = "control-flow"
    """A branch or a loop that can't be said."""
    DROPPED_WRITE = "dropped-write"
    """A write in place that the exporter drops without a word."""
    BAKED = "baked"
    """A value that tracing turns into a constant."""
    OTHER_DOMAIN = "other-domain"
    """A node of a domain that isn't ONNX's."""
    WRONG_RESULT = "wrong-result"
    """The first operator whose result in the exported model differs from eager torch's."""
    EXPORTER = "exporter"
    """A failure of the exporter itself, outside of any symbolic function."""


class Severity(enum.StrEnum):
    """What comes of it; the values are part of the command-line contract."""

    ERROR = "error"
    """The export fails."""
    WRONG = "wrong"
    """The export succeeds, and the model is wrong for some inputs, or for all."""
    NOTE = "note"
    """The export is right; said so that nothing happens in silence."""


DynamicAxes = tuple[tuple[str, tuple[tuple[int, str], ...]], ...]
"""The dynamic axes of inputs, by the inputs' names: places and names of axes."""


@dataclass(frozen=True)
class Place:
    """Where something is used first: the path of the module in the model, and the line of source."""

    module: str = ""
    """As in `model.get_submodule(module)`; empty for the model itself."""
    path: str = ""
    """The file, or empty where the graph doesn't say."""
    line: int = 0

    @property
    def source(self) -> str:
        """`model.py:12`; empty where the source is unknown."""
        return f"{self.path}:{self.line}" if self.path else ""

    def __str__(self) -> str:
        return " in ".join(part for part in (self.source, self.module) if part) or "the model"


@dataclass(frozen=True)
class Finding:
    """One thing that was found, however often it occurs."""

    kind: Kind
    severity: Severity
    op: str
    """The operator as the exporter looks it up, or `module:Class` of a Function."""
    count: int
    place: Place
    reason: str
    """What is wrong, as a sentence."""
    action: str = ""
    """What symgen would do about it, or the user can; as a sentence."""
    since: int | None = None
    """The opset from which torch has a function, for what comes at a later one."""
    inside: str = ""
    """The Function whose `forward` calls it, where it is called there."""
    falls_back: Mapping[str, str] = field(default_factory=dict)
    """By `operator_export_type`: the node that stands in for the operator under it."""
    new: str = ""
    """What `symgen new` would take to write it; empty where it can't."""

    @property
    def lines(self) -> tuple[str, ...]:
        """As people read it: what, how often and where; what is wrong; what to do."""
        times = f" ({self.count} times)" if self.count > 1 else ""
        inside = f", called by {self.inside}" if self.inside else ""
        head = f"{self.place}: {self.kind} {self.op}{times}{inside}"
        rest = (f"  {name:<7} {text}" for name, text in (("reason", self.reason), ("do", self.action)) if text)
        return (head, *rest)


RIGHT = "right"
NOT_COMPARED = "not compared"
"""The verdict on a valid model that nothing here can run, as some of its nodes are the user's own."""


@dataclass(frozen=True)
class ExportCheck:
    """How the export of the whole model came out, with the package loaded."""

    path: str
    verdict: str
    """`right`, `not compared`, or what went wrong: an export error, an invalid model, a wrong value."""
    detail: str = ""
    nodes: int = 0
    max_abs_err: float = 0.0
    max_rel_err: float = 0.0
    first_wrong: Finding | None = None
    """The first operator whose result differs."""
    reproduction: str = ""
    """The script that shows it."""

    @property
    def is_usable(self) -> bool:
        """Whether the model gives what eager torch gives, or is valid and can't be run here."""
        return self.verdict in (RIGHT, NOT_COMPARED)


@dataclass(frozen=True)
class Report:
    """All that a scan found, in the order of first use."""

    target: str
    opset: int
    nodes: int
    """Of the traced graph, with those of called functions, branches and loops."""
    findings: tuple[Finding, ...]
    exporter: str = "torchscript"
    """The exporter that the model is judged against: `torchscript`, or `dynamo` for a `.pt2`."""
    input_names: tuple[str, ...] = ()
    """The names of the inputs in an export, where axes are dynamic."""
    dynamic_axes: DynamicAxes = ()
    outcomes: tuple[Outcome, ...] = ()
    """What `--new` made of the findings."""
    export: ExportCheck | None = None

    def __str__(self) -> str:
        return "\n".join([*(line for finding in self.findings for line in finding.lines), self.sums])

    @property
    def sums(self) -> str:
        """How much was found, in a line."""
        problems, nodes = len(self.problems), _counted(self.nodes, "node")
        found = f"{_counted(problems, 'problem')} and {_counted(len(self.findings) - problems, 'note')}"
        against = "" if self.exporter == "torchscript" else f" of the {self.exporter} exporter"
        return f"{self.target}: {found} in {nodes}, at opset {self.opset}{against}"

    @property
    def problems(self) -> tuple[Finding, ...]:
        """The findings that keep the model from being exported right."""
        return tuple(finding for finding in self.findings if finding.severity is not Severity.NOTE)

    @property
    def open_problems(self) -> tuple[Finding, ...]:
        """The problems that are left once `--new` has done its part, and an export has shown what it has shown."""
        served = {outcome.asked for outcome in self.outcomes if not outcome.exit_status}
        is_exported = self.export is not None and self.export.is_usable
        left = (finding for finding in self.problems if finding.new not in served)
        return tuple(finding for finding in left if not is_exported or finding.severity is Severity.WRONG)

    @property
    def is_clean(self) -> bool:
        """Whether nothing stands between the model and ONNX."""
        return not self.open_problems

    @property
    def exit_status(self) -> int:
        """0 where nothing is left to do, and the export, if one was asked for, came out right."""
        return int(not self.is_clean or (self.export is not None and not self.export.is_usable))


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number or 'no'} {what}s"
