"""How an operator is translated: the plan, in which every parameter of the operator is accounted for."""

from __future__ import annotations

import ast
import enum
import functools
from collections.abc import Mapping
from dataclasses import dataclass, field

from symgen.errors import SymgenError
from symgen.model.names import OpName
from symgen.model.result import Strategy
from symgen.model.schema import AtenSchema
from symgen.model.types import Type


@dataclass(frozen=True)
class Parameter:
    """One parameter of a symbolic function, which may serve several overloads.

    `name` is the schema's (the plan's body uses it), `stub_name` the `.pyi`'s (the generated code uses it).
    `types` are the types over all overloads, `default` is source text, None where the parameter is required.
    """

    name: str
    stub_name: str
    types: tuple[Type, ...]
    default: str | None = None
    keyword_only: bool = False


@dataclass(frozen=True)
class Mapped:
    """The parameter is used by the body."""


@dataclass(frozen=True)
class Guarded:
    """Only one value of the parameter is served; any other raises `SymbolicValueError` naming it."""

    allowed: str
    """The served value, as source text of a literal."""


@dataclass(frozen=True)
class Ignored:
    """The parameter has no influence on the result, for this reason."""

    reason: str


Disposition = Mapped | Guarded | Ignored


class PromotionKind(enum.StrEnum):
    """How eager torch finds the dtype of the result (`torch._prims_common.ELEMENTWISE_TYPE_PROMOTION_KIND`)."""

    DEFAULT = "DEFAULT"
    INT_TO_FLOAT = "INT_TO_FLOAT"
    ALWAYS_BOOL = "ALWAYS_BOOL"
    BOOL_TO_LONG = "BOOL_TO_LONG"
    LIKE_FIRST = "LIKE_FIRST"
    """Computed in the common dtype, but the result has that of the first argument, as most losses of torch's C++."""
    DOUBLE = "DOUBLE"
    """Always float64."""
    BY_DTYPE = "BY_DTYPE"
    """As DEFAULT, but a number or a 0-d tensor counts as much as any other: torch gives it axes first."""
    COMMON = "COMMON"
    """The common dtype and nothing else, where elements are only moved."""


@dataclass(frozen=True)
class Promotion:
    """The parameters that are cast to a common dtype before the body runs; its result is cast back."""

    kind: PromotionKind
    parameters: tuple[str, ...]
    widen: bool = True
    """Whether half precision is computed in float32, as torch's own kernels do.

    Not where the body is one ONNX operator: the runtime rounds once there, too.
    """
    as_float: tuple[str, ...] = ()
    """Those of the parameters of which whole numbers count as float32 from the start."""
    precise: bool = False
    """Whether all floating point is computed in float64."""
    # Not told where there is none, so that what is known of the other plans stays known.
    unrounded: tuple[str, ...] = field(default=(), repr=False)
    """Those of the parameters of which a number, or a 0-d tensor, is not rounded to half precision before."""


@dataclass(frozen=True)
class PlanFunction:
    """A function in the plan language, as text: an entry's body, or a helper that bodies share."""

    name: str
    source: str
    constants: tuple[tuple[str, str], ...] = ()
    """Module-level constants that it reads, with the source text of their values."""

    def tree(self) -> ast.FunctionDef:
        """A fresh syntax tree of the function."""
        return _parse_function(self.source)

    @property
    def shared_tree(self) -> ast.FunctionDef:
        """The syntax tree that all share who look at it and leave it as it is."""
        return _parse_once(self.source)

    @property
    def reads(self) -> frozenset[str]:
        """The names that it reads."""
        return _names_in(self.source)

    @property
    def arguments(self) -> tuple[str, ...]:
        """The names of the function's arguments, the builder left out."""
        return tuple(a.arg for a in self.shared_tree.args.args[1:])


def _parse_function(source: str) -> ast.FunctionDef:
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    return function


_parse_once = functools.cache(_parse_function)


@functools.cache
def _names_in(source: str) -> frozenset[str]:
    return names_read(_parse_once(source))


@dataclass(frozen=True)
class Plan:
    """How one operator is said in ONNX, for all opsets at once.

    Raises:
        PlanError: where a parameter is neither used by the body, nor guarded, nor ignored with a reason. Arguments
            that are dropped without a word are the commonest bug of hand-written symbolic functions.
    """

    op: OpName
    overloads: tuple[AtenSchema, ...]
    parameters: tuple[Parameter, ...]
    dispositions: Mapping[str, Disposition]
    body: PlanFunction
    strategy: Strategy
    why: str
    promotion: Promotion | None = None
    helpers: tuple[PlanFunction, ...] = ()
    family: str = ""
    since: int = 9
    """An opset below which the plan is not right, whatever its operators say."""
    graph_values: tuple[str, ...] = ()
    """Parameters that stay graph values although their type is a number or a list of numbers."""
    returns_list: bool = False
    """Whether the result is a list of tensors whose length only the exporter knows."""
    quantized: tuple[str, ...] = ()
    """Parameters that may be quantised tensors; they are computed with in float, and the result is quantised."""
    limits: tuple[str, ...] = ()
    """Sentences on what this plan does not serve; with one, the operator is `partial`."""
    dynamo_only: str = ""
    """Why only the dynamo exporter asks for it; empty where both do."""
    torchscript_only: str = ""
    """Why the dynamo exporter is better off without it; empty where it serves both."""
    summary: str = field(default="")

    def __post_init__(self) -> None:
        used = self.body.reads
        for parameter in self.parameters:
            match self.dispositions.get(parameter.name):
                case None:
                    raise PlanError(f"{self.op}: nothing is said of the parameter {parameter.name!r}")
                case Mapped() if parameter.name not in used:
                    raise PlanError(f"{self.op}: the body never reads the parameter {parameter.name!r}")
                case Ignored(reason="") | Guarded(allowed=""):
                    raise PlanError(f"{self.op}: no reason is given for the parameter {parameter.name!r}")
                case _:
                    pass
        unknown = set(self.dispositions) - {p.name for p in self.parameters}
        if unknown:
            raise PlanError(f"{self.op}: has no parameter {', '.join(sorted(unknown))}")


class PlanError(SymgenError):
    """A plan that contradicts the operator's schema: a mistake in a knowledge entry."""


@dataclass(frozen=True)
class NoPlan:
    """Why an operator has no faithful translation, and what would change that."""

    op: OpName
    reason: str


def names_read(tree: ast.AST) -> frozenset[str]:
    """The names that a piece of plan language reads."""
    return frozenset(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
