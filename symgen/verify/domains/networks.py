"""Layers: normalization, pooling, sampling."""

from __future__ import annotations

from collections.abc import Mapping

from symgen.model.sample import Recipe, Value
from symgen.verify.domains.rows import POSITIVE, Domain, row, t, within

_Values = Mapping[str, tuple[Value, ...]]
_CONV1D: _Values = {"stride": (2, (2,)), "padding": (1, (2,), "same", "valid"), "dilation": (2, (2,)), "groups": (2, 1)}
_CONV2D: _Values = {
    "stride": (2, (1, 2)),
    "padding": (1, (0, 2), "same", "valid"),
    "dilation": (2, (1, 2)),
    "groups": (2, 1),
}
_CONV3D: _Values = {
    "stride": (2, (1, 2, 1)),
    "padding": (1, (0, 1, 2), "same"),
    "dilation": (2, (1, 2, 1)),
    "groups": (2, 1),
}
# With dropout, what training gives is random.
_LAYERED: _Values = {
    "has_biases": (True, False),
    "num_layers": (1, 2),
    "dropout": (0.0, 0.5),
    "train": (False,),
    "bidirectional": (False, True),
    "batch_first": (False, True),
}
_CONVOLUTION: _Values = {
    "stride": ((1, 1), (2, 1)),
    "padding": ((0, 0), (1, 0), "same", "valid"),
    "dilation": ((1, 1), (1, 2)),
    "transposed": (False, True),
    "output_padding": ((0, 0), (1, 0), (0, 1)),
    "groups": (1, 2),
}
_LAYERS: _Values = {"normalized_shape": ((4,), (3, 4), (0,)), "eps": (1e-05, 0.01)}
_FLAGS: _Values = dict.fromkeys(("benchmark", "deterministic", "cudnn_enabled", "allow_tf32"), (False,))

_WEIGHTS = within(-3.0, 3.0)
"""Of finite weights. Torch's kernel for one picture multiplies the zeros of the padding too, which makes nan of an
infinite weight and keeps a nan; its kernel for several passes over them.
"""

