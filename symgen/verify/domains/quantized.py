"""Quantised operators: their samples are float tensors, which are quantised with a scale of 0.08 around 50."""

from __future__ import annotations

from symgen.model.names import OpName
from symgen.verify.domains.rows import POSITIVE, Domain, row, t
from symgen.verify.task import Tolerance

QUANTIZED = "quantized"
STEP = 0.1
"""The coarsest scale of the samples: one of its steps is what a result may be off, two of the finest are too many."""

_SCALES = {
    "output_scale": (0.1, 0.08),
    "output_zero_point": (40, 0, 128),
    "scale": (0.1, 0.08),
    "zero_point": (40, 0, 128),
}
_FLOATS = ("weight", "bias", "mean", "var")

ANY = row(_SCALES, special=False)
"""What is known of every quantised operator."""

# Limits between two steps, where rounding can't put a value on the other side.
ROWS: dict[str, Domain] = {
    "quantized::elu": row(
        {**_SCALES, "scale": (1.5, 1, 0.5)}, alpha=(0.7, 2, 1), input_scale=(0.5, 1, 2), special=False
    ),
    "quantized::celu": row(_SCALES, alpha=(0.7, 2, 1), special=False),
    "quantized::leaky_relu": row(_SCALES, negative_slope=(0.1, 0.5), special=False),
    "quantized::add_scalar": row(b=(0.43, -1.27, 3, 11.0, -9.5), special=False),
    **{f"quantized::mul_scalar{end}": row(b=(1.2, -1.1, 0, 0.5), special=False) for end in ("", "_relu")},
    "quantized::dropout": row(_SCALES, p=(0.2, 0.5), training=(False,), special=False),
    "quantized::threshold": row(threshold=(0.43, -1.63), value=(0.8, -2.4, 0), special=False),
    "quantized::clamp": row(min=(-1.6, 0.4, None), max=(0.8, 2.4, None), special=False),
    **{
        f"quantized::batch_norm{kind}{suffix}": row(
            {**_SCALES, "eps": (1e-3, 1e-5)},
            qx=t(shape), weight=t("c"), bias=t("c"), mean=t("c"), var=t("c", POSITIVE), special=False,
        )
        for kind, shape in (("", "b c h w"), ("1d", "b c w"), ("2d", "b c h w"), ("3d", "b c d h w"))
        for suffix in ("", "_relu")
    },
}  # fmt: skip


def step_tolerance(op: str) -> tuple[Tolerance, ...]:
    """What the results of a quantised operator may be off; nothing for any other operator."""
    reason = "one step of the quantisation"
    return (Tolerance("float32", 0.0, STEP, reason),) if op.startswith(f"{QUANTIZED}::") else ()


def float_arguments(name: OpName) -> tuple[str, ...]:
    """The tensors of a quantised operator that are not quantised themselves."""
    if "scalar" in name.base:
        return ("b",)
    return _FLOATS if "norm" in name.base else ()
