"""Prose for files that are kept in ASCII: formulas without their signs."""
# ruff: noqa: RUF001

from __future__ import annotations

_SIGNS = str.maketrans(
    {
        "·": "*", "−": "-", "×": "*", "√": "sqrt", "π": "pi", "∞": "inf", "≤": "<=", "≥": ">=", "≠": "!=", "²": "**2",
        "³": "**3", "ᵇ": "**b", "₂": "2", "₁": "1", "₀": "0", "–": "-", "’": "'", "…": "...", "Σ": "sum", "Γ": "gamma",
        "ψ": "psi", "μ": "mu", "σ": "sigma", "ε": "eps", "α": "alpha", "β": "beta", "γ": "gamma", "λ": "lambda",
        "δ": "delta", "φ": "phi", "∈": "in", "→": "->", "ᵢ": "_i", "ⱼ": "_j", "ₙ": "_n", "ⁿ": "**n", "⁻": "**-",
        "Π": "product",
    }
)  # fmt: skip


def plain_text(text: str) -> str:
    """The text with the signs of formulas said in ASCII."""
    return text.translate(_SIGNS)
