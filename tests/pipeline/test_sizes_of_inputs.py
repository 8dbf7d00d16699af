"""Numbers that are sizes of an input are known to the model alone, and are taken as such."""

from __future__ import annotations

from pathlib import Path

import pytest

import sizes_of_inputs
from beside_package import make_package, printed_by
from symgen.config import Config
from symgen.model.names import parse_op_name
from symgen.model.plan import Ignored, Plan
from symgen.pipeline.exporters import TORCHLIB_EXPORTER
from symgen.sources import load_sources, match_in

OPS = (
    "view", "reshape", "unflatten", "slice", "index", "index_select", "tril", "triu", "roll", "upsample_nearest2d",
    "_upsample_nearest_exact2d", "upsample_bilinear2d", "upsample_bicubic2d", "upsample_linear1d", "layer_norm",
    "rms_norm", "native_group_norm", "bincount", "repeat_interleave", "randint", "normal", "affine_grid_generator",
    "col2im",
)  # fmt: skip
OF_DYNAMO = ("expand", "repeat")
"""What symgen leaves to torch in the TorchScript exporter."""

KNOWN_AT_EXPORT = {
    # How a kernel lies and moves decides which nodes there are.
    "conv1d conv2d conv3d": "stride padding dilation groups",
    "_convolution_mode": "stride dilation groups",
    "conv_transpose1d conv_transpose2d conv_transpose3d convolution": "stride padding output_padding dilation groups",
    "channel_shuffle native_channel_shuffle": "groups",
    # There is a node for each window, each length of an axis, or each part.
    "adaptive_avg_pool2d adaptive_avg_pool3d _adaptive_avg_pool2d _adaptive_avg_pool3d": "output_size",
    "fft_fft fft_ifft fft_rfft fft_irfft fft_hfft fft_ihfft": "n",
    "fft_fft2 fft_ifft2 fft_rfft2 fft_irfft2 fft_hfft2 fft_ihfft2": "s",
    "fft_fftn fft_ifftn fft_rfftn fft_irfftn fft_hfftn fft_ihfftn": "s",
    "_fft_c2c": "dim",
    "linalg_vander": "N",
    "split_copy": "split_size",
    "sum_to_size": "size",
    # It is a number of the operator's own, or an attribute.
    "cross_entropy_loss nll_loss nll_loss2d": "ignore_index",
    "nonzero_static": "size",
    # It is how the tensor lies in memory, or torch.export never asks for the operator.
    "as_strided as_strided_copy as_strided_scatter": "size stride storage_offset",
    "_reshape_alias_copy": "size stride",
    "tensor_split": "sections indices",
}
"""Operators, and the sizes that their translations for the dynamo exporter refuse where only the model knows them."""


@pytest.mark.parametrize(("exporter", "opset"), [("torchscript", 17), ("torchlib", 18)])
def test_they_are_taken(exporter: str, opset: int, tmp_path: Path) -> None:
    if exporter == "torchlib":
        pytest.importorskip("onnxscript")
    make_package(tmp_path, [*OPS, *OF_DYNAMO] if exporter == "torchlib" else OPS, exporter)
    found = printed_by(sizes_of_inputs, tmp_path, exporter, opset)
    assert found["count"] == len(sizes_of_inputs.CALLS) - (exporter == "torchscript") * len(sizes_of_inputs.OF_DYNAMO)
    assert found["wrong"] == {}


def sizes_known_at_export(plan: Plan) -> set[str]:
    """The parameters that torch.export may know by name alone, and a translation has to know."""
    arguments = [argument for overload in plan.overloads for argument in overload.arguments]
    return {
        argument.name
        for argument in arguments
        if "SymInt" in str(argument.type)
        and argument.name not in plan.graph_values
        and not isinstance(plan.dispositions.get(argument.name), Ignored)
    }


def test_what_is_refused_is_on_a_list() -> None:
    sources = load_sources(Config())
    found = {}
    for name in sources.knowledge.names():
        op = parse_op_name(name)
        plans = match_in(sources, op).plans if op.namespace == "aten" and "." not in name else ()
        refused = sizes_known_at_export(plans[0]) if plans and not TORCHLIB_EXPORTER.leaves(plans[0]) else set()
        if refused:
            found[op.base] = refused
    assert found == {op: set(sizes.split()) for ops, sizes in KNOWN_AT_EXPORT.items() for op in ops.split()}
