"""Normalization by a mean and a deviation: of batches, groups, instances and layers."""

import math

from symgen.match.decompositions.differences import as_single
from symgen.match.decompositions.places import is_empty, with_shape
from symgen.match.decompositions.reductions import count_over, mean_over
from symgen.match.language import decomposition, helper, torch


@helper
def standardized(op, x, axes: list[int], eps: float):
    """((x − mean) / sqrt(variance + eps), mean, 1 / sqrt(variance + eps)) over some axes, which stay with length 1."""
    mean = op.ReduceMean(x, axes=axes, keepdims=1)
    centered = x - mean
    variance = op.ReduceMean(centered * centered, axes=axes, keepdims=1)
    inverse = op.Reciprocal(op.Sqrt(variance + eps))
    return centered * inverse, mean, inverse


@helper
def scaled_by_channel(op, x, weight, bias):
    """x · weight + bias, one of each for every channel; either may be absent."""
    others = list(range(1, op.rank(x) - 1))
    if weight is not None:
        x = x * (op.Unsqueeze(weight, others) if others else weight)
    if bias is not None:
        x = x + (op.Unsqueeze(bias, others) if others else bias)
    return x


@helper
def normalized_by(op, x, weight, bias, mean, variance, eps: float):
    """(x − mean) / sqrt(variance + eps) · weight + bias, each given by channel; weight and bias may be absent."""
    if weight is None:
        weight = op.Expand(op.constant(1, like=mean), op.Shape(mean))
    if bias is None:
        bias = op.Expand(op.constant(0, like=mean), op.Shape(mean))
    return op.BatchNormalization(x, weight, bias, mean, variance, epsilon=eps)


@decomposition(
    "aten::native_batch_norm",
    promote=("input", "weight", "bias", "running_mean", "running_var"),
    kind="LIKE_FIRST",
    ignore={"momentum": "it only updates the running statistics, which are no results"},
)
def native_batch_norm(op, input, weight, bias, running_mean, running_var, training, eps):
    """The normalized batch, and the statistics that it was normalized by; none, where they were given"""
    if not training:
        nothing = op.constant([], like=input)
        return normalized_by(op, input, weight, bias, running_mean, running_var, eps), nothing, nothing
    axes = [axis for axis in range(op.rank(input)) if axis != 1]
    normalized, mean, inverse = standardized(op, input, axes, eps)
    return scaled_by_channel(op, normalized, weight, bias), op.Squeeze(mean, axes), op.Squeeze(inverse, axes)


@helper
def standardized_groups(op, x, group: int, eps: float):
    """(The tensor with each group of channels standardized, the means, the reciprocal deviations)."""
    shape = op.Shape(x)
    # How many elements a group has is computed, as a model cannot infer it where there are none.
    channels = op.Div(op.size(x, 1), group)
    rest = (
        op.ReduceProd(op.Slice(shape, [2], [op.rank(x)]), axes=[0], keepdims=1) if op.rank(x) > 2 else op.constant([1])
    )
    sizes = op.Concat(op.size(x, 0), op.constant([group]), channels * rest, axis=0)
    grouped = with_shape(op, x, sizes, 3)
    normalized, mean, inverse = standardized(op, grouped, [2], eps)
    return with_shape(op, normalized, shape, op.rank(x)), op.Squeeze(mean, [2]), op.Squeeze(inverse, [2])


@decomposition(
    "aten::native_group_norm",
    ignore={"N": "the input says it", "C": "the input says it", "HxW": "the input says it"},
)
def native_group_norm(op, input, weight, bias, group, eps):
    """The input with each group of channels normalized, the means, and the reciprocal deviations"""
    # The statistics have the dtype of the weights, which may be wider than that of the input.
    dtype = op.common_dtype(*[x for x in (input, weight, bias) if x is not None])
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    normalized, mean, inverse = standardized_groups(op, op.cast(input, wide), group, eps)
    weight = None if weight is None else op.cast(weight, wide)
    bias = None if bias is None else op.cast(bias, wide)
    scaled = scaled_by_channel(op, normalized, weight, bias)
    return op.cast(scaled, like=input), op.cast(mean, dtype), op.cast(inverse, dtype)


@decomposition(
    "aten::group_norm",
    promote=("input", "weight", "bias"),
    kind="LIKE_FIRST",
    ignore={"cudnn_enabled": "it chooses between algorithms for one result"},
)
def group_norm(op, input, num_groups, weight, bias, eps):
    """The input with each group of channels normalized"""
    if is_empty(op, input):
        return op.Identity(input)
    normalized, _, _ = standardized_groups(op, input, num_groups, eps)
    return scaled_by_channel(op, normalized, weight, bias)


