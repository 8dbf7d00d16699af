"""Pointwise operators."""

from __future__ import annotations

from symgen.verify.domains.rows import INF, POSITIVE, SIGNED_UNIT, UNIT, Domain, row, t, within

ROWS: dict[str, Domain] = {
    "acosh": row(self=t(recipe=within(1.0, 9.0))),
    "acos": row(self=t(recipe=SIGNED_UNIT)),
    "asin": row(self=t(recipe=SIGNED_UNIT)),
    "atanh": row(self=t(recipe=within(-0.99, 0.99))),
    "erfinv": row(self=t(recipe=SIGNED_UNIT)),
    "special_ndtri": row(self=t(recipe=UNIT)),
    "logit": row(self=t(recipe=within(0.01, 0.99))),
    "log": row(self=t(recipe=POSITIVE)),
    "log2": row(self=t(recipe=POSITIVE)),
    "log10": row(self=t(recipe=POSITIVE)),
    "log1p": row(self=t(recipe=within(-0.9, 6.0))),
    "sqrt": row(self=t(recipe=POSITIVE)),
    "rsqrt": row(self=t(recipe=POSITIVE)),
    "lgamma": row(self=t(recipe=within(-4.5, 9.0))),
    "digamma": row(self=t(recipe=within(-3.7, 9.0))),
    # At the poles of trigamma below zero, which edges hold, it is whatever the machine's sin(πx) rounds to.
    "polygamma": row(sensitive=True, self=t(recipe=POSITIVE), n=(1, 2, 0, 3)),
    "mvlgamma": row(self=t(recipe=within(3.0, 9.0)), p=(2, 1, 3)),
    "igamma": row(self=t(recipe=POSITIVE), other=t(recipe=POSITIVE)),
    "igammac": row(self=t(recipe=POSITIVE), other=t(recipe=POSITIVE)),
    "special_zeta": row(self=t(recipe=within(1.5, 6.0)), other=t(recipe=POSITIVE)),
    "special_entr": row(self=t(recipe=within(-1.0, 4.0))),
    "xlogy": row(other=t(recipe=within(0.0, 4.0))),
    "special_xlog1py": row(other=t(recipe=within(-1.0, 4.0))),
    "pow": row(self=t(recipe=POSITIVE)),
    "float_power": row(self=t(recipe=POSITIVE)),
    "ldexp": row(other=t(recipe=within(-4, 4))),
    "gcd": row(self=t(recipe=within(-60, 60)), other=t(recipe=within(-60, 60))),
    # The smallest int64 ends the process in torch itself.
    "lcm": row(self=t(recipe=within(-60, 60)), other=t(recipe=within(-60, 60)), special=False),
    # Of a nan torch gives what was in memory, and at degrees like 1e9 it goes through as many steps.
    **dict.fromkeys(
        (
            *(f"special_{kind}chebyshev_polynomial_{one}" for kind in ("", "shifted_") for one in "uw"),
            "special_laguerre_polynomial_l",
            "special_legendre_polynomial_p",
        ),
        row(
            special=False,
            x=t(recipe=within(-2.5, 2.5), values=(0.5, -1.5, 1, 2)),
            n=t(recipe=within(-2.0, 9.0), values=(2, 5, 0, 9.5, -1)),
        ),
    ),
    "__rshift__": row(other=t(recipe=within(0, 6), values=(3, 0, 1))),
    "__lshift__": row(other=t(recipe=within(0, 6), values=(3, 0, 1))),
    "bitwise_right_shift": row(other=t(recipe=within(0, 6), values=(3, 0, 1)), special=False),
    "bitwise_left_shift": row(other=t(recipe=within(0, 6), values=(3, 0, 1)), special=False),
    "_add_relu": row(special=False, other=t(values=(2, 2.5, -3, 0, -0.75))),
    # By the whole number 0 torch divides only where there is nothing to divide.
    # Below a threshold above 88 torch's formula overflows, where ours goes on.
    "softplus": row(threshold=(2, 2.5, -3, 0, -0.75, 30)),
    "fmod": row(other=t(values=(2, 2.5, -3, -0.75, INF))),
    "polar": row(abs=t(recipe=POSITIVE)),
    "clamp": row(min=(-1, 0.5, 2), max=(1, 2.5, -2)),
}
