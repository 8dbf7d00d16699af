"""Sets of opsets as bit masks, and what a condition says of the opset."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

OpsetMask: TypeAlias = int
"""Bit n stands for opset n."""
NEWEST: Final = 62
ALL: Final[OpsetMask] = (1 << (NEWEST + 1)) - 1
ALIVE: Final = 1 << (NEWEST + 1)
"""Set as long as code is reached at all: alone, it says that nothing is known of the opsets."""
START: Final = ALL | ALIVE
"""What a function's first statement is reached at, relative to the function."""
_OPSET_ATTRIBUTES = frozenset({"opset", "export_onnx_opset_version", "_export_onnx_opset_version"})
GRAPHS = frozenset({"g", "graph", "graph_context"})
"""What the graph is called: a function that is given it first may ask it for the opset."""
Outcome: TypeAlias = tuple[OpsetMask, OpsetMask] | None
"""The opsets at which a condition may be true, and those at which it may be false; None where it is about the opset in
a way that can't be told."""
UNTOLD: Final = (ALL, ALL)
"""What a condition says that is not about the opset: either branch may be taken at each."""


def mask_of(opsets: Iterable[int]) -> OpsetMask:
    """The mask of some opsets; what lies outside the representable range is left out."""
    mask = 0
    for opset in opsets:
        if 0 <= opset <= NEWEST:
            mask |= 1 << opset
    return mask


def mask_between(first: int, last: int) -> OpsetMask:
    """The mask of all opsets from the first to the last; none where the last comes before the first."""
    return ALL & ((1 << (last + 1)) - 1) & ~((1 << first) - 1) if first <= last else 0


def opsets_in(mask: OpsetMask) -> Iterator[int]:
    """The opsets of a mask, rising."""
    opset = 0
    while mask:
        if mask & 1:
            yield opset
        mask >>= 1
        opset += 1


class Meaning(NamedTuple):
    """What a local name holds, as far as that matters: the opset itself, or the outcome of a test of it."""

    outcome: Outcome = UNTOLD
    is_opset: bool = False


def is_opset(node: ast.expr, aliases: Mapping[str, Meaning]) -> bool:
    """Whether an expression is the opset that is exported to: `g.opset`, the exporter's global, a name for either."""
    if isinstance(node, ast.Attribute):
        return node.attr in _OPSET_ATTRIBUTES
    meaning = aliases.get(node.id) if isinstance(node, ast.Name) else None
    return meaning is not None and meaning.is_opset


def outcome_of(test: ast.expr, aliases: Mapping[str, Meaning]) -> Outcome:
    """At which opsets a condition may be true and may be false, as far as it is about the opset."""
    if isinstance(test, ast.Compare):
        return _comparisons(test, aliases)
    if isinstance(test, ast.BoolOp):
        return _combined(test, aliases)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        outcome = outcome_of(test.operand, aliases)
        return outcome and (outcome[1], outcome[0])
    if isinstance(test, ast.Constant):
        return (ALL, 0) if test.value else (0, ALL)
    if isinstance(test, ast.Name) and test.id in aliases:
        meaning = aliases[test.id]
        return UNTOLD if meaning.is_opset else meaning.outcome
    return None if may_depend_on_opset(test) else UNTOLD


def _combined(test: ast.BoolOp, aliases: Mapping[str, Meaning]) -> Outcome:
    conjunction = isinstance(test.op, ast.And)
    true, false = (ALL, 0) if conjunction else (0, ALL)
    for value in test.values:
        outcome = outcome_of(value, aliases)
        if outcome is None:
            return None
        true = true & outcome[0] if conjunction else true | outcome[0]
        false = false | outcome[1] if conjunction else false & outcome[1]
    return true, false


def may_depend_on_opset(test: ast.expr) -> bool:
    """Whether an expression names the opset, or asks a function that is given the graph."""
    stack: list[ast.AST] = [test]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Attribute):
            if "opset" in node.attr:
                return True
            stack.append(node.value)
        elif isinstance(node, ast.Name):
            if "opset" in node.id:
                return True
        elif isinstance(node, ast.Call):
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Name) and first.id in GRAPHS:
                return True
            stack += (node.func, *node.args)
        elif not isinstance(node, ast.Constant):
            stack += ast.iter_child_nodes(node)
    return False


def _comparisons(test: ast.Compare, aliases: Mapping[str, Meaning]) -> Outcome:
    """The outcome of `9 <= g.opset < 13`: true where each link is, false where any is not."""
    true, false, left = ALL, 0, test.left
    for operator, right in zip(test.ops, test.comparators, strict=True):
        mask = _comparison(left, operator, right, aliases)
        if mask is None and (may_depend_on_opset(left) or may_depend_on_opset(right)):
            return None
        true &= ALL if mask is None else mask
        false |= ALL if mask is None else ALL & ~mask
        left = right
    return true, false


_MIRRORED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
    ast.Eq: ast.Eq,
    ast.NotEq: ast.NotEq,
}


def _comparison(
    left: ast.expr, operator: ast.cmpop, right: ast.expr, aliases: Mapping[str, Meaning]
) -> OpsetMask | None:
    """Where a comparison of the opset with constants holds; None where it is of something else."""
    kind = type(operator)
    if is_opset(left, aliases):
        if kind in (ast.In, ast.NotIn):
            members = _integers(right)
            mask = None if members is None else mask_of(members)
            return mask if mask is None or kind is ast.In else ALL & ~mask
        return _ordered(kind, right)
    if is_opset(right, aliases) and kind in _MIRRORED:
        return _ordered(_MIRRORED[kind], left)
    return None


def _ordered(kind: type[ast.cmpop], bound: ast.expr) -> OpsetMask | None:
    if not isinstance(bound, ast.Constant) or type(bound.value) is not int:
        return None
    limit = min(max(bound.value, 0), NEWEST + 1)
    below, at = (1 << limit) - 1, mask_of([bound.value])
    masks = {
        ast.Lt: below,
        ast.LtE: below | at,
        ast.Gt: ALL & ~(below | at),
        ast.GtE: ALL & ~below,
        ast.Eq: at,
        ast.NotEq: ALL & ~at,
    }
    return masks.get(kind)


def _integers(node: ast.expr) -> Iterable[int] | None:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range" and not node.keywords:
        bounds = _integers(ast.Tuple(node.args, ast.Load()))
        return range(*bounds) if bounds and len(list(bounds)) in (1, 2) else None
    if not isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return None
    found = [item.value for item in node.elts if isinstance(item, ast.Constant) and isinstance(item.value, int)]
    return found if len(found) == len(node.elts) else None
