"""Reductions, order statistics, histograms."""

from __future__ import annotations

from symgen.model.sample import Recipe
from symgen.verify.domains.rows import INF, POSITIVE, UNIT, Domain, row, t, within

_SUMS = (
    "sum", "nansum", "mean", "nanmean", "cumsum", "prod", "cumprod", "trace", "std", "var", "norm",
    "linalg_vector_norm", "linalg_norm", "linalg_matrix_norm", "frobenius_norm", "pairwise_distance",
    "cosine_similarity",
)  # fmt: skip
"""Operators that add up or multiply many elements and need nothing else to be said."""

ROWS: dict[str, Domain] = {
    **dict.fromkeys(_SUMS, row(sensitive=True)),
    # The mean that torch finds with the variance is a running one: of an infinite element it may become nan.
    **dict.fromkeys(("std_mean", "var_mean"), row(sensitive=True, special=False)),
    "norm_except_dim": row(sensitive=True, v=t("n m|b n m"), pow=(2, 1), dim=(0, 1, -1)),
    "quantile": row(self=t("n m|m|b n m|"), q=t("3|k|", UNIT, values=(0.5, 0.0, 1.0, 0.3))),
    "nanquantile": row(self=t("n m|m|b n m|"), q=t("3|k|", UNIT, values=(0.5, 0.0, 1.0, 0.3))),
    "histc": row(sensitive=True, bins=(5, 1, 10), min=(-2, 0.5, -10), max=(3, 2.5, 10)),
    "kthvalue": row(self=t(recipe=Recipe("distinct")), k=(1, 2, 3)),
    "topk": row(self=t(recipe=Recipe("distinct")), k=(1, 2, 3)),
    # Whole numbers have no last places by which to see how far large ones may move a small covariance.
    "cov": row(
        special=False,
        sensitive=True,
        self=t("n m|m"),
        fweights=t("m", within(1, 4), dtype="int64"),
        aweights=t("m", POSITIVE),
    ),
    "corrcoef": row(sensitive=True, self=t("n m|m")),
    # Of no points at all torch wants no places that go with them.
    "trapezoid": row(least=1, sensitive=True, y=t("n m|m|b n m"), x=t("m|n m|m")),
    "cumulative_trapezoid": row(sensitive=True, y=t("n m|m|b n m"), x=t("m|n m|m")),
    "trapz": row(least=1, sensitive=True, y=t("n m|m|b n m"), x=t("m|n m|m")),
    "gradient": row(sensitive=True, self=t("h w|w"), spacing=(2.0, 0.5), edge_order=(1, 2)),
    **dict.fromkeys(
        ("gradient.tensorarrayint", "gradient.tensorarray"),
        row(
            self=t("h w|w"),
            spacing=t("h + w|w", Recipe("sorted distinct"), dtype="float32"),
            edge_order=(1, 2),
            special=False,
        ),
    ),
    # Edges of equal bins are rounded as the machine's vectors are long, and with them what lies on an edge.
    **dict.fromkeys(
        (
            "histogram.bin_ct",
            "histogramdd",
            "histogramdd.int_bins",
            "_histogramdd_bin_edges",
            "_histogramdd_from_bin_cts",
        ),
        row(self=t("n 2|b n 2"), bins=(5, 3, (2, 3)), weight=t("n|b n", POSITIVE), special=False),
    ),
    "histogram": row(self=t("n m|m|"), bins=t("5|2|5", Recipe("sorted distinct")), weight=t("n m|m|", POSITIVE)),
    **dict.fromkeys(
        ("histogramdd.TensorList_bins", "_histogramdd_from_bin_tensors"),
        row(self=t("n 2|b n 2"), bins=t("5 + 3", Recipe("sorted distinct")), weight=t("n|b n", POSITIVE)),
    ),
    # Between the ends of int64 the steps are no whole numbers, nor are they numbers of float64.
    "logspace": row(special=False, base=(10.0, 2.0, 0.5), steps=(5, 1, 2, 0)),
    # torch sorts with `<`, so that the place of a nan, and what it parts, is anybody's guess.
    "mode": row(self=t(recipe=Recipe("ties")), special=False),
    "diff": row(self=t("n m|m|b n m"), prepend=t("n 2|2|b n 1"), append=t("n 1|3|b n 2"), n=(1, 2, 0, 3, 9)),
    "dist": row(sensitive=True, p=(2, 1, 0, 3.5, INF, -INF)),
    "vander": row(x=t("n")),
    "combinations": row(self=t("n"), r=(2, 1, 3)),
    "cartesian_prod": row(tensors=t("n + m|n|n + m + p")),
    "meshgrid": row(tensors=t("n + m|n|n + m + p|n + ")),
    "block_diag": row(tensors=t("n m + p k|n m|n +  + p k")),
}
