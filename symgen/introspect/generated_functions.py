"""What torchgen makes of the functions whose `autogen:` lines say so, by the rules of torchgen.

No other text declares these functions: a functional one gives back what its origin writes into, one with `out=` writes
into more arguments what its origin gives back.
"""

from __future__ import annotations

import string
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from symgen.model.names import OpName
from symgen.model.schema import Argument, AtenSchema, Return
from symgen.model.types import BaseType, innermost

_TENSOR = BaseType("Tensor")
_KEPT_TAGS = frozenset({"nondeterministic_seeded", "view_copy", "pt2_compliant_tag"})
_OPTIONS = ("dtype", "layout", "device", "pin_memory")
"""What describes a new tensor, if it stands together; one that is handed in tells all of it."""


def is_generated(composite_implicit: bool, tags: Collection[str]) -> bool:
    """Whether torchgen makes anything of a function: not of what only calls others, unless it is a core operator."""
    return not composite_implicit or "core" in tags


def generated_schema(origin: AtenSchema, name: str) -> AtenSchema:
    """The schema of the function `name`, which stands in the `autogen:` line of `origin`."""
    base, _, overload = name.partition(".")
    is_out = overload == "out" or overload.endswith("_out")
    made = _with_out(origin) if is_out else _functional(origin)
    return replace(
        made,
        name=OpName(origin.name.namespace, base, overload),
        returns_in_parentheses=len(made.returns) != 1,
        variants=("function",),
        composite_implicit=False,
        structured_delegate="",
        tags=("generated", *(tag for tag in origin.tags if tag in _KEPT_TAGS)),
    )


def _functional(origin: AtenSchema) -> AtenSchema:
    """Nothing is written into: what was, comes last among the results, if it is not there already."""
    given = {result.alias for result in origin.returns if result.alias}
    written = [a for a in origin.arguments if a.is_written and (not a.keyword_only or a in origin.out_arguments)]
    further = [Return(a.type, f"{a.name}_out") for a in written if a.alias not in given]
    returns = (*(replace(result, alias="") for result in origin.returns), *further)
    return replace(origin, arguments=tuple(_taken(origin)), returns=returns)


def _with_out(origin: AtenSchema) -> AtenSchema:
    """Further arguments take the results; where these are tensors only, they are given back as well."""
    if origin.is_inplace:
        first, *rest = origin.arguments
        out = replace(first, name="out", keyword_only=True)
        return replace(origin, arguments=(replace(first, alias=""), *rest, out))
    kept = origin.arguments if any(a.is_written for a in origin.arguments) else tuple(_taken(origin))
    outs = dict(_outs(origin.returns, {a.alias.rstrip("!") for a in origin.arguments}))
    if all(result.type == _TENSOR for result in origin.returns):
        returns = tuple(Return(out.type, alias=out.alias) for out in outs.values())
    else:
        returns = tuple(result for place, result in enumerate(origin.returns) if place not in outs)
    return replace(origin, arguments=(*kept, *outs.values()), returns=returns)


def _outs(returns: Sequence[Return], used: Collection[str]) -> Iterator[tuple[int, Argument]]:
    """An argument for each result that is a tensor or a list of tensors, with its place."""
    letters = [letter for letter in string.ascii_lowercase if letter not in used]
    for place, (result, letter) in enumerate(zip(returns, letters, strict=False)):
        if innermost(result.type) == _TENSOR:
            name = "out" if len(returns) == 1 else f"out{place}"
            yield place, Argument(name, result.type, keyword_only=True, alias=f"{letter}!")


def _taken(origin: AtenSchema) -> Iterator[Argument]:
    """The arguments without `out=` and what describes a new tensor, none of them written into."""
    names = [argument.name for argument in origin.arguments]
    described = any(tuple(names[place : place + len(_OPTIONS)]) == _OPTIONS for place in range(len(names)))
    for argument in origin.arguments:
        is_option = described and argument.name in _OPTIONS and argument.keyword_only
        if argument not in origin.out_arguments and not is_option:
            yield replace(argument, alias="")
