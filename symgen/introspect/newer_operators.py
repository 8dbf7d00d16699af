"""ONNX operators newer than opset 20: what the dynamo exporter and ONNX Runtime reach of them.

`newer_operators.tsv` holds what was measured with the versions in constraints.txt. The exporter builds a model of one
opset and has onnxscript convert it; a function that calls a newer operator works from that operator's opset on, and as
far as onnxscript converts. Beyond that it leaves the model as it was, without a word, and the model is not valid.
"""

from __future__ import annotations

import csv
import importlib.util
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_TABLE = Path(__file__).with_name("newer_operators.tsv")
_CONVERTER = Path("version_converter", "_version_converter.py")
_NEWEST = re.compile(r"^SUPPORTED_MAX_ONNX_OPSET\s*=\s*(\d+)", re.MULTILINE)


@dataclass(frozen=True)
class NewerOperator:
    """One operator; an empty range where nothing reaches it."""

    name: str
    since: int
    exporter: range
    """The opsets at which a function that calls it exports."""
    runtime: range
    """Those of these at which ONNX Runtime runs the model."""
    by: str
    """`kernel`, or `function body`: the runtime has none of its own, and runs the operators of its definition."""

    def __str__(self) -> str:
        if not self.exporter:
            return "the exporter does not reach it"
        exporter = f"the exporter reaches it at {_said(self.exporter)}"
        if not self.runtime:
            return f"{exporter}; ONNX Runtime does not run it"
        return f"{exporter}; ONNX Runtime runs it at {_said(self.runtime)}, by {_ARTICLES[self.by]}"


_ARTICLES = {"kernel": "a kernel", "function body": "its function body"}


def load_newer_operators() -> Mapping[str, NewerOperator]:
    """The table, by the operators' names."""
    with _TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return {
        row["operator"]: NewerOperator(
            row["operator"], int(row["since"]), _opsets(row["exporter"]), _opsets(row["runtime"]), row["by"]
        )
        for row in rows
    }


def load_newest_converted() -> int | None:
    """The newest opset to which the installed onnxscript converts, read from its text; None where it doesn't say."""
    found = importlib.util.find_spec("onnxscript")
    if found is None or found.origin is None:
        return None
    path = Path(found.origin).parent / _CONVERTER
    said = _NEWEST.search(path.read_text("utf-8")) if path.is_file() else None
    return int(said[1]) if said else None


def _opsets(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last) + 1) if text else range(0)


def _said(opsets: range) -> str:
    return f"opset {opsets[0]}" if len(opsets) == 1 else f"opsets {opsets[0]} to {opsets[-1]}"
