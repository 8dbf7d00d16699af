"""Products of vectors and matrices, alone and added to something."""

import math

from symgen.match.decompositions.extremes import comparable
from symgen.match.decompositions.matrices import swap_last_axes, with_rank
from symgen.match.decompositions.places import with_shape
from symgen.match.decompositions.reductions import summed_exactly, without
from symgen.match.language import Values, decomposition, helper, torch


@helper
def weighted_sum(op, input, product, beta: float, alpha: float):
    """beta · input + alpha · product; with beta 0 the input does not count, not even its nan."""
    scaled = product if alpha == 1 else product * op.constant([alpha], like=product)
    if beta == 0:
        return scaled
    weighted = input if beta == 1 else input * op.constant([beta], like=product)
    return weighted + scaled


@helper
def multipliable(op, x):
    """The tensor in a dtype that the runtime multiplies; half precision in float32, as a sum is rounded once."""
    return op.cast(x, "float32") if op.dtype(x) in (torch.float16, torch.bfloat16) else comparable(op, x)


@helper
def product_added(op, input, first, second, beta: float, alpha: float):
    """beta · input + alpha · (first · second), in a dtype that the runtime multiplies"""
    product = op.MatMul(multipliable(op, first), multipliable(op, second))
    return op.cast(weighted_sum(op, multipliable(op, input), product, beta, alpha), like=input)


@decomposition("aten::addmm", promote=(), limits=("out_dtype raises",))
def addmm(op, self, *args):
    """beta · self + alpha · (mat1 · mat2)"""
    beta, alpha = op.told(args[-2], "addmm: beta"), op.told(args[-1], "addmm: alpha")
    if len(args) == 5:
        op.fail("addmm: out_dtype has no translation", self)
    if op.dtype(self) in (torch.float32, torch.float64) and beta != 0:
        return op.Gemm(args[0], args[1], self, alpha=float(alpha), beta=float(beta))
    return product_added(op, self, args[0], args[1], beta, alpha)


@decomposition("aten::baddbmm", promote=(), limits=("out_dtype raises",))
def baddbmm(op, self, *args):
    """beta · self + alpha · (batch1ᵢ · batch2ᵢ)"""
    beta, alpha = op.told(args[-2], "baddbmm: beta"), op.told(args[-1], "baddbmm: alpha")
    if len(args) == 5:
        op.fail("baddbmm: out_dtype has no translation", self)
    return product_added(op, self, args[0], args[1], beta, alpha)


@decomposition("aten::mm", "aten::bmm", promote=("self", "mat2"), widen=False, only={"out_dtype": None})
def mm(op, self, mat2):
    """The product of matrices, or of each with its like in a batch"""
    return op.MatMul(self, mat2)


@decomposition("aten::mv", promote=("self", "vec"), widen=False)
def mv(op, self, vec):
    """The product of a matrix and a vector"""
    return op.MatMul(self, vec)


@decomposition("aten::linear", promote=("input", "weight", "bias"), widen=False)
def linear(op, input, weight, bias):
    """input · weightᵀ + bias"""
    if bias is not None and op.rank(input) == 2 and op.rank(weight) == 2 and op.dtype(input).is_floating_point:
        return op.Gemm(input, weight, bias, transB=1)
    product = op.MatMul(input, op.Transpose(weight, perm=[1, 0]) if op.rank(weight) == 2 else weight)
    return product if bias is None else product + bias


@decomposition("aten::dot", promote=("self", "tensor"))
def dot(op, self, tensor):
    """Σ selfₖ · tensorₖ of two vectors"""
    return op.MatMul(self, tensor)


@helper
def cross_along(op, a, b, axis: int):
    """aⱼ · bₖ − aₖ · bⱼ along an axis of three, for (j, k) = (1, 2), (2, 0) and (0, 1)"""
    first = op.Gather(a, op.constant([1, 2, 0]), axis=axis) * op.Gather(b, op.constant([2, 0, 1]), axis=axis)
    second = op.Gather(a, op.constant([2, 0, 1]), axis=axis) * op.Gather(b, op.constant([1, 2, 0]), axis=axis)
    return first - second


