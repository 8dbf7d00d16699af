"""Under which name an operator reaches the exporter: what tracing and the exporter's passes make of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from symgen.errors import ParseError
from symgen.model.location import Location
from symgen.model.names import OpName

_TABLE = "arrivals.tsv"
_COLUMNS = 3


@dataclass(frozen=True)
class Arrival:
    """What the exporter looks up where a model calls the operator that was asked for.

    `op` is the name to register; `reason` says in words why it is another one, and is empty where it is not.
    Where tracing takes the operator apart, `op` is the name that a scripted model keeps, and `parts` what a traced one
    consists of.
    """

    op: OpName
    reason: str = ""
    parts: tuple[OpName, ...] = ()


@dataclass(frozen=True)
class Measured:
    """What an export of one operator was seen to look up, traced and scripted; see `arrivals.tsv`."""

    traced: tuple[str, ...]
    scripted: str


def load_measured() -> Mapping[str, Measured]:
    """The committed measurements by base name (`absolute`); operators that arrive as themselves are not listed."""
    text = resources.files(__package__).joinpath(_TABLE).read_text(encoding="utf-8")
    return parse_measured(text, _TABLE)


def parse_measured(text: str, path: str) -> Mapping[str, Measured]:
    """Reads the table: operator, names looked up when traced (separated by blanks), name looked up when scripted.

    Raises:
        ParseError: where a line has not three columns.
    """
    table = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line or line.startswith("#"):
            continue
        columns = line.split("\t")
        if len(columns) != _COLUMNS:
            raise ParseError(f"{len(columns)} columns instead of {_COLUMNS}", location=Location(path, number))
        name, traced, scripted = columns
        table[name] = Measured(tuple(traced.split()), scripted)
    return table
