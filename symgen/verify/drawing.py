"""Calls that nobody picked: hypothesis draws whatever combination of shapes, dtypes, values, layouts and arguments.

They are drawn around calls that eager torch is known to take, so that it takes many of them as well. An overload gets
the same calls wherever symgen runs: the seed is its name, and no draw depends on which modules are loaded.
"""

from __future__ import annotations

import itertools
import os
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from hypothesis import HealthCheck, Phase, assume, given, seed, settings
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider

from symgen.model.sample import COMPLEX, DTYPES, Recipe, SampleSpec, Value
from symgen.model.schema import Argument
from symgen.model.types import ListType, OptionalType, is_tensor, is_tensor_list, strip_optional
from symgen.verify.arguments import UNTOUCHED, as_declared, candidate_values, fits
from symgen.verify.domains.rows import LARGE, Domain
from symgen.verify.draft import Draft
from symgen.verify.shapes import OPTIONAL, SIZES

Accepts = Callable[[SampleSpec], bool]

RECIPES = (
    Recipe("edges"),
    Recipe("ties"),
    Recipe("holes"),
    Recipe("distinct"),
    LARGE,
    Recipe("uniform", -1e-3, 1e-3),
)
"""Values other than the usual ones. To operators that are sensitive the first are none."""

_TRIES_FOR_EACH = 8
_SIZES = (1, 2, 3, 4, 5, 6, 0)
_LEAST_WITH_INDICES = 3
"""Torch doesn't refuse every index that is out of range, and rows have indices for axes of three and more."""
_AXES = frozenset(
    {"dim", "dims", "axis", "dim0", "dim1", "dim2", "axis0", "axis1", "start_dim", "end_dim", "dimension"}
)


class _Even(HypothesisProvider):
    """Draws every number as likely as any other; hypothesis itself prefers those in the sources of loaded modules."""

    def draw_integer(
        self,
        min_value: int | None = None,
        max_value: int | None = None,
        *,
        weights: dict[int, float] | None = None,
        shrink_towards: int = 0,
    ) -> int:
        """A number between the two limits, both of which are given here."""
        assert self._random is not None
        assert min_value is not None
        assert max_value is not None
        return self._random.randint(min_value, max_value)


AVAILABLE_PROVIDERS["symgen"] = f"{__name__}.{_Even.__name__}"


def leave_no_files() -> None:
    """Keeps hypothesis from writing into the current folder, which is the user's; it does without where it can't."""
    set_hypothesis_home_dir(os.devnull)


def draw_calls(calls: st.SearchStrategy[SampleSpec], accepts: Accepts, most: int, name: str) -> tuple[SampleSpec, ...]:
    """Up to so many different calls that are accepted, the same ones for the same name."""
    found: dict[SampleSpec, None] = {}
    tries = itertools.count()

    @seed(zlib.crc32(name.encode()))
    @settings(
        max_examples=most,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        backend="symgen",
        suppress_health_check=list(HealthCheck),
    )
    @given(calls)
    def collect(call: SampleSpec) -> None:
        # hypothesis would go on for hundreds of tries where few different calls are accepted.
        if next(tries) < _TRIES_FOR_EACH * most:
            assume(call not in found and accepts(call))
            found[call] = None

    collect()
    return tuple(found)


@st.composite
def calls_around(draw: st.DrawFn, drafts: Sequence[Draft]) -> SampleSpec:
    """Calls like the given drafts of one overload, with anything else about them drawn anew."""
    draft = draw(st.sampled_from(drafts))
    schema, domain = draft.schema, draft.domain
    touched = [a for a in schema.arguments if a not in schema.out_arguments]
    touched = [a for a in touched if str(strip_optional(a.type)) not in UNTOUCHED]
    tensors = [a for a in touched if is_tensor(a.type) or is_tensor_list(a.type)]
    pattern = dict(draft.pattern)
    for argument in tensors:
        if isinstance(argument.type, OptionalType):
            pattern.pop(argument.name, None)
            shapes = domain.shapes.get(argument.name, OPTIONAL).split("|")
            if draw(st.booleans()):
                pattern[argument.name] = draw(st.sampled_from(shapes))
    given_tensors = [a for a in tensors if a.name in pattern]
    free = [a.name for a in given_tensors if domain.tensor(a.name).dtype is None]
    for name in free:
        letters = pattern[name].split()
        if name not in domain.shapes and letters and "+" not in letters and not draw(st.integers(0, 7)):
            place = draw(st.integers(0, len(letters) - 1))
            pattern[name] = " ".join((*letters[:place], "1", *letters[place + 1 :]))
    sizes = _sizes(draw, domain, pattern)
    # Torch takes much that has no elements and that it would not take otherwise.
    dtypes = draft.dtypes if 0 in sizes.values() else _dtypes(draw, draft, free)
    return replace(
        draft,
        pattern=pattern,
        sizes=sizes,
        dtypes=dtypes,
        recipes=_recipes(draw, domain, free, dtypes),
        layouts=_layouts(draw, domain, pattern),
        values=_values(draw, draft, [a for a in touched if a not in tensors]),
    ).spec("drawn")


