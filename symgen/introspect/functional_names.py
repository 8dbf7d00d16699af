"""The functions of `torch.nn.functional` that no operator has the name of, and the operators that they call."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

from symgen.introspect.tables import rows_of

_TABLE = "functional_names.tsv"
_COLUMNS = 2


@functools.cache
def load_functional_names() -> Mapping[str, tuple[str, ...]]:
    """The base names of the operators that a function calls, by the function's name (`fold`: `col2im`)."""
    path = Path(__file__).with_name(_TABLE)
    return parse_functional_names(path.read_text(encoding="utf-8"), str(path))


def parse_functional_names(text: str, path: str) -> Mapping[str, tuple[str, ...]]:
    """Reads the table: function, operators (separated by blanks).

    Raises:
        ParseError: where a line has not two columns.
    """
    return {name: tuple(operators.split()) for name, operators in rows_of(text, path, _COLUMNS)}


def calls_of(name: str) -> str:
    """Which operators the function of that name calls, in words; empty where there is none in the table."""
    operators = ", ".join(f"aten::{base}" for base in load_functional_names().get(name, ()))
    return f"torch.nn.functional.{name} calls {operators}" if operators else ""
