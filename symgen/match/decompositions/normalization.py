"""Normalisation: by the statistics of a batch, of groups of channels, or of the last axes."""

from symgen.match.language import decomposition, helper, torch


@helper
def along_channels(op, x, like):
    """A vector of one value a channel, shaped to go with a tensor that has its channels in axis 1."""
    return op.Unsqueeze(x, [axis for axis in range(op.rank(like)) if axis != 1])


@decomposition(
    "aten::native_batch_norm",
    promote=["input"],
    ignore={"momentum": "the running statistics that it updates are no results of the graph"},
)
def native_batch_norm(op, input, weight, bias, running_mean, running_var, training, eps):
    """(x − mean) / √(var + eps) · weight + bias, channel by channel; with the mean and 1 / √(var + eps) in training"""
    axes = [axis for axis in range(op.rank(input)) if axis != 1]
    if training:
        mean = op.ReduceMean(input, axes=axes, keepdims=0)
        distance = input - along_channels(op, mean, input)
        variance = op.ReduceMean(distance * distance, axes=axes, keepdims=0)
    else:
        mean = op.cast(running_mean, like=input)
        variance = op.cast(running_var, like=input)
        distance = input - along_channels(op, mean, input)
    inverse = op.Reciprocal(op.Sqrt(variance + eps))
    result = distance * along_channels(op, inverse, input)
    if weight is not None:
        result = result * along_channels(op, op.cast(weight, like=input), input)
    if bias is not None:
        result = result + along_channels(op, op.cast(bias, like=input), input)
    if training:
        return result, mean, inverse
    nothing = op.constant([], like=mean)
    return result, nothing, nothing


@decomposition(
    "aten::native_group_norm",
    promote=["input"],
    ignore={"N": "the shape has it", "C": "the shape has it", "HxW": "the shape has it"},
)
def native_group_norm(op, input, weight, bias, group, eps):
    """(x − mean) / √(var + eps) · weight + bias, the mean and variance over each group of channels"""
    batch = op.size(input, 0)
    grouped = op.Reshape(input, op.Concat(batch, op.constant([group, -1]), axis=0))
    mean = op.ReduceMean(grouped, axes=[2], keepdims=1)
    distance = grouped - mean
    variance = op.ReduceMean(distance * distance, axes=[2], keepdims=1)
    inverse = op.Reciprocal(op.Sqrt(variance + eps))
    result = op.Reshape(distance * inverse, op.Shape(input))
    if weight is not None:
        result = result * along_channels(op, op.cast(weight, like=input), input)
    if bias is not None:
        result = result + along_channels(op, op.cast(bias, like=input), input)
    return result, op.Squeeze(mean, [2]), op.Squeeze(inverse, [2])


@decomposition("aten::rms_norm", promote=["input", "weight"])
def rms_norm(op, input, normalized_shape, weight, eps):
    """x / √(mean(x²) + eps) · weight, the mean over the last axes; eps is the dtype's own where none is given"""
    axes = list(range(-len(normalized_shape), 0))
    offset = torch.finfo(op.dtype(input)).eps if eps is None else eps
    mean_square = op.ReduceMean(input * input, axes=axes, keepdims=1)
    result = input / op.Sqrt(mean_square + offset)
    return result if weight is None else result * weight