@decomposition(
    "aten::instance_norm",
    promote=("input", "weight", "bias", "running_mean", "running_var"),
    kind="LIKE_FIRST",
    ignore={
        "momentum": "it only updates the running statistics, which are no results",
        "cudnn_enabled": "it chooses between algorithms for one result",
    },
)
def instance_norm(op, input, weight, bias, running_mean, running_var, use_input_stats, eps):
    """Each channel of each sample normalized, by its own statistics or by those given for the channel"""
    if not use_input_stats:
        return normalized_by(op, input, weight, bias, running_mean, running_var, eps)
    if weight is not None and bias is not None and op.dtype(input) == torch.float32:
        return op.InstanceNormalization(input, weight, bias, epsilon=eps)
    normalized, _, _ = standardized(op, input, list(range(2, op.rank(input))), eps)
    return scaled_by_channel(op, normalized, weight, bias)


@helper
def axes_of_layers(op, x, normalized_shape) -> list[int]:
    """The last axes, as many as there are lengths of them; only the model may know how long they are."""
    known, rank = op.known(normalized_shape), op.rank(x)
    count = len(op.items(normalized_shape)) if known is None else len(known)
    return list(range(rank - count, rank))


@helper
def standardized_layers(op, x, normalized_shape, eps: float):
    """(The tensor standardized over its last axes, the means, the reciprocal deviations)."""
    return standardized(op, x, axes_of_layers(op, x, normalized_shape), eps)


@helper
def scaled_by_place(op, x, weight, bias):
    """x · weight + bias, which have the last axes of x; either may be absent."""
    if weight is not None:
        x = x * weight
    if bias is not None:
        x = x + bias
    return x


@decomposition("aten::native_layer_norm", promote=(), values=["normalized_shape"])
def native_layer_norm(op, input, normalized_shape, weight, bias, eps):
    """The input normalized over its last axes, the means, and the reciprocal deviations"""
    # The statistics have the dtype of the weights, which may be wider than that of the input.
    dtype = op.common_dtype(*[x for x in (input, weight, bias) if x is not None])
    normalized, mean, inverse = standardized_layers(op, as_single(op, input), normalized_shape, eps)
    known = op.known(normalized_shape)
    if known is not None and 0 in known:
        # The runtime has 0 for the mean of nothing, and torch nan for its variance.
        inverse = inverse * math.nan
    weight = None if weight is None else op.cast(weight, like=normalized)
    bias = None if bias is None else op.cast(bias, like=normalized)
    scaled = scaled_by_place(op, normalized, weight, bias)
    return op.cast(scaled, like=input), op.cast(mean, dtype), op.cast(inverse, dtype)


@decomposition(
    "aten::layer_norm",
    promote=("input", "weight", "bias"),
    kind="LIKE_FIRST",
    values=["normalized_shape"],
    ignore={"cudnn_enable": "it chooses between algorithms for one result"},
)
def layer_norm(op, input, normalized_shape, weight, bias, eps):
    """The input normalized over its last axes"""
    normalized, _, _ = standardized_layers(op, input, normalized_shape, eps)
    return scaled_by_place(op, normalized, weight, bias)


@decomposition("aten::rms_norm", promote=("input", "weight"), kind="LIKE_FIRST", values=["normalized_shape"])
def rms_norm(op, input, normalized_shape, weight, eps):
    """x / sqrt(mean of x² + eps) over the last axes; eps is that of the dtype where it is not given"""
    axes = axes_of_layers(op, input, normalized_shape)
    if op.opset >= 23 and weight is not None and eps is not None and op.dtype(input) == torch.float32:
        return op.RMSNormalization(input, weight, axis=axes[0], epsilon=eps)
    squares = op.ReduceMean(input * input, axes=axes, keepdims=1)
    smallest = torch.finfo(op.dtype(input)).eps if eps is None else eps
    normalized = input / op.Sqrt(squares + smallest)
    return normalized if weight is None else normalized * weight


@decomposition("aten::_fused_rms_norm", promote=())
def _fused_rms_norm(op, input, normalized_shape, weight, eps):
    """x / sqrt(mean of x² + eps) over the last axes, and the reciprocal of that root, at least in float32"""
    rank = op.rank(input)
    axes = list(range(rank - len(normalized_shape), rank))
    x = as_single(op, input)
    inverse = op.Reciprocal(
        op.Sqrt(mean_over(op, x * x, axes, True) + (torch.finfo(op.dtype(x)).eps if eps is None else eps))
    )
    normalized = x * inverse
    if weight is not None:
        normalized = normalized * op.cast(weight, like=normalized)
    return op.cast(normalized, like=input), inverse


