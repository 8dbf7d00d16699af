"""Losses, reduced or not."""

import math

from symgen.match.decompositions.distances import distance_of_rows, norm_over
from symgen.match.decompositions.numerics import log1p_of
from symgen.match.decompositions.reductions import whole_sum
from symgen.match.language import decomposition, helper, torch


@helper
def reduced(op, loss, reduction: int):
    """The loss of each element (0), their mean (1) or their sum (2)."""
    if reduction == 0:
        return loss
    if reduction == 2:
        return op.ReduceSum(loss, keepdims=0)
    if op.static_numel(loss):
        return op.ReduceMean(loss, keepdims=0)
    # The mean of no elements is nan, but ReduceMean's may be 0. The axes stay for the choice, because the exporter
    # takes 0-d float64 tensors for Python numbers.
    mean = op.ReduceMean(loss, keepdims=1)
    mean = op.Where(op.Equal(op.Size(loss), 0), op.constant(math.nan, like=mean), mean)
    return op.Reshape(mean, [])


@helper
def whole_reduced(op, loss, reduction: int):
    """The same of whole numbers, whose sum is int64; torch has no mean of them."""
    if reduction == 2:
        return whole_sum(op, loss, list(range(op.rank(loss))), False)
    return reduced(op, op.cast(loss, "int64"), reduction) if reduction else loss


@decomposition("aten::l1_loss", promote=("self", "target"), kind="COMMON")
def l1_loss(op, self, target, reduction):
    """|x − y|, the difference of whole numbers running over in their dtype"""
    dtype = op.dtype(self)
    if not dtype.is_floating_point:
        difference = op.cast(op.cast(self, "int64") - op.cast(target, "int64"), dtype)
        return whole_reduced(op, op.Abs(difference), reduction)
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    distance = op.Abs(op.cast(self, wide) - op.cast(target, wide))
    return op.cast(reduced(op, distance, reduction), dtype)


@decomposition("aten::mse_loss", promote=("self", "target"))
def mse_loss(op, self, target, reduction):
    """(x − y)²"""
    distance = self - target
    return reduced(op, distance * distance, reduction)


@decomposition("aten::huber_loss", promote=("self", "target"), kind="LIKE_FIRST")
def huber_loss(op, self, target, reduction, delta):
    """0.5 · d² where d ≤ delta, else delta · (d − 0.5 · delta), with d = |x − y|"""
    if op.is_captured and op.was_cast(self):
        # The result is of the dtype of self in torch, and of the common one in the program around it.
        op.fail("huber_loss: torch.export promotes the dtype of self by that of target, which torch doesn't")
    distance = op.Abs(self - target)
    quadratic = 0.5 * distance * distance
    linear = delta * (distance - 0.5 * delta)
    loss = op.Where(distance > delta, linear, quadratic)
    return reduced(op, loss, reduction)


@decomposition("aten::smooth_l1_loss", promote=("self", "target"))
def smooth_l1_loss(op, self, target, reduction, beta):
    """0.5 · d² / beta where d < beta, else d − 0.5 · beta, with d = |x − y|"""
    distance = op.Abs(self - target)
    if beta == 0:
        return reduced(op, distance, reduction)
    quadratic = (0.5 / beta) * distance * distance
    loss = op.Where(distance < beta, quadratic, distance - 0.5 * beta)
    return reduced(op, loss, reduction)


@decomposition("aten::soft_margin_loss", promote=("self", "target"), kind="LIKE_FIRST")
def soft_margin_loss(op, self, target, reduction):
    """log(1 + exp(−x · y))"""
    loss = op.Log(1.0 + op.Exp(-self * target))
    return reduced(op, loss, reduction)


@decomposition("aten::binary_cross_entropy", promote=("self", "target", "weight"), kind="LIKE_FIRST")
def binary_cross_entropy(op, self, target, weight, reduction):
    """−(y · log(x) + (1 − y) · log(1 − x)) · weight, each logarithm at least −100"""
    log_of_hit = op.Max(op.Log(self), -100.0)
    log_of_miss = op.Max(log1p_of(op, -self), -100.0)
    loss = (target - 1.0) * log_of_miss - target * log_of_hit
    if weight is not None:
        loss = loss * weight
    return reduced(op, loss, reduction)


@decomposition(
    "aten::binary_cross_entropy_with_logits", promote=("target", "self", "weight", "pos_weight"), kind="LIKE_FIRST"
)
def binary_cross_entropy_with_logits(op, self, target, weight, pos_weight, reduction):
    """(1 − y) · x − w · log σ(x) with w = 1 + y · (pos_weight − 1), times the weight"""
    log_of_hit = op.Min(self, 0.0) - log1p_of(op, op.Exp(-op.Abs(self)))
    if pos_weight is not None:
        log_of_hit = (1.0 + target * (pos_weight - 1.0)) * log_of_hit
    loss = (1.0 - target) * self - log_of_hit
    if weight is not None:
        loss = loss * weight
    return reduced(op, loss, reduction)


@decomposition("aten::kl_div", promote=("self", "target"))
def kl_div(op, self, target, reduction, log_target):
    """y · (log y − x), the target being y or its logarithm; 0 where y is 0"""
    if log_target:
        return reduced(op, op.Exp(target) * (target - self), reduction)
    entropy = target * op.Log(target)
    entropy = op.Where(op.Equal(target, 0.0), op.constant(0.0, like=target), entropy)
    return reduced(op, entropy - target * self, reduction)


