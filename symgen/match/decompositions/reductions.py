"""Sums, products, means, counts and decisions over axes."""

import math

from symgen.match.decompositions.places import chosen
from symgen.match.language import decomposition, helper, torch


@helper
def axes_of(op, x, dim: list[int] | int | None) -> list[int]:
    """The axes that are meant, all of them where none is named; a number has none."""
    rank = op.rank(x)
    named = [dim] if isinstance(dim, int) else dim
    # In order, since below opset 11 shape inference takes the axes of a Squeeze one after the other.
    return sorted([axis % rank for axis in named]) if named and rank else list(range(rank))


@helper
def without(op, x, axes: list[int], keepdim: bool):
    """A result that kept the reduced axes, without them unless they are to be kept."""
    return x if keepdim or not axes else op.Squeeze(x, axes)


@helper
def summed_as(op, x, dtype: torch.dtype | None):
    """The tensor in the dtype of its sum: the one asked for, else int64 for whole numbers."""
    if dtype is not None:
        return op.cast(x, dtype)
    return x if op.dtype(x).is_floating_point else op.cast(x, "int64")


@helper
def summed_exactly(op, x, axes: list[int]):
    """The sum over some axes, which stay with length 1.

    Of int64 it is a product with ones: the runtime's own sum loses digits beyond 2⁵³, and stops at the largest number
    where torch's runs over (microsoft/onnxruntime#28743).
    """
    if op.dtype(x) != torch.int64:
        return op.ReduceSum(x, axes, keepdims=1)
    rank, total = op.rank(x), x
    for axis in [place % rank for place in axes]:
        turned = [rank - 1 if k == axis else axis if k == rank - 1 else k for k in range(rank)]
        shape = op.Concat(op.size(x, axis), op.constant([1]), axis=0)
        ones = op.ConstantOfShape(shape, value=torch.tensor([1]))
        if axis == rank - 1:
            total = op.MatMul(total, ones)
        else:
            total = op.Transpose(op.MatMul(op.Transpose(total, perm=turned), ones), perm=turned)
    return total


@helper
def whole_sum(op, x, axes: list[int], keepdim: bool):
    """The sum over some axes of whole numbers as int64, which runs over as torch's does."""
    if op.dtype(x) in (torch.int32, torch.int64):
        return without(op, summed_exactly(op, op.cast(x, "int64"), axes), axes, keepdim)
    # Of 16 bits not even 2³⁷ numbers leave double precision.
    return op.ReduceSum(op.cast(x, "int64"), axes, keepdims=int(keepdim)) if axes else op.cast(x, "int64")


@helper
def sum_over(op, x, axes: list[int], keepdim: bool):
    """The sum over some axes in the dtype of the tensor."""
    if not axes:
        return op.Identity(x)
    dtype = op.dtype(x)
    if not dtype.is_floating_point:
        return op.cast(whole_sum(op, x, axes, keepdim), dtype)
    return op.ReduceSum(x, axes, keepdims=int(keepdim))


@helper
def total_over(op, x, axes: list[int], keepdim: bool):
    """The sum over one or more axes; of whole numbers it is int64."""
    if op.dtype(x).is_floating_point:
        return op.ReduceSum(x, axes, keepdims=int(keepdim))
    return whole_sum(op, x, axes, keepdim)


@helper
def count_over(op, x, axes: list[int]):
    """How many elements there are along some axes, as a tensor of shape [1] in the dtype of another one."""
    known = op.known([op.size(x, axis) for axis in axes])
    if known is not None:
        return op.constant([math.prod(known)], like=x)
    if len(axes) == 1:
        return op.cast(op.size(x, axes[0]), like=x)
    return op.cast(op.ReduceProd(op.Gather(op.Shape(x), op.constant(axes)), keepdims=1), like=x)


@helper
def mean_over(op, x, axes: list[int], keepdim: bool):
    """The mean over some axes; of nothing it is nan."""
    if not axes:
        return op.Identity(x)
    sizes = [op.static_size(x, axis) for axis in axes]
    if None not in sizes and 0 not in sizes:
        return op.ReduceMean(x, axes, keepdims=int(keepdim))
    # In half precision the sum may run over where the mean does not.
    wide = op.cast(x, torch.float64 if op.dtype(x) == torch.float64 else torch.float32)
    mean = op.ReduceSum(wide, axes, keepdims=1) / count_over(op, wide, axes)
    return without(op, op.cast(mean, like=x), axes, keepdim)