ROWS: dict[str, Domain] = {
    "conv1d": row(
        _CONV1D, sensitive=True, input=t("b 4 9|b 4 9|4 9"), weight=t("6 4 3|6 2 3|6 4 3", _WEIGHTS), bias=t("6")
    ),
    "conv2d": row(
        _CONV2D,
        sensitive=True,
        input=t("b 4 6 7|b 4 6 7|4 6 7"),
        weight=t("6 4 2 3|6 2 2 3|6 4 2 3", _WEIGHTS),
        bias=t("6"),
    ),
    # Of a larger kernel so many products are summed that rounding on the way shows beside the tolerance.
    "conv3d": row(
        _CONV3D,
        sensitive=True,
        input=t("b 2 4 5 6|b 2 4 5 6"),
        weight=t("6 2 2 2 1|6 1 2 3 2", _WEIGHTS),
        bias=t("6"),
    ),
    "conv_transpose1d": row(
        _CONV1D, sensitive=True, input=t("b 4 5|b 4 5|4 5"), weight=t("4 6 3|4 3 3|4 6 3"), bias=t("6")
    ),
    "conv_transpose2d": row(
        _CONV2D, sensitive=True, input=t("b 4 5 6|b 4 5 6"), weight=t("4 6 2 3|4 3 2 3"), bias=t("6")
    ),
    "conv_transpose3d": row(
        _CONV3D, sensitive=True, input=t("b 4 3 4 5|b 4 3 4 5"), weight=t("4 6 2 3 2|4 3 2 3 2"), bias=t("6")
    ),
    "convolution": row(
        _CONVOLUTION,
        sensitive=True,
        input=t("b 4 6 7|b 4 6 7|b 4 6 7"),
        weight=t("6 4 2 3|4 6 2 3|6 2 2 3", _WEIGHTS),
        bias=t("6"),
    ),
    "_convolution": row(
        {**_CONVOLUTION, **_FLAGS}, sensitive=True, input=t("b 4 6 7"), weight=t("6 4 2 3|4 6 2 3|6 2 2 3"), bias=t("6")
    ),
    "_convolution_mode": row(
        _CONVOLUTION, sensitive=True, input=t("b 4 6 7"), weight=t("6 4 2 3|6 2 2 3"), bias=t("6")
    ),
    # The runtime multiplies the zeros around the input, too, which makes nan of an infinite weight.
    "conv_tbc": row(special=False, sensitive=True, self=t("9 b 4"), weight=t("3 4 6"), bias=t("6"), pad=(0, 1, 2)),
    # One layer; one with a projection, without biases; two of two directions.
    "lstm": row(
        _LAYERED,
        sensitive=True,
        double_checks=True,
        alone=True,
        input=t("k b 3|k b 3|k b 3"),
        hx=t("1 b 4 + 1 b 4|1 b 2 + 1 b 4|4 b 4 + 4 b 4"),
        params=t("16 3 + 16 4 + 16 + 16|16 3 + 16 2 + 2 4|16 3 + 16 4 + 16 3 + 16 4 + 16 8 + 16 4 + 16 8 + 16 4"),
    ),
    "gru": row(
        _LAYERED,
        sensitive=True,
        alone=True,
        input=t("k b 3|k b 3"),
        hx=t("1 b 4|4 b 4"),
        params=t("12 3 + 12 4 + 12 + 12|12 3 + 12 4 + 12 3 + 12 4 + 12 8 + 12 4 + 12 8 + 12 4"),
    ),
    **dict.fromkeys(
        ("rnn_tanh", "rnn_relu"),
        row(
            _LAYERED,
            special=False,
            sensitive=True,
            alone=True,
            input=t("k b 3|k b 3"),
            hx=t("1 b 4|4 b 4"),
            params=t("4 3 + 4 4 + 4 + 4|4 3 + 4 4 + 4 3 + 4 4 + 4 8 + 4 4 + 4 8 + 4 4"),
        ),
    ),
    "lstm_cell": row(
        special=False,
        sensitive=True,
        input=t("b 3"),
        hx=t("b 4 + b 4"),
        w_ih=t("16 3"),
        w_hh=t("16 4"),
        b_ih=t("16"),
        b_hh=t("16"),
    ),
    **{
        f"{cell}_cell": row(
            special=False,
            sensitive=True,
            input=t("b 3", dtype="float32"),
            hx=t("b 4", dtype="float32"),
            w_ih=t(f"{count} 3", dtype="float32"),
            w_hh=t(f"{count} 4", dtype="float32"),
            b_ih=t(f"{count}", dtype="float32"),
            b_hh=t(f"{count}", dtype="float32"),
        )
        for cell, count in (("gru", 12), ("rnn_tanh", 4), ("rnn_relu", 4))
    },
    **{
        f"{kind}{axes}d": row(
            self=t(shape),
            input=t(shape),
            output_size=sizes,
            scale_factors=(None, factors),
            scales=(None, 1.5),
            scales_d=(None, 0.5),
            scales_h=(None, 2.0),
            scales_w=(None, 1.5),
        )
        for kind in ("upsample_nearest", "_upsample_nearest_exact")
        for axes, shape, sizes, factors in (
            (1, "b c w", ((7,), (2,)), (1.7,)),
            (2, "b c h w", ((7, 3), (2, 9)), (1.7, 0.6)),
            (3, "b c d h w", ((2, 7, 3), (4, 2, 9)), (1.7, 0.6, 2.0)),
        )
    },
    # Factors by which no place lies far behind the image: there torch reads what is behind it in memory, or crashes.
    # A cubic weight may be nothing but rounding: whether it makes inf or nan of an infinite element, or its sign, is up
    # to the processor, which multiplies and adds at once or not.
    **{
        name: row(
            sensitive=True,
            special=name == "_upsample_bilinear2d_aa",
            self=t("b c h w"),
            input=t("b c h w"),
            output_size=((7, 3), (2, 9)),
            scale_factors=(None, (1.7, 0.6)),
            align_corners=(False, True),
            scales_h=(None, 2.0),
            scales_w=(None, 3.0),
        )
        for name in ("_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa")
    },
    "_masked_softmax": row(
        self=t("2 3 4 4"), mask=t("2 3 4 4|4 4|2 4", dtype="bool"), mask_type=(2, 0, 1), special=False, strides=False
    ),
    "_fused_rms_norm": row(input=t("n m|b n m"), weight=t("m|n m"), normalized_shape=((4,), (3, 4)), sensitive=True),
    "_native_batch_norm_legit_no_training": row(
        sensitive=True,
        input=t("b c h w|b c|b c w"),
        weight=t("c"),
        bias=t("c"),
        running_mean=t("c"),
        running_var=t("c", POSITIVE),
        momentum=(0.1, 0.5),
        eps=(1e-05, 0.01),
    ),
    "reflection_pad3d": row(self=t("b c d h w|c d h w"), padding=((1, 1, 1, 1, 1, 1), (1, 0, 2, 1, 0, 2))),
    "replication_pad3d": row(self=t("b c d h w|c d h w"), padding=((1, 1, 1, 1, 1, 1), (1, 0, 2, 1, 0, 2))),
    "stft": row(
        self=t("20|b 20"), window=t("8"), n_fft=(8,), hop_length=(4, 3), win_length=(8, 6), return_complex=(False,)
    ),
    "dropout": row(input=t("40 50|n"), p=(0.5, 0.0, 0.2), train=(False, True)),
    # Of nothing, the mask that the kernel gives has the dtype of x; what traces see of it is bool.
    "native_dropout": row(least=1, input=t("40 50|7"), p=(0.5, 0.0, 1.0, 0.2), train=(False, True)),
    "native_batch_norm": row(
        sensitive=True,
        input=t("b c h w|b c|b c w"),
        weight=t("c"),
        bias=t("c"),
        running_mean=t("c"),
        running_var=t("c", POSITIVE),
        training=(False, True),
        momentum=(0.1, 0.5),
        eps=(1e-05, 0.01),
    ),
    **{
        f"_native_batch_norm_legit{kind}": row(
            sensitive=True,
            input=t("b c h w|b c|b c w"),
            weight=t("c"),
            bias=t("c"),
            running_mean=t("c"),
            # Of whole numbers as variance, torch makes floats, but not beside float64, in which results are judged: so
            # none of them is 0, of which the root of eps alone would be left.
            running_var=t("c", within(1.0, 6.0)),
            training=training,
            momentum=(0.1, 0.5),
            eps=(1e-05, 0.01),
        )
        # Without statistics, and not in training, torch ends the process.
        for kind, training in (("", (False, True)), ("_functional", (False, True)), (".no_stats", (True,)))
    },
    "batch_norm": row(
        sensitive=True,
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
    # Torch makes one factor of weight and deviation, and one term of bias and mean: of infinite ones, another nan.
    "group_norm": row(
        least=1, special=False, input=t("b c h w|b c|b c w"), weight=t("c"), bias=t("c"), num_groups=(2, 1, 4)
    ),
    "native_group_norm": row(
        least=1,
        special=False,
        input=t("2 4 h w"),
        weight=t("4"),
        bias=t("4"),
        N=(2,),
        C=(4,),
        HxW=(30,),
        group=(2, 1, 4),
        eps=(1e-05, 0.01),
    ),
    # And where there is nothing, the runtime's InstanceNormalization ends the process. Of one element, what traces see
    # of the running variance divides by 0, and torch.export ends there.
    "instance_norm": row(
        least=2,
        special=False,
        sensitive=True,
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
    "layer_norm": row(_LAYERS, sensitive=True, input=t("n m|b n m|n 0"), weight=t("m|n m|0"), bias=t("m|n m|0")),
    # Of a row with an infinity torch's mean is that or nan, by where it stands among the lanes of the processor.
    "native_layer_norm": row(
        _LAYERS, special=False, sensitive=True, input=t("n m|b n m|n 0"), weight=t("m|n m|0"), bias=t("m|n m|0")
    ),
    "rms_norm": row(input=t("n m|b n m"), weight=t("m|n m"), normalized_shape=((4,), (3, 4))),
    # Where there are no heads torch doesn't ask whether those of keys go with those of queries.
    "scaled_dot_product_attention": row(
        least=1,
        special=False,
        sensitive=True,
        query=t("b h n c|n c|b 4 n c|b n c"),
        key=t("b h m c|m c|b 2 m c|b m c"),
        value=t("b h m w|m w|b 2 m w|b m w"),
        attn_mask=t("b 1 n m@bool|n m|n m@bool|b n m@bool"),
        dropout_p=(0.0, 1.0),
        enable_gqa=(False, True),
    ),
    # Without queries, keys or heads torch's kernel divides by 0 and the process ends. Where the keys and the values
    # have other batches, or heads that do not divide those of the queries, it reads memory that is no tensor's. It
    # takes the elements along the last axis for neighbours in memory, whatever the strides say.
    "_scaled_dot_product_flash_attention_for_cpu": row(
        least=1,
        special=False,
        sensitive=True,
        strides=False,
        query=t("b h n 4|b 6 n 8"),
        key=t("b h m 4|b 2 m 8"),
        value=t("=key"),
        attn_mask=t("n m|b 1 n m|b h n m|1 m|n 1"),
        scale=(2.0, 0.5, -1.5, 0.0),
    ),
    "_prelu_kernel": row(self=t("b c w|b c"), weight=t("1 c 1|1 c"), special=False),
    # At 0 torch multiplies by the weight, which makes nan of an infinite one; ONNX does below 0 only.
    "prelu": row(self=t("b c w|b c|b c h w|n"), weight=t("c|1"), special=False),
    "channel_shuffle": row(self=t("b 4 h w|b 4 w"), groups=(2, 4, 1)),
    "pixel_shuffle": row(self=t("b 8 h w|4 h w"), upscale_factor=(2, 1)),
    # Of nothing, the kernel gives the shape that it was given; what traces see of it is the shape that is asked for.
    "pixel_unshuffle": row(least=1, self=t("2 3 6 6|3 6 6|2 3 6 12"), downscale_factor=(2, 3)),
    # At nan the kernel gives the gradient where it takes one element at a time, and 0 where it takes several at once.
    "hardtanh_backward": row(special=False, min_val=(-1, 0.5, 2, -0.75), max_val=(1, 2.5, -2, 0)),
    # Where coordinates are no numbers torch gives nan, 0, the first or the last element, in each mode another; and the
    # runtime's GridSample does not multiply infinite neighbours by a weight of 0.
    "grid_sampler_2d": row(
        special=False,
        sensitive=True,
        input=t("b c h w"),
        grid=t("b n m 2", within(-1.3, 1.3)),
        interpolation_mode=(0, 1, 2),
        padding_mode=(0, 1, 2),
        align_corners=(False, True),
    ),
    "grid_sampler": row(
        special=False,
        sensitive=True,
        input=t("b c h w|b c d h w"),
        grid=t("b n m 2|b p n m 3", within(-1.3, 1.3)),
        interpolation_mode=(0, 1, 2),
        padding_mode=(0, 1, 2),
        align_corners=(False, True),
    ),
    "grid_sampler_3d": row(
        special=False,
        sensitive=True,
        input=t("b c d h w"),
        grid=t("b p n m 3", within(-1.3, 1.3)),
        interpolation_mode=(0, 1),
        padding_mode=(0, 1, 2),
        align_corners=(False, True),
    ),
    "affine_grid_generator": row(
        sensitive=True,
        theta=t("b 2 3|b 3 4"),
        size=((2, 4, 5, 6), (2, 4, 3, 5, 6)),
        align_corners=(False, True),
    ),
    "max_unpool2d": row(
        self=t("b c 2 3", Recipe("distinct")),
        indices=t("b c 2 3", Recipe("permutation"), dtype="int64"),
        output_size=((4, 6),),
    ),
    "max_unpool3d": row(
        self=t("b c 1 2 3", Recipe("distinct")),
        indices=t("b c 1 2 3", Recipe("permutation"), dtype="int64"),
        output_size=((2, 4, 6),),
        stride=((2, 2, 2),),
        padding=((0, 0, 0),),
    ),
    "fold": row(input=t("b 12 4")),
    # Each count of blocks goes with other arguments, and the two axes differ in all of them.
    "col2im": row(
        self=t("b 12 12|12 12|b 12 14|b 12 15|12 4"),
        output_size=((5, 7), (7, 5)),
        kernel_size=((2, 3), (3, 2)),
        dilation=((2, 1), (1, 2), (1, 1)),
        padding=((0, 1), (1, 0), (0, 0)),
        stride=((1, 2), (2, 1), (1, 1)),
    ),
    "im2col": row(
        self=t("b c h w|c h w"),
        kernel_size=((2, 3),),
        dilation=((1, 1), (2, 1)),
        padding=((0, 0), (1, 0)),
        stride=((1, 1), (2, 1)),
    ),
    **dict.fromkeys(
        ("max_pool2d", "max_pool2d_with_indices"),
        row(
            self=t("b c h w|c h w|b c 7 6|c 4 9"),
            kernel_size=(2, (3, 2), (2, 3)),
            stride=((), (2, 3), 1),
            padding=(0, (1, 0), 1),
            dilation=(1, (1, 2), 2),
            ceil_mode=(False, True),
        ),
    ),
    # The reference, which decides in float64, passes over a nan.
    **dict.fromkeys(("avg_pool1d", "avg_pool2d", "avg_pool3d"), row(sensitive=True, special=False)),
    **dict.fromkeys(
        ("adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d"), row(sensitive=True, special=False)
    ),
    "channel_dropout": row(input=t("b c h w|c h w")),
}
