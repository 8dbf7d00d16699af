"""Sums, means and counts over axes."""

from symgen.match.language import decomposition, helper, torch


@helper
def axes_of(op, x, dim: list[int]) -> list[int]:
    """The axes that are meant: all of them where none is named."""
    rank = op.rank(x)
    return [axis % rank for axis in dim] if dim and rank else list(range(rank))


@helper
def sum_over(op, x, axes: list[int], keepdim: bool):
    """The sum over some axes; a number is its own sum."""
    return op.ReduceSum(x, axes, keepdims=int(keepdim)) if axes else op.Identity(x)


@decomposition("aten::nansum")
def nansum(op, self, dim, keepdim, dtype):
    """The sum of what is not nan; whole numbers are summed as int64."""
    x = summed_as(op, self, dtype)
    if op.dtype(x).is_floating_point:
        x = op.Where(op.IsNaN(x), op.constant(0, like=x), x)
    return sum_over(op, x, axes_of(op, x, dim), keepdim)


@helper
def summed_as(op, x, dtype: torch.dtype | None):
    """The tensor in the dtype of its sum."""
    if dtype is None and not op.dtype(x).is_floating_point:
        return op.cast(x, "int64")
    return x if dtype is None else op.cast(x, dtype)


@decomposition("aten::nanmean")
def nanmean(op, self, dim, keepdim, dtype):
    """The mean of what is not nan."""
    x = self if dtype is None else op.cast(self, dtype)
    axes = axes_of(op, x, dim)
    if not axes:
        return op.Identity(x)
    missing = op.IsNaN(x)
    total = op.ReduceSum(op.Where(missing, op.constant(0, like=x), x), axes, keepdims=1)
    mean = total / op.ReduceSum(op.cast(op.Not(missing), like=x), axes, keepdims=1)
    return mean if keepdim else op.Squeeze(mean, axes)


@decomposition("aten::count_nonzero")
def count_nonzero(op, self, dim):
    """How many elements are not zero."""
    counted = op.cast(op.cast(self, "bool"), "int64")
    return sum_over(op, counted, axes_of(op, self, dim), False)


@helper
def centred_rows(op, x, weights):
    """The rows less their (weighted) means, as a matrix; a vector is one row."""
    rows = x if op.rank(x) == 2 else op.Reshape(x, [1, -1])
    if weights is None:
        return rows - op.ReduceSum(rows, [1], keepdims=1) / op.cast(op.size(rows, 1), like=x)
    return rows - op.ReduceSum(rows * weights, [1], keepdims=1) / op.ReduceSum(weights, keepdims=1)


@decomposition("aten::cov", promote=("self", "aweights"), kind="INT_TO_FLOAT")
def cov(op, self, correction, fweights, aweights):
    """Σ w · (xᵢ − mean) · (xⱼ − mean) / (Σ w − correction), the rows being the variables"""
    repeats = None if fweights is None else op.cast(fweights, like=self)
    weights = aweights if repeats is None else repeats if aweights is None else repeats * aweights
    rows = centred_rows(op, self, weights)
    if weights is None:
        freedom = op.cast(op.size(rows, 1), like=rows) - float(correction)
        products = op.MatMul(rows, op.Transpose(rows, perm=[1, 0]))
    else:
        total = op.ReduceSum(weights, keepdims=1)
        freedom = total - float(correction)
        if aweights is not None and correction:
            freedom = total - float(correction) * op.ReduceSum(weights * aweights, keepdims=1) / total
        products = op.MatMul(rows, op.Transpose(rows * weights, perm=[1, 0]))
    return without_ones(op, products / op.Max(freedom, 0.0))


@decomposition("aten::corrcoef", promote=("self",), kind="INT_TO_FLOAT")
def corrcoef(op, self):
    """cov(i, j) / √(cov(i, i) · cov(j, j)), the rows being the variables"""
    rows = centred_rows(op, self, None)
    lengths = op.Sqrt(op.ReduceSum(rows * rows, [1], keepdims=1))
    unit = rows / lengths
    found = op.MatMul(unit, op.Transpose(unit, perm=[1, 0]))
    return without_ones(op, op.Max(op.Min(found, 1.0), -1.0))


@helper
def without_ones(op, matrix):
    """The matrix without its axes of length 1."""
    size = op.static_size(matrix, 0)
    if size is None:
        return op.Squeeze(matrix)
    return op.Squeeze(matrix, [0, 1]) if size == 1 else matrix
