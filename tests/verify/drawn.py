"""Calls of an operator for hypothesis to draw: shapes that go together, dtypes, values, layouts, arguments."""

from __future__ import annotations

from hypothesis import strategies as st

from symgen.model.sample import DTYPES, Recipe, SampleSpec, Value
from symgen.model.schema import Argument, AtenSchema
from symgen.model.types import OptionalType, is_tensor, is_tensor_list, strip_optional
from symgen.verify.arguments import UNTOUCHED, as_declared, candidate_values, fits
from symgen.verify.domains.rows import Domain
from symgen.verify.draft import Draft
from symgen.verify.generate import RECIPES
from symgen.verify.shapes import SIZES, patterns_of

LAYOUTS = ("contiguous", "transposed", "strided")


def calls(schema: AtenSchema, domain: Domain) -> st.SearchStrategy[SampleSpec]:
    """Calls of one overload; not every one is for eager torch to take. The plainest come first, so that they win."""
    touched = [a for a in schema.arguments if str(strip_optional(a.type)) not in UNTOUCHED]
    tensors = [a for a in touched if is_tensor(a.type) or is_tensor_list(a.type)]
    names = [a.name for a in tensors if not isinstance(a.type, OptionalType)]
    free = [a.name for a in tensors if domain.tensor(a.name).recipe is None] if domain.special else []
    recipes = st.sampled_from((Recipe(), *RECIPES[domain.sensitive :]))
    # Torch doesn't refuse every index that is out of range, and rows have indices for axes of three and more.
    has_indices = any(domain.tensor(name).dtype == "int64" for name in names)
    return st.builds(
        lambda values, **said: Draft(schema, domain, values=values, **said).spec("drawn"),
        pattern=st.sampled_from(list(patterns_of(names, domain.shapes))),
        sizes=st.fixed_dictionaries(
            {letter: st.sampled_from((3, 5) if has_indices else (1, 2, 3, 5, 0)) for letter in SIZES}
        ),
        dtypes=st.fixed_dictionaries({"": st.sampled_from(DTYPES)}),
        recipes=st.fixed_dictionaries(dict.fromkeys(free, recipes)),
        layouts=st.fixed_dictionaries({name: st.sampled_from(LAYOUTS[: 1 + 2 * domain.strides]) for name in names}),
        values=st.fixed_dictionaries(
            {a.name: values_of(a, domain) for a in touched if a not in tensors and a.default is None},
            optional={a.name: values_of(a, domain) for a in touched if a not in tensors and a.default is not None},
        ),
    )


def values_of(argument: Argument, domain: Domain) -> st.SearchStrategy[Value]:
    """Values of an argument that is no tensor: those worth trying, and any small number where numbers are taken."""
    known = [value for value in domain.values(argument.name) if value is None or fits(value, argument.type)]
    tried: st.SearchStrategy[Value] = st.sampled_from(known or candidate_values(argument))
    free: dict[str, st.SearchStrategy[Value]] = {
        "Scalar": st.one_of(st.integers(-5, 5), st.floats(-5, 5, width=32)),
        "float": st.floats(0, 5, width=32),
    }
    drawn = tried if known else st.one_of(tried, free.get(str(strip_optional(argument.type)), tried))
    return drawn.map(lambda value: as_declared(value, argument.type))
