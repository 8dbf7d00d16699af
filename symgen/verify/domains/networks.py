"""Layers: normalization, pooling, sampling."""

from __future__ import annotations

from symgen.model.sample import Recipe
from symgen.verify.domains.rows import POSITIVE, Domain, row, t, within

ROWS: dict[str, Domain] = {
    "native_batch_norm": row(
        input=t("b c h w|b c|b c w"),
        weight=t("c"),
        bias=t("c"),
        running_mean=t("c"),
        running_var=t("c", POSITIVE),
        training=(False, True),
        momentum=(0.1, 0.5),
        eps=(1e-05, 0.01),
    ),
    "batch_norm": row(
        input=t("b c h w|b c|b c w"),
        weight=t("c"),
        bias=t("c"),
        running_mean=t("c"),
        running_var=t("c", POSITIVE),
        training=(False, True),
        momentum=(0.1, 0.5),
        eps=(1e-05, 0.01),
        cudnn_enabled=(False,),
    ),
    "group_norm": row(input=t("b c h w|b c|b c w"), weight=t("c"), bias=t("c"), num_groups=(2, 1, 4)),
    "native_group_norm": row(
        input=t("2 4 h w"), weight=t("4"), bias=t("4"), N=(2,), C=(4,), HxW=(30,), group=(2, 1, 4), eps=(1e-05, 0.01)
    ),
    "instance_norm": row(
        input=t("b c h w|b c w"),
        weight=t("c"),
        bias=t("c"),
        running_mean=t("c"),
        running_var=t("c", POSITIVE),
        use_input_stats=(True, False),
        momentum=(0.1, 0.5),
        eps=(1e-05, 0.01),
        cudnn_enabled=(False,),
    ),
    "layer_norm": row(input=t("n m|b n m"), weight=t("m"), bias=t("m"), normalized_shape=((4,), (3, 4))),
    "rms_norm": row(input=t("n m|b n m"), weight=t("m|n m"), normalized_shape=((4,), (3, 4))),
    "prelu": row(self=t("b c w|b c|b c h w|n"), weight=t("c|1")),
    "channel_shuffle": row(self=t("b 4 h w|b 4 w"), groups=(2, 4, 1)),
    "pixel_shuffle": row(self=t("b 8 h w|4 h w"), upscale_factor=(2, 1)),
    "pixel_unshuffle": row(self=t("b c 6 6|c 6 6"), downscale_factor=(2, 3)),
    "grid_sampler_2d": row(
        input=t("b c h w"),
        grid=t("b n m 2", within(-1.3, 1.3)),
        interpolation_mode=(0, 1, 2),
        padding_mode=(0, 1, 2),
        align_corners=(False, True),
    ),
    "grid_sampler": row(
        input=t("b c h w|b c d h w"),
        grid=t("b n m 2|b p n m 3", within(-1.3, 1.3)),
        interpolation_mode=(0, 1, 2),
        padding_mode=(0, 1, 2),
        align_corners=(False, True),
    ),
    "grid_sampler_3d": row(
        input=t("b c d h w"),
        grid=t("b p n m 3", within(-1.3, 1.3)),
        interpolation_mode=(0, 1),
        padding_mode=(0, 1, 2),
        align_corners=(False, True),
    ),
    "affine_grid_generator": row(
        theta=t("b 2 3|b 3 4"), size=((2, 4, 5, 6), (2, 4, 3, 5, 6)), align_corners=(False, True)
    ),
    "max_unpool2d": row(
        self=t("b c 2 3", Recipe("distinct")),
        indices=t("b c 2 3", Recipe("permutation"), dtype="int64"),
        output_size=((4, 6),),
        special=False,
    ),
    "max_unpool3d": row(
        self=t("b c 1 2 3", Recipe("distinct")),
        indices=t("b c 1 2 3", Recipe("permutation"), dtype="int64"),
        output_size=((2, 4, 6),),
        stride=((2, 2, 2),),
        padding=((0, 0, 0),),
        special=False,
    ),
    "fold": row(input=t("b 12 4")),
    "col2im": row(
        self=t("b 12 6|12 6"),
        output_size=((3, 4),),
        kernel_size=((2, 2),),
        dilation=((1, 1),),
        padding=((0, 0),),
        stride=((1, 1),),
    ),
    "im2col": row(
        self=t("b c h w|c h w"),
        kernel_size=((2, 3),),
        dilation=((1, 1), (2, 1)),
        padding=((0, 0), (1, 0)),
        stride=((1, 1), (2, 1)),
    ),
    "channel_dropout": row(input=t("b c h w|c h w")),
}
