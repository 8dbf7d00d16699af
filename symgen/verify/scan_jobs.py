"""Jobs that scan and export the user's models, which happens in child processes only; jobs and answers are data."""

from __future__ import annotations

from dataclasses import dataclass

from symgen.config import Target
from symgen.model.inputs import InputSpec
from symgen.model.sample import SampleSpec
from symgen.model.scan import DynamicAxes, Place
from symgen.verify.user_jobs import UserJob


@dataclass(frozen=True)
class TargetSpec:
    """Where a model and its inputs come from."""

    text: str
    """As it was typed."""
    path: str = ""
    """A file, or empty where the model stands in a module."""
    module: str = ""
    name: str = ""
    """A dotted name in the module."""
    is_program: bool = False
    """Whether the file is an exported program."""
    exporter: Target = Target.TORCHSCRIPT
    """Whose functions the package holds, and which judges and exports."""
    is_pickle: bool = False
    inputs: tuple[InputSpec, ...] = ()
    inputs_path: str = ""
    trust: bool = False
    """Whether pickles may be run."""
    imports: tuple[str, ...] = ()
    """Modules to import first, which register operators or symbolic functions."""
    package: str = ""
    """The folder of the package of functions, which is imported first; empty where there is none."""


@dataclass(frozen=True)
class OpUse:
    """How often an operator is used in the traced graph that has no function at the opset."""

    op: str
    """As the exporter looks it up."""
    traced: str
    """As it stands in the graph: an operator in place has its underscore."""
    count: int
    place: Place
    inside: str = ""
    """The Function whose `forward` calls it, as `module:Class`."""
    branch: bool = False
    """Whether every use is in a branch or a loop."""
    since: int | None = None
    """The opset from which a function is registered."""
    met: bool = False
    """Whether the exporter asked for it; it doesn't for what its passes take out before."""
    has_result: bool = True
    """Whether it gives tensors; the rest is mostly taken out."""


@dataclass(frozen=True)
class Refusal:
    """A symbolic function that raised."""

    op: str
    count: int
    place: Place
    message: str


@dataclass(frozen=True)
class DroppedWrite:
    """A write in place that what is read afterwards doesn't see."""

    op: str
    count: int
    place: Place
    through: str
    """The operator that made the view that is written through; empty where a view is read that was taken before."""
    reader: Place
    forgets: str = ""
    """What the exporter forgets of the write, which it makes one subscript of: a `mask`, an `index`, or the `order`."""


@dataclass(frozen=True)
class StateWrite:
    """A parameter or buffer that the model writes into."""

    name: str
    count: int
    place: Place


@dataclass(frozen=True)
class Baked:
    """A value that tracing has turned into a constant."""

    how: str
    """What took it out of the trace: `.item()`, `bool()`."""
    count: int
    place: Place
    from_shape: bool = False
    """Whether it depends on shapes only."""


@dataclass(frozen=True)
class FunctionUse:
    """A torch.autograd.Function in the graph."""

    name: str
    """`module:Class`."""
    count: int
    place: Place
    fate: str
    """`symbolic`, `handler`, `inlined`, `constant`, or `fails`."""
    detail: str = ""


@dataclass(frozen=True)
class ForeignNode:
    """A node of another domain that the export made of an operator."""

    name: str
    """`domain::Name`."""
    count: int
    place: Place


@dataclass(frozen=True)
class ScanSeen:
    """What a model's graph and a trial of its export showed."""

    nodes: int = 0
    uses: tuple[OpUse, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    writes: tuple[DroppedWrite, ...] = ()
    state: tuple[StateWrite, ...] = ()
    baked: tuple[Baked, ...] = ()
    functions: tuple[FunctionUse, ...] = ()
    foreign: tuple[ForeignNode, ...] = ()
    failure: str = ""
    """What the exporter itself said when it failed."""
    complete: bool = False
    """Whether the exporter has come to the last operator."""
    input_names: tuple[str, ...] = ()
    dynamic_axes: DynamicAxes = ()
    """So that numbers taken from shapes matter."""
    exporter: str = "torchscript"


@dataclass(frozen=True)
class Unusable:
    """What the user has to mend before anything can be said: the model or its inputs can't be used."""

    reason: str


@dataclass(frozen=True)
class ScanStep:
    """How far a scan is."""

    doing: str
    done: int = 0
    total: int = 0


@dataclass(frozen=True)
class ScanJob(UserJob["ScanSeen | Unusable"]):
    """Load a model, run it once, and judge every operator of its graph."""

    target: TargetSpec
    opset: int


@dataclass(frozen=True)
class WrongOp:
    """The first operator whose result in the exported model differs from eager torch's."""

    op: str
    place: Place
    detail: str
    verdict: str
    sample: SampleSpec | None = None
    """The call by itself, where it shows the same."""


@dataclass(frozen=True)
class ExportSeen:
    """How an export of a model came out."""

    verdict: str
    detail: str = ""
    nodes: int = 0
    max_abs_err: float = 0.0
    max_rel_err: float = 0.0
    first_wrong: WrongOp | None = None


@dataclass(frozen=True)
class ExportJob(UserJob["ExportSeen | Unusable"]):
    """Load a model, export it into a file, and compare what ONNX Runtime gives with eager torch."""

    target: TargetSpec
    opset: int
    path: str
    custom_opsets: tuple[tuple[str, int], ...] = ()


ScanAnswer = ScanSeen | ExportSeen | Unusable
