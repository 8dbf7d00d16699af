"""Sets of opsets as bit masks, and what a condition says of the opset."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

OpsetMask: TypeAlias = int
"""Bit n stands for opset n."""
NEWEST: Final = 62
ALL: Final[OpsetMask] = (1 << (NEWEST + 1)) - 1
UNTOLD: Final = (ALL, ALL)
"""What a condition says that is not about the opset: either branch may be taken at each."""
_OPSET_ATTRIBUTES = frozenset({"opset", "export_onnx_opset_version", "_export_onnx_opset_version"})
Outcome: TypeAlias = tuple[OpsetMask, OpsetMask]
"""The opsets at which a condition may be true, and those at which it may be false."""


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


def is_opset(node: ast.expr, aliases: Mapping[str, object]) -> bool:
    """Whether an expression is the opset that is exported to: `g.opset`, the exporter's global, a name for either."""
    if isinstance(node, ast.Attribute):
        return node.attr in _OPSET_ATTRIBUTES
    return isinstance(node, ast.Name) and aliases.get(node.id) is OPSET_VALUE


OPSET_VALUE: Final = "opset"
"""Marks a local name that holds the opset itself, rather than the outcome of a test of it."""


def outcome_of(test: ast.expr, aliases: Mapping[str, object]) -> Outcome:
    """At which opsets a condition may be true and may be false, as far as it is about the opset."""
    if isinstance(test, ast.Compare):
        return _comparisons(test, aliases)
    if isinstance(test, ast.BoolOp):
        parts = [outcome_of(value, aliases) for value in test.values]
        conjunction = isinstance(test.op, ast.And)
        true, false = (ALL, 0) if conjunction else (0, ALL)
        for when_true, when_false in parts:
            true = true & when_true if conjunction else true | when_true
            false = false | when_false if conjunction else false & when_false
        return true, false
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        true, false = outcome_of(test.operand, aliases)
        return false, true
    if isinstance(test, ast.Constant):
        return (ALL, 0) if test.value else (0, ALL)
    if isinstance(test, ast.Name):
        known = aliases.get(test.id)
        return known if isinstance(known, tuple) else UNTOLD
    return UNTOLD


def _comparisons(test: ast.Compare, aliases: Mapping[str, object]) -> Outcome:
    """The outcome of `9 <= g.opset < 13`: true where each link is, false where any is not."""
    true, false = ALL, 0
    left = test.left
    for operator, right in zip(test.ops, test.comparators, strict=True):
        mask = _comparison(left, operator, right, aliases)
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
    left: ast.expr, operator: ast.cmpop, right: ast.expr, aliases: Mapping[str, object]
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


def _integers(node: ast.expr) -> list[int] | None:
    if not isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return None
    found = [item.value for item in node.elts if isinstance(item, ast.Constant) and isinstance(item.value, int)]
    return found if len(found) == len(node.elts) else None
