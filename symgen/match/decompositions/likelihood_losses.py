"""Negative log-likelihoods of classes."""

from symgen.match.decompositions.differences import as_single
from symgen.match.decompositions.losses import reduced
from symgen.match.decompositions.softmax import log_softmax_of
from symgen.match.language import decomposition, helper


@helper
def class_weights(op, scores, target, weight, ignore_index: int):
    """The weight of each target's class, 1 without weights and 0 where the target is ignored; and a class for each."""
    is_ignored = op.Equal(target, ignore_index)
    places = op.Where(is_ignored, op.constant(0), target)
    if weight is None:
        return op.cast(op.Not(is_ignored), like=scores), places
    return op.Where(is_ignored, op.constant(0, like=scores), op.Gather(op.cast(weight, like=scores), places)), places


@helper
def likelihood_loss(op, scores, target, weight, reduction: int, ignore_index: int):
    """(−scores[target] · weight[target], by the reduction; the sum of these weights), with the classes along axis 1.

    What is reduced keeps its axes: the exporter takes 0-d float64 tensors for Python numbers.
    """
    weights, places = class_weights(op, scores, target, weight, ignore_index)
    picked = op.Squeeze(op.GatherElements(scores, op.Unsqueeze(places, [1]), axis=1), [1])
    # What is ignored gives no nan either.
    loss = op.Where(op.Equal(target, ignore_index), op.constant(0, like=scores), -picked * weights)
    total = op.ReduceSum(weights, keepdims=1)
    if reduction == 0:
        return loss, total
    added = op.ReduceSum(loss, keepdims=1)
    return (added / total if reduction == 1 else added), total


@helper
def with_batch(op, x, is_alone: bool):
    """The tensor with a batch axis in front where it has none."""
    return op.Unsqueeze(x, [0]) if is_alone else x


@helper
def in_shape(op, loss, is_alone: bool, reduction: int):
    """The loss without the axes that it does not have."""
    if reduction != 0:
        return op.Reshape(loss, op.constant([], "int64"))
    return op.Squeeze(loss, [0]) if is_alone else loss


@helper
def is_captured_otherwise(op, self, reduction: int) -> bool:
    """Whether torch.export gives the loss another shape: its own nll_loss has a flag in the place of `reduction`.

    By that it adds up where nothing is to be reduced; and what is empty it leaves empty.
    """
    is_empty = op.static_size(self, 0) == 0
    return op.rank(self) == 2 and is_empty != (reduction == 0)


@decomposition("aten::nll_loss", "aten::nll_loss2d", promote=())
def nll_loss(op, self, target, weight, reduction, ignore_index):
    """−self[target] · weight[target] of scores with the classes along the second axis, or the only one"""
    is_alone = op.rank(self) == 1
    if op.is_captured and is_captured_otherwise(op, self, reduction):
        op.fail("nll_loss: reduction='none', or no targets, gives another shape in torch.export")
    scores, targets = with_batch(op, as_single(op, self), is_alone), with_batch(op, op.cast(target, "int64"), is_alone)
    loss, _ = likelihood_loss(op, scores, targets, weight, reduction, ignore_index)
    return op.cast(in_shape(op, loss, is_alone, reduction), like=self)


@helper
def loss_of_chances(op, scores, chances, reduction: int):
    """−Σ p · score over the classes along axis 1, by the reduction"""
    return reduced(op, -op.ReduceSum(scores * chances, [1], keepdims=0), reduction)


@helper
def even_loss(op, scores, target, total, reduction: int, ignore_index: int):
    """−Σ score over the classes along axis 1, by the reduction, of all targets that are not ignored"""
    is_ignored = op.Equal(target, ignore_index)
    loss = op.Where(is_ignored, op.constant(0, like=scores), -op.ReduceSum(scores, [1], keepdims=0))
    if reduction == 0:
        return loss
    added = op.ReduceSum(loss, keepdims=1)
    return added / total if reduction == 1 else added


@decomposition("aten::cross_entropy_loss", promote=())
def cross_entropy_loss(op, self, target, weight, reduction, ignore_index, label_smoothing):
    """−Σ p · log softmax(self) · weight over the classes, for targets that are classes or have a p for each"""
    is_alone = op.rank(self) == 1
    scores, targets = with_batch(op, as_single(op, self), is_alone), with_batch(op, target, is_alone)
    scores = log_softmax_of(op, scores, 1)
    weighted = scores
    if weight is not None:
        others = list(range(1, op.rank(scores) - 1))
        by_class = op.cast(weight, like=scores)
        weighted = scores * (op.Unsqueeze(by_class, others) if others else by_class)
    share = label_smoothing / op.cast(op.size(scores, 1), like=scores)
    if op.dtype(target).is_floating_point:
        chances = (1.0 - label_smoothing) * op.cast(targets, like=scores) + share
        loss = loss_of_chances(op, weighted, chances, reduction)
    else:
        # With smoothing each target's loss is added to what torch.export takes for a number.
        if op.is_captured and not (label_smoothing and reduction == 0) and is_captured_otherwise(op, self, reduction):
            op.fail("cross_entropy_loss: reduction='none', or no targets, gives another shape in torch.export")
        targets = op.cast(targets, "int64")
        loss, total = likelihood_loss(op, scores, targets, weight, reduction, ignore_index)
        if label_smoothing:
            even = even_loss(op, weighted, targets, total, reduction, ignore_index)
            loss = (1.0 - label_smoothing) * loss + share * even
    return op.cast(in_shape(op, loss, is_alone, reduction), like=self)
