"""What a row says of an operator's arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from symgen.model.sample import Recipe, Value

INF = float("inf")


@dataclass(frozen=True)
class TensorDomain:
    """What is known of a tensor argument; None where it is to be guessed."""

    shapes: str | None = None
    """Alternatives apart by `|`, the tensors of a list apart by `+`; letters are sizes, nothing at all is 0-d."""
    recipe: Recipe | None = None
    dtype: str | None = None
    """Where the dtype does not follow the other tensors."""
    values: tuple[Value, ...] = ()
    """Values for the overloads in which this argument is no tensor."""


@dataclass(frozen=True)
class Domain:
    """What is known of the arguments of one operator."""

    tensors: Mapping[str, TensorDomain] = field(default_factory=dict)
    arguments: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    special: bool = True
    """Whether nan, inf, extreme values and ties are part of the domain."""
    sensitive: bool = False
    """Whether the arguments' last places move a result by more than its own last place, as in sums and solvers.

    Of such an operator the extreme values are no samples: whether a sum overflows on its way depends on its order.
    """
    strides: bool = True
    """Whether a result is independent of the order in which the elements are stored."""
    when: Mapping[str, Mapping[str, Recipe]] = field(default_factory=dict)
    """Other recipes of some tensors, for where a tensor that may be absent is given."""
    complex: str = ""
    """Whether complex tensors are samples too: `finite` ones, or `any`; how torch multiplies by inf is its own way."""
    scripted: bool = True
    """Whether scripting can say it; complex results need a trace, in which their dtype is known."""

    least: int = 0
    """The smallest length of an axis in calls that are drawn."""
    double_checks: bool = False
    """Whether torch's kernels in double precision alone tell whether sizes go together; others read what is behind."""
    alone: bool = False
    """Whether each call has an export of its own in the dynamo exporter, which takes it apart step by step."""

    @property
    def carries_complex(self) -> bool:
        """Whether complex tensors go in or come out."""
        return bool(self.complex) or not self.scripted

    def tensor(self, name: str) -> TensorDomain:
        """What is known of this tensor argument."""
        return self.tensors.get(name, TensorDomain())

    def values(self, name: str) -> tuple[Value, ...]:
        """The values known for an argument that is no tensor."""
        return self.arguments.get(name) or self.tensor(name).values

    @property
    def shapes(self) -> Mapping[str, str]:
        """The alternatives of shapes, for the arguments of which they are known."""
        return {name: tensor.shapes for name, tensor in self.tensors.items() if tensor.shapes is not None}


def within(low: float, high: float) -> Recipe:
    """Values between two limits."""
    return Recipe("uniform", low, high)


POSITIVE = within(0.1, 6.0)
UNIT = within(0.0, 1.0)
SIGNED_UNIT = within(-1.0, 1.0)
SMALL = within(-1e-3, 1e-3)
"""Values below any limit but 0."""
LARGE = within(-300, 300)
"""Values of which products, powers and whole numbers of 8 bits run over."""
INDEX = within(0, 2)
"""Indices for axes of three elements and more."""
SIGNED_INDEX = within(-3, 2)


def t(
    shapes: str | None = None,
    recipe: Recipe | None = None,
    *,
    dtype: str | None = None,
    values: tuple[Value, ...] = (),
) -> TensorDomain:
    """A tensor argument in a row."""
    return TensorDomain(shapes, recipe, dtype, values)


def row(
    shared: Mapping[str, tuple[Value, ...]] | None = None,
    /,
    *,
    special: bool = True,
    sensitive: bool = False,
    strides: bool = True,
    when: Mapping[str, Mapping[str, Recipe]] | None = None,
    complex: str = "",
    scripted: bool = True,
    least: int = 0,
    double_checks: bool = False,
    alone: bool = False,
    **arguments: TensorDomain | tuple[Value, ...],
) -> Domain:
    """A row: for each argument a tensor's domain, or the values worth trying; `shared` ones stand in other rows too."""
    tensors = {name: said for name, said in arguments.items() if isinstance(said, TensorDomain)}
    values = {name: said for name, said in arguments.items() if not isinstance(said, TensorDomain)}
    merged = {**(shared or {}), **values}
    return Domain(
        tensors,
        merged,
        special=special,
        sensitive=sensitive,
        strides=strides,
        when=when or {},
        complex=complex,
        scripted=scripted,
        least=least,
        double_checks=double_checks,
        alone=alone,
    )


def matrices(
    shapes: str = "n n|b n n|1 1|b c n n",
    recipe: Recipe | None = None,
    *,
    least: int = 0,
    **values: tuple[Value, ...],
) -> Domain:
    """A row of an operator that takes one matrix, or a batch of them, whatever the argument is called."""
    matrix = TensorDomain(shapes, recipe)
    tensors = {"self": matrix, "A": matrix, "input": matrix}
    return Domain(tensors, values, special=False, sensitive=True, least=least)
