"""Losses of scores for classes."""

from symgen.match.decompositions.losses import reduced
from symgen.match.decompositions.places import places_along
from symgen.match.language import decomposition, helper


@helper
def as_rows(op, x):
    """A vector, or a number, as the only row of a matrix."""
    return x if op.rank(x) == 2 else op.Reshape(x, [1, -1])


@decomposition("aten::multi_margin_loss", promote=("self", "weight"))
def multi_margin_loss(op, self, target, p, margin, weight, reduction):
    """The mean over the classes i ≠ y of max(0, margin − x[y] + x[i])ᵖ · weight[y]"""
    scores, places = as_rows(op, self), op.Reshape(target, [-1, 1])
    score = op.GatherElements(scores, places, axis=1)
    shortfall = margin - score + scores
    # Not by Max, because a shortfall of nan does not count.
    counts = (shortfall > 0.0) & op.Not(op.Equal(places_along(op, scores, 1), places))
    if p == 2:
        shortfall = shortfall * shortfall
    if weight is not None:
        shortfall = shortfall * op.Gather(weight, places)
    loss = op.Where(counts, shortfall, op.constant(0.0, like=scores))
    loss = op.ReduceMean(loss, axes=[1], keepdims=0)
    if reduction == 0 and op.rank(self) < 2:
        return op.Squeeze(loss, axes=[0])
    return reduced(op, loss, reduction)


@decomposition("aten::multilabel_margin_loss", promote=("self",))
def multilabel_margin_loss(op, self, target, reduction):
    """Σ max(0, 1 − x[y] + x[i]) / classes, over the targets y before the first −1 and the classes i among no targets"""
    scores, targets = as_rows(op, self), as_rows(op, target)
    ended = op.CumSum(op.cast(targets < 0, "int32"), op.constant(1))
    is_target = op.Equal(ended, op.constant(0, "int32"))
    places = op.Where(is_target, targets, op.constant(0))
    hits = op.Equal(op.Unsqueeze(places, axes=[2]), places_along(op, scores, 1))
    hits = hits & op.Unsqueeze(is_target, axes=[2])
    is_no_target = op.Equal(op.ReduceSum(op.cast(hits, "int32"), axes=[1], keepdims=1), op.constant(0, "int32"))
    own = op.Unsqueeze(op.GatherElements(scores, places, axis=1), axes=[2])
    shortfall = 1.0 - own + op.Unsqueeze(scores, axes=[1])
    # Not by Max, because a shortfall of nan does not count.
    counts = (shortfall > 0.0) & op.Unsqueeze(is_target, axes=[2]) & is_no_target
    loss = op.Where(counts, shortfall, op.constant(0.0, like=scores))
    loss = op.ReduceMean(op.ReduceSum(loss, axes=[1], keepdims=0), axes=[1], keepdims=0)
    if reduction == 0 and op.rank(self) < 2:
        return op.Squeeze(loss, axes=[0])
    return reduced(op, loss, reduction)
