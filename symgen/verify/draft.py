"""A sample in the making."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from symgen.model.sample import Recipe, SampleSpec, TensorSpec, Value
from symgen.model.schema import Argument, AtenSchema
from symgen.model.types import is_tensor_list
from symgen.verify.domains.rows import Domain
from symgen.verify.shapes import ABSENT, SIZES, Pattern, dtype_of, shape_of


@dataclass(frozen=True)
class Draft:
    """The pattern of the tensors, and what is said of each argument; the empty name stands for all others."""

    schema: AtenSchema
    domain: Domain
    pattern: Pattern
    sizes: Mapping[str, int] = field(default_factory=lambda: SIZES)
    dtypes: Mapping[str, str] = field(default_factory=dict)
    recipes: Mapping[str, Recipe] = field(default_factory=dict)
    layouts: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Value] = field(default_factory=dict)

    def spec(self, source: str = "signature") -> SampleSpec:
        """The call: by position as far as arguments are given, then by keyword."""
        positional: list[Value] = []
        keywords: list[tuple[str, Value]] = []
        gap = False
        for argument in self.schema.arguments:
            if argument.name not in self.pattern and argument.name not in self.values:
                gap = True
            elif gap or argument.keyword_only:
                keywords.append((argument.name, self._value(argument)))
            else:
                positional.append(self._value(argument))
        return SampleSpec(self.schema.name.overload, tuple(positional), tuple(keywords), source)

    def _value(self, argument: Argument) -> Value:
        name = argument.name
        if name not in self.pattern:
            return self.values[name]
        parts = self.pattern[name].split("+") if is_tensor_list(argument.type) else [self.pattern[name]]
        known = self.domain.tensor(name)
        dtype = known.dtype or self.dtypes.get(name) or self.dtypes.get("", "float32")
        recipe = self._recipe(name)
        layout = self.layouts.get(name, "contiguous")
        tensors = tuple(
            None
            if part.strip() == ABSENT
            else TensorSpec(shape_of(part, self.sizes), dtype_of(part) or dtype, recipe, layout)
            for part in parts
        )
        return tensors if is_tensor_list(argument.type) else tensors[0]

    def _recipe(self, name: str) -> Recipe:
        """How the values come about; what has to be sorted is sorted also where others are asked for."""
        others = [self.domain.when[given] for given in self.pattern if given in self.domain.when]
        own = next((recipes[name] for recipes in others if name in recipes), self.domain.tensor(name).recipe)
        asked = self.recipes.get(name)
        if own is not None and asked is not None and own.kind.startswith("sorted"):
            return replace(asked, kind=f"{own.kind} {asked.kind}")
        return asked or own or Recipe()
