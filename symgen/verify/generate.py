"""Samples from the signature: every argument away from its default, every dtype, the shapes that broadcast, the edges.

The samples come as data; whether eager torch takes one is asked through `accepts`, so that this module needs no torch.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

from symgen.model.sample import COMPLEX, DTYPES, FLOATS, WHOLE, Recipe, SampleSpec, Value
from symgen.model.schema import Argument, AtenSchema
from symgen.model.types import BaseType, ListType, OptionalType, is_tensor, is_tensor_list, strip_optional
from symgen.verify.arguments import UNTOUCHED, as_declared, candidate_values, default_value, fits, is_edge
from symgen.verify.domains.rows import LARGE, SMALL, Domain
from symgen.verify.draft import Draft
from symgen.verify.drawing import RECIPES, Accepts, calls_around, draw_calls
from symgen.verify.shapes import OPTIONAL, SIZES, Pattern, patterns_of, size_variations

MIXED_DTYPES = (
    ("int64", "float32"), ("float32", "int64"), ("float32", "float64"), ("float64", "float32"), ("float16", "float32"),
    ("float32", "bfloat16"), ("bool", "int64"), ("int64", "bool"), ("bool", "float32"), ("uint8", "int8"),
    ("int32", "int64"), ("int16", "float16"), ("int64", "int32"), ("float16", "bfloat16"), ("float16", "int64"),
)  # fmt: skip
"""Dtypes of the first and of the further tensors, for promotion."""

MIXED_WITH_COMPLEX = (
    ("complex64", "float32"), ("float32", "complex64"), ("complex64", "complex128"), ("int64", "complex64"),
    ("complex64", "float64"),
)  # fmt: skip
"""The same for operators that take complex tensors."""

_MOST_PATTERNS = 14
DRAWN, DRAWN_FOR_TORCH = 20, 60
"""Samples of an overload that hypothesis draws: more where torch's own function is judged, which nobody here wrote."""


def generate_samples(
    schema: AtenSchema, domain: Domain, accepts: Accepts, drawn: int = DRAWN
) -> tuple[SampleSpec, ...]:
    """All samples of one overload that eager torch accepts, the most telling first, up to so many drawn ones last."""
    return _Generator(schema, domain, accepts).run(drawn)


