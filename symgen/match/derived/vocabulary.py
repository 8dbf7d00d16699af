"""The knowledge's entries as helpers, which a derived plan may call for the steps that they translate."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from symgen.match.knowledge import Entry, Knowledge
from symgen.match.parameters import merge_parameters
from symgen.model.plan import Parameter, PlanFunction
from symgen.model.schema import AtenSchema
from symgen.model.types import ListType, is_tensor, is_tensor_list, strip_optional

OverloadsOf = Callable[[str], Sequence[AtenSchema]]
"""The overloads of an ATen operator, by its base name."""
_ASK_THE_MODEL = (
    *("op.is_complex", "op.carried", "op.outputs", "op.unpacked_count", "op.was_contiguous", "op.items"),
    *("op.is_captured", "op.was_cast", "op.is_list"),
)
"""What a body can ask only where it stands for a node of the model itself."""
_PYTHON_TYPES: Mapping[str, str] = {
    "int": "int", "SymInt": "int", "bool": "bool", "float": "float", "Scalar": "float", "str": "str",
    "ScalarType": "torch.dtype",
}  # fmt: skip


@dataclass(frozen=True)
class EntryHelper:
    """An entry as a helper, and its parameters in the order of the operator's schema."""

    function: PlanFunction
    parameters: tuple[Parameter, ...]
    family: str


class Vocabulary:
    """What can be called beside the ONNX operators."""

    def __init__(self, knowledge: Knowledge, overloads_of: OverloadsOf, hidden: frozenset[str] = frozenset()) -> None:
        """Leaves out the operators in `hidden`."""
        self._knowledge = knowledge
        self._overloads_of = overloads_of
        self._hidden = hidden

    def names(self) -> frozenset[str]:
        """The base names of the operators that have an entry which can be called."""
        bases = {name.removeprefix("aten::") for name in self._knowledge.names() if name.startswith("aten::")}
        return frozenset(base for base in bases - self._hidden if self.entry_helper(base) is not None)

    def entry_helper(self, base: str) -> EntryHelper | None:
        """The entry of an operator as a helper; None where there is none, or where it asks for its own node."""
        if base in self._hidden:
            return None
        entry = self._knowledge.entry(f"aten::{base}")
        if entry is None or entry.values or entry.only or entry.returns_list or entry.limits:
            return None
        if any(question in entry.function.source for question in _ASK_THE_MODEL):
            return None
        parameters = merge_parameters(self._overloads_of(base))
        if parameters is None or entry.function.shared_tree.args.vararg is not None:
            return None
        function = _as_helper(entry, parameters)
        return None if function is None else EntryHelper(function, parameters, entry.family)

    def helpers_of(self, names: Mapping[str, str], entries: Sequence[EntryHelper]) -> tuple[PlanFunction, ...]:
        """The helpers of that name, each with its file, and the entries, with all that they call."""
        found: dict[str, PlanFunction] = {}
        for name, stem in names.items():
            function = self._knowledge.helper(name, stem)
            found |= {one.name: one for one in self._knowledge.helpers_of(function, stem)} | {name: function}
        for entry in entries:
            found |= {one.name: one for one in self._knowledge.helpers_of(entry.function, entry.family)}
            found[entry.function.name] = entry.function
        return tuple(found.values())


def _as_helper(entry: Entry, parameters: Sequence[Parameter]) -> PlanFunction | None:
    """The entry's function with annotations, which tell a helper's graph values from what is known at export."""
    tree = entry.function.shared_tree
    by_name = {parameter.name: parameter for parameter in parameters}
    shown = []
    for argument in tree.args.args[1:]:
        parameter = by_name.get(argument.arg)
        annotation = None if parameter is None else _annotation(parameter, promoted=entry.promote or ())
        if parameter is None or annotation is None:
            return None
        default = "" if parameter.default is None else f" = {_default(parameter.default)}"
        shown.append(f"{argument.arg}{annotation}{default}")
    lines = entry.function.source.splitlines(keepends=True)
    body = "".join(lines[tree.body[0].lineno - 1 :])
    return PlanFunction(tree.name, f"def {tree.name}(op, {', '.join(shown)}):\n{body}", entry.function.constants)


def _annotation(parameter: Parameter, promoted: Sequence[str]) -> str | None:
    """How a helper declares the parameter; None where a helper can't take it."""
    types = {strip_optional(kind) for kind in parameter.types}
    if any(is_tensor_list(kind) for kind in types):
        return None
    if parameter.name in promoted or any(is_tensor(kind) for kind in types):
        return ""
    first = next(iter(types))
    element = first.element if isinstance(first, ListType) else first
    plain = _PYTHON_TYPES.get(str(element))
    if plain is None:
        return None
    return f": list[{plain}] | None" if isinstance(first, ListType) else f": {plain} | None"


def _default(text: str) -> str:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return "None"
    return text
