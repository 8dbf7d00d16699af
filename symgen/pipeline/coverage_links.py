"""What the coverage says of an operator beside who serves it: its signature, and where one would go for a change."""

from __future__ import annotations

import re

from symgen.coverage import CoverageRow
from symgen.match.same_name import operator_of_same_name
from symgen.model.names import parse_op_name
from symgen.sources import Sources

_OPERATORS = "https://onnx.ai/onnx/operators/"
_PROPOSALS = "https://github.com/onnx/onnx/blob/main/docs/AddNewOp.md"
"""How an operator gets into ONNX."""
_TYPES = "https://github.com/onnx/onnx/blob/main/docs/IR.md"
"""The types that ONNX has."""
_WOULD_CHANGE = re.compile(r"\b(?P<what>operator|type) .*would change that")
_CAPITALISED = re.compile(r"\b[A-Z][A-Za-z0-9]+\b")


def signature(row: CoverageRow, sources: Sources) -> tuple[str, ...]:
    """The schemas of all overloads, sorted: two lists differ where the operator has changed."""
    return tuple(sorted(map(str, sources.catalogue.operator(parse_op_name(row.op)).overloads)))


def operator_page(name: str) -> str:
    """The page of an ONNX operator."""
    return f"{_OPERATORS}onnx__{name}.html"


def what_would_change(row: CoverageRow, sources: Sources) -> str:
    """Where to go with an operator that neither serves; empty where one does, or ONNX has nothing to do with it.

    It is the page of the ONNX operator that the reason names or that has the operator's name, else where ONNX says how
    it gets what the reason asks of it.
    """
    if not row.reason:
        return ""
    named = (word for word in _CAPITALISED.findall(row.reason) if word != "ONNX")
    operator = next((word for word in named if sources.schemas.history(word)), None)
    same = operator_of_same_name(parse_op_name(row.arrives_as), sources.schemas)
    if operator or same:
        return operator_page(operator or (same.name if same else ""))
    asked = _WOULD_CHANGE.search(row.reason) if "ONNX" in row.reason else None
    return {"operator": _PROPOSALS, "type": _TYPES}[asked["what"]] if asked else ""