@decomposition("aten::linalg_cross", promote=("self", "other"))
def linalg_cross(op, self, other, dim):
    """The vectors along an axis that stand upright on those of both tensors"""
    return cross_along(op, self, other, dim)


@decomposition("aten::cross", promote=("self", "other"))
def cross(op, self, other, dim):
    """The vectors along an axis that stand upright on those of both tensors; by default the first axis of three"""
    if dim is not None:
        return cross_along(op, self, other, dim)
    found = [axis for axis in range(op.rank(self)) if op.static_size(self, axis) in (3, None)]
    if len(found) == 1 or op.static_size(self, found[0]) == 3:
        return cross_along(op, self, other, found[0])
    # The axes before the first of three become one, and those behind it.
    shape = op.Shape(self + other)
    axis = op.ArgMax(op.cast(op.Equal(op.Shape(self), 3), "int32"), axis=0, keepdims=1)
    before = op.ReduceProd(op.Concat(op.constant([1]), op.Slice(shape, [0], axis), axis=0), keepdims=1)
    behind = op.ReduceProd(op.Concat(op.constant([1]), op.Slice(shape, axis + 1, [op.rank(self)]), axis=0), keepdims=1)
    rows = op.Concat(before, op.constant([3]), behind, axis=0)
    a = with_shape(op, op.Expand(self, shape), rows, 3)
    b = with_shape(op, op.Expand(other, shape), rows, 3)
    return with_shape(op, cross_along(op, a, b, 1), shape, op.rank(self))


@decomposition("aten::outer", "aten::ger", promote=("self", "vec2"))
def outer(op, self, vec2):
    """xᵢ · yⱼ"""
    return op.Unsqueeze(self, [1]) * vec2


@decomposition("aten::addmv", promote=("self", "mat", "vec"))
def addmv(op, self, mat, vec, beta, alpha):
    """beta · self + alpha · (mat · vec)"""
    return weighted_sum(op, self, op.MatMul(mat, vec), beta, alpha)


@decomposition("aten::addr", promote=("self", "vec1", "vec2"), kind="BY_DTYPE")
def addr(op, self, vec1, vec2, beta, alpha):
    """beta · self + alpha · (vec1 ⊗ vec2)"""
    return weighted_sum(op, self, op.Unsqueeze(vec1, [1]) * vec2, beta, alpha)


@decomposition("aten::addbmm", promote=("self", "batch1", "batch2"))
def addbmm(op, self, batch1, batch2, beta, alpha):
    """beta · self + alpha · Σ batch1ᵢ · batch2ᵢ"""
    if op.opset >= 12:
        product = op.Einsum(batch1, batch2, equation="bnm,bmp->np")
    else:
        # The runtime sums large integers inexactly with ReduceSum.
        ones = op.Expand(op.constant([1], like=batch1), op.size(batch1, 0))
        product = op.MatMul(op.Transpose(op.MatMul(batch1, batch2), perm=[1, 2, 0]), ones)
    return weighted_sum(op, self, product, beta, alpha)


@decomposition("aten::bilinear", promote=("input1", "input2", "weight", "bias"))
def bilinear(op, input1, input2, weight, bias):
    """Σᵢⱼ input1ᵢ · weightₒᵢⱼ · input2ⱼ + biasₒ"""
    if op.opset >= 12:
        product = op.Einsum(input1, weight, input2, equation="...i,oij,...j->...o")
    else:
        rank = op.rank(input1)
        row, column = op.Unsqueeze(input1, [rank - 1, rank]), op.Unsqueeze(input2, [rank - 1, rank + 1])
        product = op.Squeeze(op.MatMul(op.MatMul(row, weight), column), [rank, rank + 1])
    return product if bias is None else product + bias


@decomposition("aten::inner", promote=("self", "other"))
def inner(op, self, other):
    """Σₖ self…ₖ · other…ₖ over the last axes; numbers multiply"""
    if op.rank(self) == 0 or op.rank(other) == 0:
        return self * other
    if op.rank(other) == 1:
        return op.MatMul(self, other)
    if op.rank(self) == 1:
        return op.MatMul(other, self)
    transposed = swap_last_axes(op, other)
    if op.rank(other) == 2:
        return op.MatMul(self, transposed)
    # Matrices of one row each meet every matrix of the other.
    last = op.rank(self) - 1
    rows = op.Unsqueeze(self, list(range(last, last + op.rank(other) - 1)))
    return op.Squeeze(op.MatMul(rows, transposed), [-2])


