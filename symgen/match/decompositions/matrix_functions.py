"""Powers and functions of matrices, and tensors taken as matrices."""

import math

from symgen.match.decompositions.matrices import counting, identity
from symgen.match.decompositions.matrix_products import chain
from symgen.match.decompositions.scans import doublings
from symgen.match.decompositions.solvers import inverted, solved
from symgen.match.language import decomposition, helper

TERMS = 18
LARGEST_SCALING = 2000.0


@decomposition("aten::linalg_matrix_power", promote=("self",))
def linalg_matrix_power(op, self, n):
    """self · self · … by repeated squaring; powers of the inverse where n is negative"""
    if n == 0:
        return op.Expand(identity(op, op.size(self, -1), self), op.Shape(self))
    square = self
    if n < 0:
        square, _ = inverted(op, self)
    exponent, factors = abs(n), []
    while exponent > 0:
        if exponent % 2:
            factors.append(square)
        exponent = exponent // 2
        if exponent > 0:
            square = op.MatMul(square, square)
    return op.Identity(chain(op, factors))


@decomposition("aten::linalg_matrix_exp", promote=("self",))
def linalg_matrix_exp(op, self):
    """Σ selfᵏ / k!, by 18 terms for self / 2ˢ of a norm below 1, and s squarings

    The remainder of the series is below 1 / 19!, that is 0.04 eps of float64; squaring may double the relative error
    each time (Higham, Functions of Matrices, 2008, section 10.3).
    """
    one = identity(op, op.size(self, -1), self)
    zero = op.constant(0, like=self)
    sums = op.ReduceSum(op.Abs(self), [-2], keepdims=1)
    rank = op.rank(self)
    norm = op.ReduceMax(op.Pad(sums, [0] * (2 * rank - 1) + [1]), axes=[-1], keepdims=1)
    exponent = op.Ceil(op.Log(norm) * (1 / math.log(2)))
    squarings = op.Min(op.Max(exponent, zero), op.constant(LARGEST_SCALING, like=self))
    two = op.constant(2.0, like=self)
    scaled = self / op.Pow(two, squarings)

    def add_term(op, i, series):
        number = op.cast(TERMS - i, like=series)
        return one + op.MatMul(scaled, series) / number

    series = op.loop(TERMS, add_term, op.Expand(one, op.Shape(self)))

    def square(op, i, power):
        return op.Where(op.cast(i, like=power) < squarings, op.MatMul(power, power), power)

    every = op.Pad(op.Reshape(squarings, [-1]), [0, 1])
    return op.loop(op.cast(op.ReduceMax(every, axes=[0], keepdims=1), "int64"), square, series)


@helper
def powers(op, x, count, is_increasing: bool):
    """1, x, x² … along a new last axis, or in reverse order; `count` has the shape [1]."""
    exponents = counting(op, count)
    if not is_increasing:
        exponents = count - 1 - exponents
    base = op.Unsqueeze(x, [-1])
    if op.dtype(x).is_floating_point:
        return op.Pow(base, op.cast(exponents, like=x))
    # The runtime takes powers of whole numbers in floating point, which is not exact: by repeated squaring then.
    base = op.cast(base, "int64")
    ones = op.Expand(op.constant(1), op.Concat(op.Shape(x), count, axis=0))

    def multiply(op, i, product, square, rest):
        is_odd = op.Equal(op.Mod(rest, 2), 1)
        return op.Where(is_odd, product * square, product), square * square, op.Div(rest, 2)

    product, _, _ = op.loop(doublings(op, exponents, 0), multiply, ones, base, exponents)
    return product


@decomposition("aten::linalg_vander", promote=("x",))
def linalg_vander(op, x, N):
    """1, x, x² … along a new last axis"""
    numbers = op.Unsqueeze(x, [0]) if op.rank(x) == 0 else x
    return powers(op, numbers, op.size(numbers, -1) if N is None else op.constant([N]), True)


@decomposition("aten::vander", promote=())
def vander(op, x, N, increasing):
    """… x², x, 1 along a new last axis, or in reverse order"""
    return powers(op, x, op.size(x, -1) if N is None else op.constant([N]), increasing)


@decomposition("aten::linalg_tensorinv")
def linalg_tensorinv(op, self, ind):
    """The inverse of the matrix whose rows are numbered by the first `ind` axes and whose columns by the others"""
    inverse, _ = inverted(op, op.Flatten(self, axis=ind))
    shape = op.Shape(self)
    turned = op.Concat(op.Slice(shape, [ind], [op.rank(self)]), op.Slice(shape, [0], [ind]), axis=0)
    return op.Reshape(inverse, turned)


@decomposition("aten::linalg_tensorsolve")
def linalg_tensorsolve(op, self, other, dims):
    """X in Σ self…ₖ · Xₖ = other, where the axes `dims`, moved behind all others, are X's"""
    rank = op.rank(self)
    moved = [axis % rank for axis in dims] if dims is not None else []
    order = [axis for axis in range(rank) if axis not in moved] + moved
    tensor = op.Transpose(self, perm=order) if moved else self
    matrix = op.Flatten(tensor, axis=op.rank(other))
    x, _ = solved(op, matrix, op.Reshape(other, [-1, 1]))
    return op.Reshape(x, op.Slice(op.Shape(tensor), [op.rank(other)], [rank]))
