"""From what was typed to the operators that reach the exporter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.config import Target
from symgen.errors import UsageError
from symgen.match.same_name import operator_of_same_name
from symgen.match.untranslatable import REASONS
from symgen.model.names import OpName, parse_op_name
from symgen.sources import Sources, arrival_in


@dataclass(frozen=True)
class Request:
    """One operator that was asked for: `op` is the name that reaches the exporter, `note` why it is another one.

    `parts` are the operators that a traced model consists of instead, where tracing takes this one apart.
    """

    asked: str
    op: OpName
    note: str = ""
    parts: tuple[OpName, ...] = ()


def resolve_names(asked: Sequence[str], sources: Sources, target: Target = Target.TORCHSCRIPT) -> tuple[Request, ...]:
    """Resolves every name before anything is done for the first; what is wrong with several is told at once.

    Raises:
        UsageError: where a text is no name of an operator; an UnknownNameError where nothing declares the only one
            that is wrong. Each comes with its nearest names.
    """
    found, wrong = [], []
    for text in asked:
        try:
            found.append(_resolve(text, sources, target))
        except UsageError as error:
            wrong.append(error)
    if len(wrong) > 1:
        raise UsageError("; ".join(dict.fromkeys(map(str, wrong))))
    if wrong:
        raise wrong[0]
    return tuple(found)


def _resolve(text: str, sources: Sources, target: Target) -> Request:
    name = parse_op_name(text)
    sources.catalogue.operator(name)
    arrival = arrival_in(sources, name, target)
    return Request(text, arrival.op.without_overload(), arrival.reason, arrival.parts)


def candidates_of_all(sources: Sources, family: str = "") -> tuple[str, ...]:
    """Every operator that symgen has something to say of: a translation, or the reason why there is none.

    With a family those of the knowledge's file of that name alone.
    """
    known = [name for name in sources.knowledge.names() if "." not in name]
    if family:
        return tuple(name for name in known if sources.knowledge.family_of(name) == family)
    reasoned = [f"aten::{base}" for base in REASONS]
    named_alike = [
        op.qualified
        for op in sources.catalogue
        if operator_of_same_name(op, sources.schemas) and op.qualified not in known
    ]
    return tuple(sorted({*known, *reasoned, *named_alike}))
