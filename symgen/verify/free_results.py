"""Operators whose result is free up to order, sign or chance, and the property in `properties.py` that tells."""

from __future__ import annotations

_BY_PROPERTY: dict[str, tuple[str, ...]] = {
    "anything": ("empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided"),
    "same_distribution": (
        "rand", "rand_like", "randn", "randn_like", "randint", "randint_like", "randperm", "bernoulli", "normal",
        "normal_functional", "uniform", "exponential", "geometric", "cauchy", "log_normal", "random", "multinomial",
        "dropout", "native_dropout", "alpha_dropout", "feature_dropout", "rrelu", "poisson", "binomial",
    ),
    "same_up_to_sign": ("linalg_qr", "qr"),
    "eigenvectors": ("linalg_eigh", "_linalg_eigh"),
    "singular_vectors": ("linalg_svd", "svd", "_linalg_svd"),
    "same_elements": ("_unique2", "unique_dim", "_unique"),
    "equal_values_there": ("median", "nanmedian", "mode", "kthvalue", "sort", "topk"),
}  # fmt: skip

FREE_RESULTS: dict[str, str] = {f"aten::{name}": judge for judge, names in _BY_PROPERTY.items() for name in names}
"""The name of the property by operator."""
