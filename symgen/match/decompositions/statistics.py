"""Variance and covariance, and what is made of them."""

from symgen.match.decompositions.reductions import axes_of, count_over, mean_over
from symgen.match.language import Values, decomposition, helper, torch


@helper
def variance_of(op, self, args: Values, root: bool):
    """Σ (x − mean)² / (n − correction) over some axes, or its root, and the mean.

    `args` are whether to correct by 1; or the axes, the correction and whether to keep the axes.
    """
    is_full = len(args) == 3
    correction = op.told(args[1] if is_full else args[0], "correction")
    keepdim = is_full and op.rank(self) > 0 and bool(op.told(args[2], "keepdim"))
    x = op.Unsqueeze(self, [0]) if op.rank(self) == 0 else self
    if op.dtype(x) in (torch.float16, torch.bfloat16):
        x = op.cast(x, "float32")
    axes = axes_of(op, x, op.told(args[0], "dim") if is_full else None)
    mean = mean_over(op, x, axes, True)
    squares = op.ReduceSumSquare(x - mean, axes, keepdims=1)
    if correction is not None and correction < 0:
        # Of nothing it is nan also where the denominator is not 0.
        squares = squares + 0.0 * mean
    freedom = op.Max(count_over(op, x, axes) - (1.0 if correction is None else float(correction)), 0.0)
    spread = op.Sqrt(squares / freedom) if root else squares / freedom
    if not keepdim:
        spread, mean = op.Squeeze(spread, axes), op.Squeeze(mean, axes)
    return op.cast(spread, like=self), op.cast(mean, like=self)


@decomposition("aten::var")
def var(op, self, *args):
    """Σ (x − mean)² / (n − correction) of all elements, or over some axes"""
    variance, _ = variance_of(op, self, args, False)
    return variance


@decomposition("aten::std")
def std(op, self, *args):
    """√(Σ (x − mean)² / (n − correction)) of all elements, or over some axes"""
    deviation, _ = variance_of(op, self, args, True)
    return deviation


@decomposition("aten::var_mean")
def var_mean(op, self, *args):
    """The variance and the mean of all elements, or over some axes."""
    return variance_of(op, self, args, False)


@decomposition(
    "aten::std_mean",
    torchscript_only="the dynamo exporter's pass for promotion fails at it, unless it is taken apart before",
)
def std_mean(op, self, *args):
    """The standard deviation and the mean of all elements, or over some axes."""
    return variance_of(op, self, args, True)


@decomposition("aten::logsumexp", promote=("self",), kind="INT_TO_FLOAT")
def logsumexp(op, self, dim, keepdim):
    """log Σ exp(x) over some axes, without overflow"""
    axes = axes_of(op, self, dim)
    return op.ReduceLogSumExp(self, axes, keepdims=int(keepdim)) if axes else op.Identity(self)


@helper
def centred_rows(op, x, weights):
    """The rows less their (weighted) means, as a matrix; a vector is one row."""
    rows = x if op.rank(x) == 2 else op.Reshape(x, [1, -1])
    if weights is None:
        return rows - op.ReduceSum(rows, [1], keepdims=1) / op.cast(op.size(rows, 1), like=x)
    return rows - op.ReduceSum(rows * weights, [1], keepdims=1) / op.ReduceSum(weights, keepdims=1)


@helper
def products_of_rows(op, a, b):
    """The dot product of each row of one matrix with each of another."""
    # ONNX Runtime takes a MatMul and a Div together, and then 0 / 0 is 0.
    return op.Gemm(a, b, op.constant([0.0], like=a), transB=1)


@decomposition("aten::cov", promote=("self", "aweights"), kind="INT_TO_FLOAT")
def cov(op, self, correction, fweights, aweights):
    """Σ w · (xᵢ − mean) · (xⱼ − mean) / (Σ w − correction), the rows being the variables"""
    repeats = None if fweights is None else op.cast(fweights, like=self)
    weights = aweights if repeats is None else repeats if aweights is None else repeats * aweights
    rows = centred_rows(op, self, weights)
    if weights is None:
        freedom = op.cast(op.size(rows, 1), like=rows) - float(correction)
        products = products_of_rows(op, rows, rows)
    else:
        total = op.ReduceSum(weights, keepdims=1)
        freedom = total - float(correction)
        if aweights is not None and correction:
            freedom = total - float(correction) * op.ReduceSum(weights * aweights, keepdims=1) / total
        products = products_of_rows(op, rows, rows * weights)
    return without_ones(op, products / op.Max(freedom, 0.0))


@decomposition("aten::corrcoef", promote=("self",), kind="INT_TO_FLOAT")
def corrcoef(op, self):
    """cov(i, j) / √(cov(i, i) · cov(j, j)), the rows being the variables"""
    rows = centred_rows(op, self, None)
    lengths = op.Sqrt(op.ReduceSum(rows * rows, [1], keepdims=1))
    found = products_of_rows(op, rows, rows) / lengths / op.Transpose(lengths, perm=[1, 0])
    return without_ones(op, op.Max(op.Min(found, 1.0), -1.0))


@helper
def without_ones(op, matrix):
    """The matrix without its axes of length 1."""
    size = op.static_size(matrix, 0)
    if size is None:
        return op.Squeeze(matrix)
    return op.Squeeze(matrix, [0, 1]) if size == 1 else matrix