@decomposition("aten::poisson_nll_loss", promote=())
def poisson_nll_loss(op, input, target, log_input, full, eps, reduction):
    """exp(x) − y · x, or x − y · log(x + eps); `full` adds Stirling's approximation of log(y!) where y > 1"""
    first = input if op.dtype(input).is_floating_point else op.cast(input, "float32")
    dtype = op.common_dtype(first, target)
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    x, y = op.cast(first, wide), op.cast(target, wide)
    whole = op.common_dtype(input, target)
    if not log_input:
        loss = x - y * op.Log(x + eps)
    elif whole.is_floating_point:
        loss = op.Exp(x) - y * x
    else:
        # A product of whole numbers runs over in their dtype.
        product = op.cast(op.cast(input, "int64") * op.cast(target, "int64"), whole)
        loss = op.Exp(x) - op.cast(product, wide)
    if full:
        stirling = y * op.Log(y) - y + 0.5 * op.Log(2 * math.pi * y)
        loss = loss + op.Where(y > 1.0, stirling, op.constant(0.0, like=stirling))
    return op.cast(reduced(op, loss, reduction), dtype)


@decomposition(
    "aten::hinge_embedding_loss",
    torchscript_only="torch.export refuses reduction='sum', unless it is taken apart before",
)
def hinge_embedding_loss(op, self, target, margin, reduction):
    """x where y = 1, max(0, margin − x) where y = −1; both for any other y; whole numbers run over in their dtype"""
    dtype = op.dtype(self)
    x = op.cast(self, "float32") if dtype in (torch.float16, torch.bfloat16) else self
    zero = op.constant(0.0, like=x)
    if dtype.is_floating_point:
        shortfall = margin - x
    else:
        shortfall = op.cast(math.trunc(margin) - op.cast(x, "int64"), dtype)
    of_unlike = op.Where(op.Equal(target, 1.0), zero, op.Where(shortfall < 0.0, zero, shortfall))
    of_like = op.Where(op.Equal(target, -1.0), zero, x)
    loss = of_unlike + of_like
    if not dtype.is_floating_point:
        return whole_reduced(op, loss, reduction)
    return op.cast(reduced(op, loss, reduction), dtype)


@helper
def kept_in(op, x, dtype: torch.dtype):
    """The tensor in a dtype, and then in one that the runtime computes in, from which it comes back by a cast."""
    x = op.cast(x, dtype)
    if dtype.itemsize > 2:
        return x
    return op.cast(x, torch.float32 if dtype.is_floating_point else torch.int32)


@decomposition(
    "aten::margin_ranking_loss",
    promote=(),
    torchscript_only="torch.export refuses ranks and values of reduction, unless it is taken apart before",
)
def margin_ranking_loss(op, input1, input2, target, margin, reduction):
    """max(0, −y · (a − b) + margin)"""
    # Whole numbers run over in the dtype of each step before the margin makes them floating.
    between, sign = op.common_dtype(input1, input2), op.dtype(target)
    difference = op.cast(kept_in(op, input1, between) - kept_in(op, input2, between), between)
    turned = op.cast(-kept_in(op, target, sign), sign)
    dtype = op.common_dtype(turned, difference)
    product = op.cast(kept_in(op, turned, dtype) * kept_in(op, difference, dtype), dtype)
    shortfall = op.cast(product, torch.float64 if dtype == torch.float64 else torch.float32)
    loss = op.Max(shortfall + margin, 0.0)
    return op.cast(reduced(op, loss, reduction), dtype if dtype.is_floating_point else torch.float32)


@decomposition(
    "aten::cosine_embedding_loss",
    promote=("input1", "input2", "target"),
    kind="INT_TO_FLOAT",
    as_float=("input1", "input2"),
)
def cosine_embedding_loss(op, input1, input2, target, margin, reduction):
    """1 − cos(a, b) where y = 1, max(0, cos(a, b) − margin) where y = −1"""
    axis = [-1]
    product = op.ReduceSum(input1 * input2, axis, keepdims=0)
    first = op.ReduceSum(input1 * input1, axis, keepdims=0) + 1e-12
    second = op.ReduceSum(input2 * input2, axis, keepdims=0) + 1e-12
    cosine = product / op.Sqrt(first * second)
    zero = op.constant(0.0, like=cosine)
    of_like = op.Where(op.Equal(target, 1.0), 1.0 - cosine, zero)
    of_unlike = op.Where(op.Equal(target, -1.0), op.Max(cosine - margin, 0.0), zero)
    return reduced(op, of_like + of_unlike, reduction)


@decomposition("aten::triplet_margin_loss")
def triplet_margin_loss(op, anchor, positive, negative, margin, p, eps, swap, reduction):
    """max(0, margin + |a − b| − |a − c|), with |b − c| instead if `swap` and that is less"""
    near = distance_of_rows(op, anchor, positive, p, eps, False)
    far = distance_of_rows(op, anchor, negative, p, eps, False)
    dtype = op.common_dtype(near, far)
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    near, far = op.cast(near, wide), op.cast(far, wide)
    if swap:
        far = op.Min(far, op.cast(distance_of_rows(op, positive, negative, p, eps, False), wide))
    loss = op.Max(margin + near - far, op.constant(0.0, wide))
    return op.cast(reduced(op, loss, reduction), dtype)


@decomposition("aten::dist", promote=("self", "other"), kind="INT_TO_FLOAT")
def dist(op, self, other, p):
    """The p-norm of x − y"""
    distance = op.Reshape(self - other, [-1])
    if p == -math.inf:
        nearest = op.ReduceMin(op.Abs(distance), axes=[0], keepdims=0)
        # A minimum may pass over nan.
        is_nan = op.IsNaN(op.ReduceSum(op.Abs(distance), axes=[0], keepdims=0))
        return op.Where(is_nan, op.constant(math.nan, like=nearest), nearest)
    return norm_over(op, distance, p, [0], False)