def _sizes(draw: st.DrawFn, domain: Domain, pattern: Mapping[str, str]) -> Mapping[str, int]:
    """Sizes for the letters of the pattern: each the usual one in half of the calls."""
    has_indices = any(domain.tensor(name).dtype == "int64" for name in pattern)
    least = max(domain.least, _LEAST_WITH_INDICES if has_indices else 0)
    options = [size for size in _SIZES if size >= least]
    letters = sorted({letter for text in pattern.values() for letter in text.replace("@", " ").split()} & set(SIZES))
    usual = {letter: max(SIZES[letter], least) for letter in letters}
    return {**SIZES, **{letter: draw(st.sampled_from((*[size] * 4, *options))) for letter, size in usual.items()}}


def _dtypes(draw: st.DrawFn, draft: Draft, free: Sequence[str]) -> Mapping[str, str]:
    """Mostly one dtype for all tensors, and mostly the one that is known to be taken."""
    own = draft.dtypes.get("", "float32")
    options = (*DTYPES, *(COMPLEX if draft.domain.complex else ()))
    dtypes = {"": draw(st.sampled_from((*[own] * 6, *options)))}
    for name in free:
        if len(free) > 1 and not draw(st.integers(0, 3)):
            dtypes[name] = draw(st.sampled_from(options))
    return dtypes


def _recipes(draw: st.DrawFn, domain: Domain, free: Sequence[str], dtypes: Mapping[str, str]) -> Mapping[str, Recipe]:
    if not domain.special:
        return {}
    is_finite = domain.complex == "finite" and bool(set(dtypes.values()) & set(COMPLEX))
    # A quotient by one of the zeros among ties is not finite.
    options = [r for r in RECIPES[domain.sensitive :] if not (is_finite and r.kind in {"edges", "holes", "ties"})]
    chosen = {name: draw(st.sampled_from((*[None] * 4, *options))) for name in free}
    return {name: recipe for name, recipe in chosen.items() if recipe is not None}


def _layouts(draw: st.DrawFn, domain: Domain, pattern: Mapping[str, str]) -> Mapping[str, str]:
    if not domain.strides:
        return {}
    ranked = [name for name, text in pattern.items() if text.partition("@")[0].strip() and "+" not in text]
    return {name: draw(st.sampled_from(("contiguous",) * 3 + ("transposed", "strided"))) for name in ranked}


def _values(draw: st.DrawFn, draft: Draft, plain: Sequence[Argument]) -> Mapping[str, Value]:
    """Arguments with a default are absent or given; those of the draft keep their values in half of the calls."""
    values = dict(draft.values)
    for argument in plain:
        if draw(st.booleans()):
            continue
        values.pop(argument.name, None)
        if argument.default is None or draw(st.integers(0, 2)):
            values[argument.name] = draw(values_of(argument, draft.domain))
    return values


def values_of(argument: Argument, domain: Domain) -> st.SearchStrategy[Value]:
    """Values of an argument that is no tensor: those worth trying, and others where the row has none."""
    known = [value for value in domain.values(argument.name) if value is None or fits(value, argument.type)]
    tried = st.sampled_from(known or candidate_values(argument) or (None,))
    further = None if known else _further_values(argument)
    drawn = tried if further is None else st.one_of(tried, further)
    return drawn.map(lambda value: as_declared(value, argument.type))


def _further_values(argument: Argument) -> st.SearchStrategy[Value] | None:
    """Values by type alone: numbers to a quarter, and axes before the first, and after the last, of a small tensor."""
    kind = strip_optional(argument.type)
    axes = st.integers(-4, 3)
    if argument.name in _AXES and str(kind) in {"int", "SymInt"}:
        return axes
    if argument.name in _AXES and isinstance(kind, ListType):
        return st.lists(axes, max_size=3).map(tuple)
    if str(kind) in {"Scalar", "number"}:
        return st.one_of(st.integers(-5, 5), st.integers(-20, 20).map(lambda quarters: quarters / 4))
    return st.integers(0, 20).map(lambda quarters: quarters / 4) if str(kind) == "float" else None
