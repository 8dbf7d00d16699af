"""Models of half precision hold also where each node's result is rounded to 16 bits, as on other hardware."""

from __future__ import annotations

from pathlib import Path

import pytest

import half_layers
import half_precision
from beside_package import make_package, printed_by

OPS = (
    "mean", "var", "std", "linalg_vector_norm", "logsumexp", "cosine_similarity", "pairwise_distance", "group_norm",
    "instance_norm", "layer_norm", "rms_norm", "mse_loss", "smooth_l1_loss", "avg_pool2d", "adaptive_avg_pool2d",
)  # fmt: skip


@pytest.mark.parametrize("opset", [11, 18])
def test_sums_of_large_numbers_do_not_run_over_on_the_way(opset: int, tmp_path: Path) -> None:
    make_package(tmp_path, OPS)
    found = printed_by(half_precision, tmp_path, opset)
    assert found["count"] == 2 * len(half_precision.CALLS) - 1
    assert found["wrong"] == {}


@pytest.mark.parametrize(("target", "package"), [("torchscript", "symbolics"), ("torchlib", "torchlib_ops")])
def test_layers_that_take_the_batch_first_do_not_end_the_process(target: str, package: str, tmp_path: Path) -> None:
    make_package(tmp_path, ("lstm", "gru", "rnn_tanh", "rnn_relu"), target)
    assert printed_by(half_layers, tmp_path, package) == []