@decomposition("aten::sum")
def sum(op, self, *args):
    """The sum of all elements, or over some axes; whole numbers are summed as int64."""
    dtype = op.named_dtype(args[-1])
    axes = axes_of(op, self, op.told(args[0], "dim") if len(args) == 3 else None)
    keepdim = len(args) == 3 and bool(op.told(args[1], "keepdim"))
    if axes and dtype is None:
        return total_over(op, self, axes, keepdim)
    return sum_over(op, summed_as(op, self, dtype), axes, keepdim)


@decomposition("aten::nansum")
def nansum(op, self, dim, keepdim, dtype):
    """The sum of what is not nan; whole numbers are summed as int64."""
    if op.is_captured and op.known(dim) == []:
        op.fail("nansum: with dim=[] torch.export takes nothing for summed; leave dim out")
    x = summed_as(op, self, dtype)
    if op.dtype(x).is_floating_point:
        x = chosen(op, op.IsNaN(x), op.constant(0, like=x), x)
    return sum_over(op, x, axes_of(op, x, dim), keepdim)


@decomposition("aten::mean")
def mean(op, self, *args):
    """The mean of all elements, or over some axes; in half precision it is rounded at the end alone."""
    dtype = op.named_dtype(args[-1])
    is_half = dtype in (torch.float16, torch.bfloat16)
    x = self if dtype is None or dtype == op.dtype(self) else op.cast(self, torch.float32 if is_half else dtype)
    axes = axes_of(op, x, op.told(args[0], "dim") if len(args) == 3 else None)
    found = mean_over(op, x, axes, len(args) == 3 and bool(op.told(args[1], "keepdim")))
    return found if dtype is None else op.cast(found, dtype)


@decomposition("aten::nanmean")
def nanmean(op, self, dim, keepdim, dtype):
    """The mean of what is not nan."""
    if op.is_captured and op.known(dim) == []:
        op.fail("nanmean: with dim=[] torch.export takes nothing for summed; leave dim out")
    x = self if dtype is None else op.cast(self, dtype)
    axes = axes_of(op, x, dim)
    if not axes:
        return op.Identity(x)
    missing = op.IsNaN(x)
    total = op.ReduceSum(chosen(op, missing, op.constant(0, like=x), x), axes, keepdims=1)
    mean = total / op.ReduceSum(op.cast(op.Not(missing), like=x), axes, keepdims=1)
    return without(op, mean, axes, keepdim)


@decomposition("aten::count_nonzero")
def count_nonzero(op, self, dim):
    """How many elements are not zero."""
    return whole_sum(op, op.cast(self, "bool"), axes_of(op, self, dim), False)


@helper
def any_over(op, mask, axes: list[int], keepdim: bool):
    """Whether any element over some axes is true."""
    if not axes:
        return op.Identity(mask)
    sizes = [op.static_size(mask, axis) for axis in axes]
    if op.opset >= 20 and None not in sizes and 0 not in sizes:
        return op.ReduceMax(mask, axes, keepdims=int(keepdim))
    return op.ReduceSum(op.cast(mask, "int32"), axes, keepdims=int(keepdim)) > 0


@helper
def any_axes_of(op, x, dim: list[int] | int | None) -> list[int]:
    """The axes that `any` and `all` mean: with an empty list none, where a sum means all."""
    return [] if dim == [] else axes_of(op, x, dim)


@decomposition("aten::any")
def any(op, self, dim, keepdim):
    """Whether any element, over some axes or of all, is not zero."""
    found = any_over(op, op.cast(self, "bool"), any_axes_of(op, self, dim), bool(keepdim))
    return op.cast(found, "uint8") if op.dtype(self) == torch.uint8 else found


@decomposition("aten::all")
def all(op, self, dim, keepdim):
    """Whether no element, over some axes or of all, is zero."""
    is_zero = op.Not(op.cast(self, "bool"))
    found = op.Not(any_over(op, is_zero, any_axes_of(op, self, dim), bool(keepdim)))
    return op.cast(found, "uint8") if op.dtype(self) == torch.uint8 else found


@decomposition("aten::_is_any_true")
def _is_any_true(op, self):
    """Whether any element is true."""
    return any_over(op, self, axes_of(op, self, None), False)


@decomposition("aten::_is_all_true")
def _is_all_true(op, self):
    """Whether no element is false."""
    is_false = op.Not(self)
    return op.Not(any_over(op, is_false, axes_of(op, self, None), False))


@decomposition("aten::is_nonzero")
def is_nonzero(op, self):
    """Whether the only element is not zero."""
    return op.cast(op.Reshape(self, []), "bool")