class _Generator:
    """Holds what is fixed while the samples of one overload come about."""

    def __init__(self, schema: AtenSchema, domain: Domain, accepts: Accepts) -> None:
        self._schema = schema
        self._domain = domain
        self._accepts = accepts
        self._dtypes_tried = (*DTYPES, *COMPLEX) if domain.complex else DTYPES
        self._seen: dict[SampleSpec, bool] = {}
        touched = [a for a in schema.arguments if a not in schema.out_arguments]
        touched = [a for a in touched if str(strip_optional(a.type)) not in UNTOUCHED]
        self._tensors = [a for a in touched if is_tensor(a.type) or is_tensor_list(a.type)]
        self._main = [a.name for a in self._tensors if not isinstance(a.type, OptionalType)]
        self._optional = [a for a in self._tensors if isinstance(a.type, OptionalType)]
        self._free = [a.name for a in self._tensors if domain.tensor(a.name).dtype is None and a.name in self._main]
        self._plain = {a.name: self._candidates(a) for a in touched if a not in self._tensors}
        self._required = [a for a in touched if a.default is None and a.name not in self._main]

    def _candidates(self, argument: Argument) -> tuple[Value, ...]:
        known = tuple(v for v in self._domain.values(argument.name) if v is None or fits(v, argument.type))
        return tuple(as_declared(v, argument.type) for v in known or candidate_values(argument))

    def run(self, drawn: int) -> tuple[SampleSpec, ...]:
        """Baselines first, then all that varies them."""
        bases = self._baselines()
        if not bases:
            return ()
        drafts = itertools.chain(
            bases,
            self._arguments(bases),
            self._dtypes(bases[0]),
            self._mixed(bases),
            self._values(bases),
            self._optional_tensors(bases),
            self._sizes(bases),
            self._together(bases),
        )
        accepted = {draft.spec(): draft for draft in drafts if self._takes(draft)}
        branches = {draft.spec(): None for draft in self._branches(bases) if self._takes(draft)}
        return tuple(accepted | branches | dict.fromkeys(self._drawn(accepted, drawn)))

    def _takes(self, draft: Draft) -> bool:
        spec = draft.spec()
        if spec not in self._seen:
            self._seen[spec] = self._accepts(spec)
        return self._seen[spec]

    def _baselines(self) -> list[Draft]:
        """One accepted draft for each pattern of shapes, in float32 or else in the first dtype that is taken."""
        found: list[Draft] = []
        for dtype in self._dtypes_tried:
            for pattern in self._patterns():
                draft = next(filter(self._takes, self._with_required(pattern, dtype)), None)
                if draft is not None:
                    found.append(draft)
                if len(found) == _MOST_PATTERNS:
                    break
            if found:
                break
        return found

    def _patterns(self) -> list[Pattern]:
        unique: dict[tuple[tuple[str, str], ...], Pattern] = {}
        for pattern in patterns_of(self._main, self._domain.shapes):
            full = {
                name: f"{text} + {text}" if self._is_list(name) and name not in self._domain.shapes else text
                for name, text in pattern.items()
            }
            unique.setdefault(tuple(full.items()), full)
        return list(unique.values())

    def _is_list(self, name: str) -> bool:
        return any(a.name == name and isinstance(strip_optional(a.type), ListType) for a in self._tensors)

    def _with_required(self, pattern: Pattern, dtype: str) -> Iterator[Draft]:
        """The pattern with values for the arguments that must be given."""
        names = [a.name for a in self._required]
        options = [
            (*self._plain.get(a.name, ())[:6], *((None,) if isinstance(a.type, OptionalType) else ()))
            for a in self._required
        ]
        bare = Draft(self._schema, self._domain, pattern, dtypes={"": dtype})
        choices = [
            dict(zip(names, choice, strict=True)) for choice in itertools.islice(itertools.product(*options), 48)
        ]
        for choice in choices:
            yield replace(bare, values=choice)
        bare = replace(bare, values=choices[0] if choices else {})
        for argument in self._schema.arguments:
            if argument in self._optional:
                text = self._domain.shapes.get(argument.name, next(iter(pattern.values()), "")).split("|")[0]
                yield replace(bare, pattern={**pattern, argument.name: text})
            else:
                for value in self._plain.get(argument.name, ())[:2]:
                    yield replace(bare, values={**bare.values, argument.name: value})
        shapes = self._domain.shapes
        if all(name in shapes for name in self._main):
            yield from self._with_two(bare)
        given = {a.name: shapes[a.name].split("|")[0] for a in self._optional if a.name in shapes}
        yield replace(bare, pattern={**pattern, **given})

    def _with_two(self, bare: Draft) -> Iterator[Draft]:
        """Two more arguments at once, for shapes that go together only beside both."""
        firsts = {name: values[:2] for name, values in self._plain.items() if name not in bare.values}
        for one, other in itertools.combinations(firsts, 2):
            for pair in itertools.product(firsts[one], firsts[other]):
                yield replace(bare, values={**bare.values, one: pair[0], other: pair[1]})

    def _arguments(self, bases: list[Draft]) -> Iterator[Draft]:
        """Each argument at each of its values, on the first shape that goes with it; also on special values."""
        for argument in self._schema.arguments:
            for place, value in enumerate(self._away_from_default(argument)):
                taken = self._with_value(argument.name, value, _by_rank(bases))
                if taken is None:
                    continue
                yield taken
                if strip_optional(argument.type) == BaseType("Scalar"):
                    yield replace(taken, dtypes={"": "int64"})
                if self._domain.complex:
                    yield replace(taken, dtypes={"": "complex64"})
                if self._domain.special and place < 2:
                    for recipe in (Recipe("holes"), Recipe("edges"), Recipe("ties"))[:: 1 + self._domain.sensitive]:
                        yield replace(taken, recipes=dict.fromkeys(self._free, recipe))

    def _away_from_default(self, argument: Argument) -> list[Value]:
        default = default_value(argument)
        return [v for v in self._plain.get(argument.name, ()) if v != default or type(v) is not type(default)]

    def _with_value(self, name: str, value: Value, bases: list[Draft]) -> Draft | None:
        """The first of the baselines that goes with the value of an argument."""
        drafts = (replace(base, values={**base.values, name: value}) for base in bases)
        return next(filter(self._takes, drafts), None)

    def _dtypes(self, base: Draft) -> Iterator[Draft]:
        for dtype in self._dtypes_tried:
            yield replace(base, dtypes={"": dtype})
        for dtype in self._dtypes_tried:
            has_edges = self._domain.complex != "finite" or dtype not in COMPLEX
            # Sums of whole numbers are exact, and run over in every order alike.
            is_exact = dtype in WHOLE or not self._domain.sensitive
            if has_edges and self._domain.special and is_exact:
                yield replace(base, dtypes={"": dtype}, recipes={name: Recipe("edges") for name in self._free})

    def _mixed(self, bases: list[Draft]) -> Iterator[Draft]:
        """Different dtypes for the first and the further tensors, of equal rank and with one of them 0-d."""
        if len(self._free) < 2:
            return
        first, *rest = self._free
        zero_d = [
            base for base in bases if any(not base.pattern[name] for name in self._free) and any(base.pattern.values())
        ]
        for one, other in (*MIXED_DTYPES, *(MIXED_WITH_COMPLEX if self._domain.complex else ())):
            dtypes = {first: one, **dict.fromkeys(rest, other)}
            yield replace(bases[0], dtypes=dtypes)
            for base in zero_d:
                if not base.pattern[first] or {one, other} & {"float32"}:
                    yield replace(base, dtypes=dtypes)
        for position, name in enumerate(rest):
            if position:
                yield replace(bases[0], dtypes={"": "float32", name: "float64"})

    def _values(self, bases: list[Draft]) -> Iterator[Draft]:
        """Special values, ties, layouts."""
        for base in bases[:3]:
            dtype = base.dtypes.get("", "float32")
            if self._domain.special:
                for recipe in RECIPES[self._domain.sensitive :]:
                    yield replace(base, recipes=dict.fromkeys(self._free, recipe))
            for name in self._main if self._domain.strides else ():
                if base.pattern[name] and "+" not in base.pattern[name]:
                    for layout in ("transposed", "strided"):
                        yield replace(base, layouts={name: layout})
            if dtype in FLOATS and len(self._free) == 2 and self._domain.special and not self._domain.shapes:
                crossed = dict(zip(self._free, ("k 1", "1 k"), strict=True))
                sizes = {**SIZES, "k": 29}
                edges = replace(
                    base,
                    pattern={**base.pattern, **crossed},
                    sizes=sizes,
                    recipes=dict.fromkeys(self._free, Recipe("edges")),
                )
                yield edges
                mixed = dict(zip(self._free, (dtype, "int64"), strict=True))
                yield replace(edges, dtypes=mixed)
                yield replace(base, dtypes=mixed, recipes=dict.fromkeys(self._free, LARGE))

    def _optional_tensors(self, bases: list[Draft]) -> Iterator[Draft]:
        """Each tensor that may be absent, given: with each of the first shapes, in another dtype; then all of them."""
        given: Pattern = {}
        for argument in self._optional:
            known = self._domain.shapes.get(argument.name, OPTIONAL).split("|")
            for base in bases[:4]:
                options = (replace(base, pattern={**base.pattern, argument.name: text}) for text in known)
                draft = next(filter(self._takes, options), None)
                if draft is not None:
                    given.setdefault(argument.name, draft.pattern[argument.name])
                    yield draft
                    yield replace(draft, dtypes={**draft.dtypes, argument.name: "float64"})
        for base in bases[:2]:
            yield replace(base, pattern={**base.pattern, **given})

    def _sizes(self, bases: list[Draft]) -> Iterator[Draft]:
        for base in bases[:3]:
            for sizes in size_variations(list(base.pattern.values())):
                yield replace(base, sizes=sizes)

    def _together(self, bases: list[Draft]) -> Iterator[Draft]:
        """All arguments away from their defaults at once, as many as go together."""
        for base, turn in itertools.product(bases[:2], range(2)):
            draft = base
            for name, options in self._plain.items():
                for value in options[turn:] + options[:turn]:
                    further = replace(draft, values={**draft.values, name: value})
                    if value != _default_of(self._schema, name) and self._takes(further):
                        draft = further
                        break
            yield draft

    def _branches(self, bases: list[Draft]) -> Iterator[Draft]:
        """What formulas have a branch of their own for.

        Choices on the smallest shape that takes them, and with other kinds of numbers; the numbers that are no limit at
        all, beside special values and beside values that only they tell apart; edges in float64 and int64; the dtypes
        that go with other arguments only.
        """
        special, sensitive = self._domain.special, self._domain.sensitive
        for argument in self._schema.arguments:
            for place, value in enumerate(self._away_from_default(argument)):
                if isinstance(value, bool | int | str):
                    yield from filter(None, [self._with_value(argument.name, value, _by_rank(bases)[::-1])])
                taken = self._with_value(argument.name, value, _by_rank(bases))
                if taken is not None and isinstance(value, bool | str):
                    yield from (replace(taken, dtypes={"": dtype}) for dtype in ("float16", "int32"))
                if taken is None or not special:
                    continue
                if is_edge(value):
                    kinds = [SMALL] if value == 0 else []
                    kinds += [Recipe("holes"), Recipe("ties"), Recipe("edges")][: 3 - sensitive]
                    yield from (replace(taken, recipes=dict.fromkeys(self._free, kind)) for kind in kinds)
                edges = replace(taken, recipes=dict.fromkeys(self._free, Recipe("edges")))
                if place < 2 and not sensitive:
                    yield replace(edges, dtypes={"": "float64"})
                if place < 2 or isinstance(value, str):
                    yield replace(edges, dtypes={"": "int64"})
        yield from self._dtypes_with_arguments(bases[0])

    def _dtypes_with_arguments(self, base: Draft) -> Iterator[Draft]:
        """The dtypes that the baseline is refused in, each with another argument of those that it goes with."""
        has_edges = self._domain.special and not self._domain.sensitive
        for turn, dtype in enumerate(self._dtypes_tried):
            plain = replace(base, dtypes={"": dtype})
            if self._takes(plain):
                continue
            choices = [(name, value) for name, values in self._plain.items() for value in values]
            others = (replace(plain, values={**plain.values, name: value}) for name, value in choices)
            taken = list(filter(self._takes, others))
            for draft in taken[turn % len(taken) :][:1] if taken else ():
                yield draft
                if has_edges:
                    yield replace(draft, recipes=dict.fromkeys(self._free, Recipe("edges")))

    def _drawn(self, picked: dict[SampleSpec, Draft], most: int) -> tuple[SampleSpec, ...]:
        """Samples that nobody picked."""
        calls = calls_around(list(picked.values()))
        return draw_calls(calls, lambda call: call not in picked and self._accepts(call), most, str(self._schema.name))


def _by_rank(bases: list[Draft]) -> list[Draft]:
    """The first baseline, then those of higher rank, so that an axis finds a tensor that has it."""
    return [
        bases[0],
        *sorted(bases[1:], key=lambda base: -max((len(t.split()) for t in base.pattern.values()), default=0)),
    ]


def _default_of(schema: AtenSchema, name: str) -> Value | str:
    return next(default_value(a) for a in schema.arguments if a.name == name)
