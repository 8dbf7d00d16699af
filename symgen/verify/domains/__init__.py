"""Where operators are defined: one row per operator whose arguments cannot be guessed from its signature.

A row says which shapes go together (letters are sizes, `|` separates alternatives), which values a tensor may hold,
which dtype an argument has, and which values the other arguments take. Whatever a row leaves out is guessed, tried in
eager torch, and dropped where eager torch refuses it.
"""

from __future__ import annotations

from symgen.verify.domains import (
    complex_numbers,
    fake_quantization,
    indexing,
    linear_algebra,
    losses,
    networks,
    pointwise,
    quantized,
    shapes,
    statistics,
)
from symgen.verify.domains.rows import Domain

DOMAINS: dict[str, Domain] = {
    **pointwise.ROWS,
    **linear_algebra.ROWS,
    **indexing.ROWS,
    **statistics.ROWS,
    **losses.ROWS,
    **networks.ROWS,
    **fake_quantization.ROWS,
    **shapes.ROWS,
    **quantized.ROWS,
    **complex_numbers.ROWS,
}


def domain_of(op: str, overload: str = "") -> Domain:
    """The row of an operator (`aten::max`), of this overload before that of all; without one, nothing is known."""
    base = op.removeprefix("aten::")
    names = (f"{base}.{overload}", base, base.removesuffix("_"))
    unknown = quantized.ANY if op.startswith(f"{quantized.QUANTIZED}::") else Domain()
    return next((DOMAINS[name] for name in names if name in DOMAINS), unknown)
