"""Prose for files that are kept in ASCII: formulas without their signs."""
# ruff: noqa: RUF001

from __future__ import annotations

import unicodedata

_SIGNS = str.maketrans(
    {
        "·": "*", "−": "-", "×": "*", "√": "sqrt", "π": "pi", "∞": "inf", "≤": "<=", "≥": ">=", "≠": "!=", "²": "**2",
        "³": "**3", "ᵇ": "**b", "₂": "2", "₁": "1", "₀": "0", "–": "-", "’": "'", "…": "...", "Σ": "sum", "Γ": "gamma",
        "ψ": "psi", "μ": "mu", "σ": "sigma", "ε": "eps", "α": "alpha", "β": "beta", "γ": "gamma", "λ": "lambda",
        "δ": "delta", "φ": "phi", "∈": "in", "→": "->", "ᵢ": "_i", "ⱼ": "_j", "ₙ": "_n", "ⁿ": "**n", "⁻": "**-",
        "Π": "product", "ᵖ": "**p", "ᵀ": "^T", "½": "1/2", "±": "+-", "η": "eta", "ζ": "zeta", "Φ": "Phi", "ₖ": "_k",
        "ˣ": "**x", "ᵏ": "**k", "ᵃ": "**a", "¹": "1", "⌊": "floor(", "⌋": ")", "⌈": "ceil(", "⌉": ")", "′": "'",
        "₊": "+", "⊗": "x", "ₒ": "_o", "ˢ": "**s",
    }
)  # fmt: skip


def plain_text(text: str) -> str:
    """The text with the signs of formulas said in ASCII, and letters without their accents."""
    return unicodedata.normalize("NFKD", text.translate(_SIGNS)).encode("ascii", "ignore").decode()
