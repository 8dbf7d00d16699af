"""Under which name an operator reaches the exporter: what tracing and the exporter's passes make of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from symgen.introspect.tables import rows_of
from symgen.model.names import OpName
from symgen.model.schema import AtenSchema

_TABLE = "arrivals.tsv"
_COLUMNS = 3


@dataclass(frozen=True)
class Arrival:
    """What the exporter looks up where a model calls the operator that was asked for.

    `op` is the name to register; `reason` says in words why it is another one, and is empty where it is not.
    Where only tracing takes the operator apart or renames it, `op` is the name that a scripted model keeps, and `parts`
    are what a traced one consists of.
    """

    op: OpName
    reason: str = ""
    parts: tuple[OpName, ...] = ()


@dataclass(frozen=True)
class Measured:
    """What an export of one operator was seen to look up: the names for a traced call, the name for a scripted one."""

    traced: tuple[str, ...]
    scripted: str


def arrival(asked: OpName, declared: AtenSchema, measured: Mapping[str, Measured]) -> Arrival:
    """How the operator arrives that was asked for and is declared by this overload or one beside it."""
    stripped = declared.name.base.removesuffix("_")
    seen = measured.get(declared.name.base, Measured((stripped,), stripped))
    op = OpName(asked.namespace, seen.scripted)
    parts = tuple(OpName(asked.namespace, part) for part in seen.traced)
    if parts == (op,):
        return Arrival(op, _reason(asked, declared, op))
    traced_as = ", ".join(part.qualified for part in parts)
    return Arrival(op, f"a traced model calls {traced_as} in its place; a scripted one keeps {op.qualified}", parts)


def _reason(asked: OpName, declared: AtenSchema, op: OpName) -> str:
    base = declared.name.base
    if (asked.overload and declared.is_out) or (asked.base.endswith("_out") and asked.base != base):
        return f"a call with out= reaches the exporter as {op.qualified}"
    if asked.base == op.base:
        return ""
    if op.base == base.removesuffix("_"):
        return f"before it looks a name up, the exporter drops the last underscore: {op.qualified}"
    return f"it is another name of {op.qualified}, under which it reaches the exporter"


def load_measured() -> Mapping[str, Measured]:
    """The committed measurements by base name (`absolute`); operators that arrive as themselves are not listed."""
    path = Path(__file__).with_name(_TABLE)
    return parse_measured(path.read_text(encoding="utf-8"), str(path))


def parse_measured(text: str, path: str) -> Mapping[str, Measured]:
    """Reads the table: operator, names looked up when traced (separated by blanks), name looked up when scripted.

    Raises:
        ParseError: where a line has not three columns.
    """
    rows = rows_of(text, path, _COLUMNS)
    return {name: Measured(tuple(traced.split()), scripted) for name, traced, scripted in rows}