@decomposition("aten::vdot")
def vdot(op, self, other):
    """Σ selfₖ · otherₖ of two vectors"""
    return op.MatMul(self, other)


@decomposition("aten::linalg_vecdot")
def linalg_vecdot(op, x, y, dim):
    """Σ xₖ · yₖ along an axis of the broadcast tensors"""
    if op.rank(x) == 1 and op.rank(y) == 1:
        return op.MatMul(x, y)
    return op.ReduceSum(x * y, [dim], keepdims=0)


@decomposition("aten::kron", promote=("self", "other"), kind="BY_DTYPE")
def kron(op, self, other):
    """Every element of self times all of other, block by block"""
    if op.is_captured and (op.static_numel(self) is None or op.static_numel(other) is None):
        # Its program is for the sizes of the example alone, but the exporter calls them free all the same.
        op.fail("kron: torch.export fixes all sizes of self and other, which must not be dynamic axes")
    rank = max(op.rank(self), op.rank(other))
    if rank == 0:
        return self * other
    a, b = with_rank(op, self, rank), with_rank(op, other, rank)
    # Axes in pairs: which element of self, then where in its block.
    odd, even = [2 * axis + 1 for axis in range(rank)], [2 * axis for axis in range(rank)]
    blocks = op.Unsqueeze(a, odd) * op.Unsqueeze(b, even)
    if rank == 1:
        return op.Squeeze(op.Flatten(blocks, axis=0), [0])
    if rank == 2:
        return op.Flatten(blocks, axis=2)
    sizes = op.Shape(a) * op.Shape(b)
    return with_shape(op, blocks, sizes, rank)


@helper
def chain(op, matrices: Values):
    """The product of a list of matrices; from the right where that is a vector, which costs the least."""
    if op.rank(matrices[-1]) == 1:
        product = matrices[-1]
        for matrix in reversed(matrices[:-1]):
            product = op.MatMul(matrix, product)
        return product
    product = matrices[0]
    for matrix in matrices[1:]:
        product = op.MatMul(product, matrix)
    return product


@decomposition("aten::linalg_multi_dot", promote=("tensors",))
def linalg_multi_dot(op, tensors):
    """The product of all matrices; the first and the last may be vectors"""
    return chain(op, tensors)


@decomposition("aten::chain_matmul", promote=("matrices",))
def chain_matmul(op, matrices):
    """The product of all matrices"""
    return chain(op, matrices)


@decomposition("aten::_int_mm")
def _int_mm(op, self, mat2):
    """The product of matrices of int8 in int32"""
    return op.MatMulInteger(self, mat2)


@decomposition("aten::_addmm_activation", promote=("self", "mat1", "mat2"))
def _addmm_activation(op, self, mat1, mat2, beta, alpha, use_gelu):
    """max(0, beta · self + alpha · (mat1 · mat2)), or the Gelu of it"""
    total = weighted_sum(op, self, op.MatMul(mat1, mat2), beta, alpha)
    if not use_gelu:
        return op.Max(total, op.constant(0, like=total))
    return 0.5 * total * (1.0 + op.Erf(math.sqrt(0.5) * total))


@decomposition(
    "aten::_trilinear",
    promote=("i1", "i2", "i3"),
    kind="LIKE_FIRST",
    ignore={"unroll_dim": "it only orders the additions"},
)
def _trilinear(op, i1, i2, i3, expand1, expand2, expand3, sumdim):
    """The product of three tensors, each with new axes of length 1, summed over some axes"""
    first = op.Unsqueeze(i1, expand1) if expand1 else i1
    second = op.Unsqueeze(i2, expand2) if expand2 else i2
    third = op.Unsqueeze(i3, expand3) if expand3 else i3
    product = first * second * third
    return without(op, summed_exactly(op, product, sumdim), sumdim, False) if sumdim else product
