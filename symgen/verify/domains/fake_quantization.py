"""Fake quantisation."""

from __future__ import annotations

from symgen.verify.domains.rows import Domain, row, t, within

_RANGES = {"quant_min": (-8, 0, -128), "quant_max": (7, 127, 255)}
_SCALE = within(0.05, 0.5)
_ORIGIN = within(0, 3)
_SWITCH = within(0, 1)

_PER_TENSOR = row(
    _RANGES,
    self=t("n m|n|b n m|"),
    scale=t("", _SCALE, values=(0.1, 0.35)),
    zero_point=t("", _ORIGIN, dtype="int32", values=(1, 0, 2)),
    fake_quant_enabled=t("1", _SWITCH, dtype="int64"),
    special=False,
)
_PER_CHANNEL = row(
    _RANGES,
    self=t("n m|b n m|m"),
    scale=t("n|n|m", _SCALE),
    zero_point=t("n|n|m", _ORIGIN, dtype="int32"),
    axis=(0, 1),
    special=False,
)
_OBSERVED = row(
    _RANGES,
    self=t("n m|b n m"),
    observer_on=t("1", _SWITCH, dtype="int64"),
    fake_quant_on=t("1", _SWITCH, dtype="int64"),
    running_min=t("1|", within(-3.0, -1.0), dtype="float32"),
    running_max=t("1|", within(1.0, 3.0), dtype="float32"),
    scale=t("1", _SCALE, dtype="float32"),
    zero_point=t("1", _ORIGIN, dtype="int32"),
    averaging_const=(0.01, 0.3),
    ch_axis=(0, -1),
    per_row_fake_quant=(False,),
    symmetric_quant=(False, True),
    special=False,
)

ROWS: dict[str, Domain] = {
    "fake_quantize_per_tensor_affine": _PER_TENSOR,
    "fake_quantize_per_tensor_affine_cachemask": _PER_TENSOR,
    "_fake_quantize_per_tensor_affine_cachemask_tensor_qparams": _PER_TENSOR,
    "fake_quantize_per_channel_affine": _PER_CHANNEL,
    "fake_quantize_per_channel_affine_cachemask": _PER_CHANNEL,
    "_fake_quantize_learnable_per_tensor_affine": row(
        _RANGES,
        self=t("n m|n|b n m|"),
        scale=t("1", _SCALE),
        zero_point=t("1", within(-3.0, 3.0), dtype="float32"),
        special=False,
    ),
    "_fake_quantize_learnable_per_channel_affine": row(
        _RANGES,
        self=t("n m|b n m|m"),
        scale=t("n|n|m", _SCALE),
        zero_point=t("n|n|m", within(-3.0, 3.0), dtype="float32"),
        axis=(0, 1),
        special=False,
    ),
    "fused_moving_avg_obs_fake_quant": _OBSERVED,
    "_fused_moving_avg_obs_fq_helper": _OBSERVED,
}
