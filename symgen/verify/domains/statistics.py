"""Reductions, order statistics, histograms."""

from __future__ import annotations

from symgen.model.sample import Recipe
from symgen.verify.domains.rows import INF, POSITIVE, UNIT, Domain, row, t, within

_SUMS = (
    "sum", "nansum", "mean", "nanmean", "cumsum", "prod", "cumprod", "trace", "std", "var", "std_mean", "var_mean",
    "norm", "linalg_vector_norm", "linalg_norm", "linalg_matrix_norm", "frobenius_norm", "pairwise_distance",
    "cosine_similarity",
)  # fmt: skip
"""Operators that add up or multiply many elements and need nothing else to be said."""

ROWS: dict[str, Domain] = {
    **dict.fromkeys(_SUMS, row(sensitive=True)),
    "quantile": row(self=t("n m|m|b n m|"), q=t("3|k|", UNIT, values=(0.5, 0.0, 1.0, 0.3))),
    "nanquantile": row(self=t("n m|m|b n m|"), q=t("3|k|", UNIT, values=(0.5, 0.0, 1.0, 0.3))),
    "histc": row(bins=(5, 1, 10), min=(-2, 0.5, -10), max=(3, 2.5, 10), special=False),
    "kthvalue": row(self=t(recipe=Recipe("distinct")), k=(1, 2, 3)),
    "topk": row(self=t(recipe=Recipe("distinct")), k=(1, 2, 3)),
    "cov": row(self=t("n m|m"), fweights=t("m", within(1, 4), dtype="int64"), aweights=t("m", POSITIVE), special=False),
    "corrcoef": row(self=t("n m|m"), special=False),
    "trapezoid": row(sensitive=True, y=t("n m|m|b n m"), x=t("m|n m|m")),
    "cumulative_trapezoid": row(sensitive=True, y=t("n m|m|b n m"), x=t("m|n m|m")),
    "trapz": row(sensitive=True, y=t("n m|m|b n m"), x=t("m|n m|m")),
    "gradient": row(self=t("h w|w"), spacing=(2.0, 0.5), edge_order=(1, 2)),
    "diff": row(self=t("n m|m|b n m"), prepend=t("n 2|2|b n 1"), append=t("n 1|3|b n 2"), n=(1, 2, 0, 3, 9)),
    "dist": row(sensitive=True, p=(2, 1, 0, 3.5, INF, -INF)),
    "vander": row(x=t("n")),
    "combinations": row(self=t("n"), r=(2, 1, 3)),
    "cartesian_prod": row(tensors=t("n + m|n|n + m + p")),
    "meshgrid": row(tensors=t("n + m|n|n + m + p|n + ")),
    "block_diag": row(tensors=t("n m + p k|n m|n +  + p k")),
}