@decomposition("aten::_native_batch_norm_legit_no_training", promote=(), ignore={"momentum": "nothing is updated"})
def _native_batch_norm_legit_no_training(op, input, weight, bias, running_mean, running_var, eps):
    """The batch normalized by given statistics; what training would give is empty"""
    x, mean, variance = as_single(op, input), as_single(op, running_mean), as_single(op, running_var)
    scale = None if weight is None else as_single(op, weight)
    shift = None if bias is None else as_single(op, bias)
    normalized = normalized_by(op, x, scale, shift, mean, variance, eps)
    return op.cast(normalized, like=input), op.constant([], like=running_mean), op.constant([], like=running_mean)


@helper
def axes_of_batch(op, x) -> list[int]:
    """All axes but that of the channels."""
    return [axis for axis in range(op.rank(x)) if axis != 1]


@helper
def statistics_of_batch(op, x):
    """(The means, the variances) by channel."""
    axes = axes_of_batch(op, x)
    mean = op.ReduceMean(x, axes=axes, keepdims=1)
    centered = x - mean
    return op.Squeeze(mean, axes), op.ReduceMean(centered * centered, axes=axes, keepdims=0)


@helper
def normalized_at_once(op, x, weight, bias, mean, inverse):
    """(x − mean) · inverse · weight + bias, each given by channel; weight and bias may be absent.

    Torch makes one factor of weight and deviation, and one term of bias and mean: of infinite ones, another nan.
    """
    mean, inverse = op.cast(mean, like=x), op.cast(inverse, like=x)
    factor = inverse if weight is None else inverse * op.cast(weight, like=x)
    term = op.Neg(mean * factor) if bias is None else op.cast(bias, like=x) - mean * factor
    return scaled_by_channel(op, x, factor, term)


@helper
def inverse_deviation(op, variance, eps: float):
    """1 / sqrt(variance + eps)."""
    return op.Reciprocal(op.Sqrt(variance + eps))


@decomposition("aten::_native_batch_norm_legit", promote=())
def _native_batch_norm_legit(op, input, *args):
    """The normalized batch, and the statistics that it was normalized by; none, where they were given"""
    training, eps = bool(op.known(args[-3])), op.known(args[-1])
    x = as_single(op, input)
    # The statistics have the dtype of the weights, which may be wider than that of the input.
    dtype = op.common_dtype(input, *[value for value in args[:-3] if value is not None])
    if training:
        mean, variance = statistics_of_batch(op, x)
        # Torch keeps them in that dtype before it normalizes by them.
        mean, inverse = op.cast(mean, dtype), op.cast(inverse_deviation(op, variance, eps), dtype)
        statistics = [mean, inverse]
    else:
        mean, inverse = args[2], inverse_deviation(op, op.cast(args[3], like=x), eps)
        statistics = [op.constant([], dtype), op.constant([], dtype)]
    normalized = normalized_at_once(op, x, args[0], args[1], mean, inverse)
    return op.cast(normalized, like=input), statistics[0], statistics[1]


@decomposition("aten::_native_batch_norm_legit_functional", promote=())
def _native_batch_norm_legit_functional(op, input, weight, bias, running_mean, running_var, training, momentum, eps):
    """The normalized batch, the statistics that it was normalized by, unless they were given, and the running ones"""
    x = as_single(op, input)
    given_mean, given_variance = op.cast(running_mean, like=x), op.cast(running_var, like=x)
    # The statistics have the dtype of the weights, which may be wider than that of the input.
    dtype = op.common_dtype(*[value for value in (input, weight, bias, running_mean, running_var) if value is not None])
    if not training:
        normalized = normalized_at_once(op, x, weight, bias, given_mean, inverse_deviation(op, given_variance, eps))
        nothing = op.constant([], dtype)
        return op.cast(normalized, like=input), nothing, nothing, op.Identity(running_mean), op.Identity(running_var)
    mean, variance = statistics_of_batch(op, x)
    # Torch keeps the statistics in their dtype before it normalizes by them.
    saved_mean, saved_inverse = op.cast(mean, dtype), op.cast(inverse_deviation(op, variance, eps), dtype)
    normalized = normalized_at_once(op, x, weight, bias, saved_mean, saved_inverse)
    # The variance that is kept on is the one of which that of the batch is an estimate.
    count = count_over(op, x, axes_of_batch(op, x))
    next_mean = given_mean * (1.0 - momentum) + mean * momentum
    next_variance = given_variance * (1.0 - momentum) + variance * (count / (count - 1.0)) * momentum
    return (
        op.cast(normalized, like=input),
        saved_mean,
        saved_inverse,
        op.cast(next_mean, like=running_mean),
        op.cast(next_variance, like=running_var),
    )
