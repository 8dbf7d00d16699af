"""Connectionist temporal classification."""

import math

from symgen.match.decompositions.losses import reduced
from symgen.match.language import decomposition, helper


@helper
def padded_targets(op, targets, lengths):
    """The targets as one row per sample, also where they come one behind the other."""
    if op.rank(targets) == 2:
        return targets
    longest = op.ReduceMax(lengths, axes=[0], keepdims=0)
    places = op.Range(0, longest, 1)
    starts = op.CumSum(lengths, op.constant(0), exclusive=1)
    last = op.Max(op.numel(targets) - 1, op.constant([0]))
    inside = op.Min(op.Unsqueeze(starts, axes=[1]) + places, last)
    return op.Gather(op.Concat(targets, op.constant([0]), axis=0), inside)


@helper
def between_blanks(op, targets, blank: int):
    """blank, first target, blank, second target … blank; shape [samples, 2 · targets + 1]"""
    columns = op.Unsqueeze(targets, axes=[2])
    blanks = columns * 0 + blank
    shape = op.Concat(op.size(targets, 0), op.size(targets, 1) * 2, axis=0)
    pairs = op.Reshape(op.Concat(blanks, columns, axis=2), shape)
    end = op.Expand(op.constant([[blank]]), op.Concat(op.size(targets, 0), op.constant([1]), axis=0))
    return op.Concat(pairs, end, axis=1)


@helper
def moved_right(op, x, count: int, fill):
    """Each row moved by some places, with `fill` in front."""
    padded = op.Pad(x, op.constant([0, count, 0, 0]), fill)
    return op.Slice(padded, op.constant([0]), op.size(x, 1), op.constant([1]))


@helper
def log_sum_exp_of_three(op, a, b, c):
    """log(exp(a) + exp(b) + exp(c)), also where all are −∞"""
    largest = op.Max(op.Max(a, b), c)
    offset = op.Where(largest > -math.inf, largest, op.constant(0.0, like=largest))
    return offset + op.Log(op.Exp(a - offset) + op.Exp(b - offset) + op.Exp(c - offset))


@helper
def ctc_log_probability(op, log_probs, targets, input_lengths, target_lengths, blank: int):
    """The log-probability of each sample's targets: the forward recursion of Graves et al. (2006) over the labels with
    blanks between them."""
    labels = between_blanks(op, targets, blank)
    nothing = op.constant(-math.inf, like=log_probs)
    # From two labels before, unless that is the same one or a blank would be left out.
    is_new = op.Not(op.Equal(labels, moved_right(op, labels, 2, op.constant(-1)))) & op.Not(op.Equal(labels, blank))
    steps = op.size(log_probs, 0)
    everywhere = op.Concat(steps, op.constant([1, 1]), axis=0)
    emissions = op.GatherElements(log_probs, op.Expand(op.Unsqueeze(labels, axes=[0]), everywhere), axis=2)

    def advance(op, step, alpha):
        skipping = op.Where(is_new, moved_right(op, alpha, 2, nothing), nothing)
        total = log_sum_exp_of_three(op, alpha, moved_right(op, alpha, 1, nothing), skipping)
        goes_on = step < op.Unsqueeze(input_lengths, axes=[1])
        return op.Where(goes_on, total + op.Gather(emissions, step, axis=0), alpha)

    places = op.Range(0, op.Squeeze(op.size(labels, 1), axes=[0]), 1)
    is_first = op.Equal(places + labels * 0, 0)
    alpha = op.loop(steps, advance, op.Where(is_first, op.constant(0.0, like=log_probs), nothing))
    end = op.Unsqueeze(target_lengths, axes=[1]) * 2
    with_blank = op.GatherElements(alpha, end, axis=1)
    without = op.GatherElements(alpha, op.Max(end - 1, op.constant([0])), axis=1)
    without = op.Where(end > 0, without, nothing)
    return op.Squeeze(log_sum_exp_of_three(op, with_blank, without, nothing), axes=[1])


@decomposition("aten::ctc_loss", promote=("log_probs",))
def ctc_loss(op, log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity):
    """−log of the probability of the targets, summed over all alignments; a mean divides by their lengths first"""
    is_batch = op.rank(log_probs) == 3
    inputs, lengths = op.ints(input_lengths), op.ints(target_lengths)
    scores = log_probs if is_batch else op.Unsqueeze(log_probs, axes=[1])
    rows = padded_targets(op, op.cast(targets, "int64"), lengths)
    loss = -ctc_log_probability(op, scores, rows, inputs, lengths, blank)
    if zero_infinity:
        loss = op.Where(loss < math.inf, loss, op.constant(0.0, like=loss))
    if reduction == 1:
        loss = loss / op.cast(op.Max(lengths, op.constant([1])), like=loss)
    if reduction == 0 and not is_batch:
        return op.Squeeze(loss, axes=[0])
    return reduced(op, loss, reduction)
