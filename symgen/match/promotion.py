"""Which arguments of an operator torch casts to a common dtype, and what dtype the result then has.

The rules are data, read from the decorators of `torch._refs` by `tools/promotion_rules.py`; an entry can say otherwise.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path

from symgen.model.plan import Parameter, Promotion, PromotionKind

_TABLE = Path(__file__).with_name("promotion_rules.tsv")
# COMPLEX_TO_FLOAT only differs for complex tensors, which ONNX lacks; NO_OPMATH differs in how torch computes.
_KINDS = {
    "DEFAULT": PromotionKind.DEFAULT,
    "NO_OPMATH": PromotionKind.DEFAULT,
    "COMPLEX_TO_FLOAT": PromotionKind.DEFAULT,
    "INT_TO_FLOAT": PromotionKind.INT_TO_FLOAT,
    "ALWAYS_BOOL": PromotionKind.ALWAYS_BOOL,
    "BOOL_TO_LONG": PromotionKind.BOOL_TO_LONG,
}


def promotion_rule(base: str, parameters: Sequence[Parameter], *, widen: bool = True) -> Promotion | None:
    """The rule for an operator (`hypot`), None where torch has none."""
    rule = load_promotion_rules().get(base)
    if rule is None:
        return None
    positions, kind = rule
    names = tuple(parameters[position].name for position in positions if position < len(parameters))
    return Promotion(kind, names, widen)


@functools.cache
def load_promotion_rules() -> Mapping[str, tuple[tuple[int, ...], PromotionKind]]:
    """The table: for each operator the positions of the arguments that are promoted together, and how."""
    rules = {}
    for line in _TABLE.read_text(encoding="utf-8").splitlines()[1:]:
        name, positions, kind = line.split("\t")
        rules[name] = (tuple(int(position) for position in positions.split(",")), _KINDS[kind])
    return rules
