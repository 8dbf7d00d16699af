"""A = L · D · Lᵀ with blocks of one and two rows in D, after J. Bunch and L. Kaufman (1977), as in LAPACK's sytf2."""

from symgen.match.decompositions.matrices import (
    batch_shape,
    column_numbers,
    like_batch_of,
    lower_part,
    row_numbers,
    swap_last_axes,
)
from symgen.match.decompositions.solvers import first_failure
from symgen.match.language import decomposition, helper

# (1 + √17) / 8, which bounds the growth of both kinds of steps alike.
ALPHA = 0.6403882032022076


@helper
def rows_exchanged(op, matrix, numbers, first, second):
    """The rows of matrices with two of them exchanged; `numbers` are those of the rows, in the shape [n, 1]."""
    order = op.Where(op.Equal(numbers, first), second, op.Where(op.Equal(numbers, second), first, numbers))
    return op.GatherElements(matrix, op.Expand(order, op.Shape(matrix)), axis=-2)


@helper
def ldl_factored(op, matrix):
    """(L and D in one lower triangle, the pivots as LAPACK numbers them, where a pivot is zero)."""
    rows, columns = row_numbers(op, matrix), column_numbers(op, matrix)
    size = op.size(matrix, -1)
    last = op.Squeeze(size - 1, [0])
    lower = lower_part(op, matrix)
    upper = swap_last_axes(op, lower_part(op, matrix, -1))
    zero, one, none = op.constant(0, like=matrix), op.constant(1, like=matrix), op.constant(-1, like=matrix)
    batch = batch_shape(op, matrix)
    of_vectors = op.Concat(batch, op.constant([1]), size, axis=0)
    pivots = op.Expand(op.constant(0), of_vectors)
    is_zero = op.Expand(op.constant([False], "bool"), of_vectors)
    is_second = op.Expand(op.constant([False], "bool"), op.Concat(batch, op.constant([1, 1]), axis=0))

    def step(op, k, rest, factors, pivots, is_zero, is_second):
        here = op.Unsqueeze(k, [0])
        column = op.Gather(rest, here, axis=-1)
        own = op.Abs(op.Gather(column, here, axis=-2))
        candidates = op.Where(rows > k, op.Abs(column), none)
        best = op.ArgMax(candidates, axis=-2, keepdims=1)
        largest = op.Max(op.ReduceMax(candidates, [-2], keepdims=1), zero)
        row = op.GatherElements(rest, op.Expand(best, of_vectors), axis=-2)
        is_other = op.Not((columns < k) | op.Equal(columns, best))
        largest_there = op.ReduceMax(op.Where(is_other, op.Abs(row), none), [-1], keepdims=1)
        own_there = op.Abs(op.GatherElements(row, best, axis=-1))
        # The row stays where its diagonal is large enough, or gives way to another; else both make a block of two.
        bound = ALPHA * largest
        stays = op.Not(own < bound) | op.Not(own < bound * (largest / largest_there))
        is_block = op.Not(stays) & (own_there < ALPHA * largest_there)
        partner = op.Where(stays | is_second, k, best)
        is_pair = is_block & op.Not(is_second)
        place = k + op.cast(is_pair, "int64")
        turned = rows_exchanged(op, rest, rows, place, partner)
        turned = rows_exchanged(op, swap_last_axes(op, turned), rows, place, partner)
        column = op.Gather(turned, here, axis=-1)
        following = op.Gather(turned, op.Unsqueeze(op.Min(k + 1, last), [0]), axis=-1)
        pivot = op.Gather(column, here, axis=-2)
        vanishes = op.Equal(pivot, zero)
        single = column / op.Where(vanishes, one, pivot)
        # The inverse of a block of two, divided by its largest element.
        beside = op.Gather(column, op.Unsqueeze(op.Min(k + 1, last), [0]), axis=-2)
        scale = op.Where(op.Equal(beside, zero), one, beside)
        below = op.Gather(following, op.Unsqueeze(op.Min(k + 1, last), [0]), axis=-2) / scale
        above = pivot / scale
        determinant = below * above - one
        divisor = scale * op.Where(op.Equal(determinant, zero), one, determinant)
        first = op.Where(is_pair, (below * column - following) / divisor, single)
        second = op.Where(is_pair, (above * following - column) / divisor, zero)
        is_left = rows > place
        first, second = op.Where(is_left, first, zero), op.Where(is_left, second, zero)
        reduced = turned - first * swap_last_axes(op, column) - second * swap_last_axes(op, following)
        reduced = op.Where(is_left & (columns > place), reduced, turned)
        is_here, is_next = op.Equal(columns, k), is_pair & op.Equal(columns, k + 1)
        found = op.Where(is_left, first, column)
        found_next = op.Where(is_left, second, following)
        changed = op.Where(is_here & op.Not(rows < k), found, factors)
        changed = op.Where(is_next & (rows > k), found_next, changed)
        number = op.Where(is_pair, -(partner + 1), partner + 1)
        numbered = op.Where(is_here | is_next, number, pivots)
        fails = is_here & vanishes & op.Not(is_block | is_second)
        return (
            op.Where(is_second, rest, reduced),
            op.Where(is_second, factors, changed),
            op.Where(is_second, pivots, numbered),
            is_zero | fails,
            is_pair,
        )

    _, factors, pivots, is_zero, _ = op.loop(size, step, lower + upper, lower, pivots, is_zero, is_second)
    return factors, op.Squeeze(pivots, [-2]), op.Squeeze(is_zero, [-2])


@decomposition("aten::linalg_ldl_factor", ignore={"hermitian": "for real matrices it is the same"})
def linalg_ldl_factor(op, self):
    """L and D in one matrix, and the pivots"""
    factors, pivots, _ = ldl_factored(op, self)
    return factors, op.cast(pivots, "int32")


@decomposition(
    "aten::linalg_ldl_factor_ex",
    ignore={"hermitian": "for real matrices it is the same", "check_errors": "a model cannot raise; info says it"},
)
def linalg_ldl_factor_ex(op, self):
    """L and D in one matrix, the pivots, and the number of the first zero pivot"""
    factors, pivots, is_zero = ldl_factored(op, self)
    return factors, op.cast(pivots, "int32"), first_failure(op, is_zero)


@helper
def through_lower_factor(op, factors, pivots, right):
    """Y in L · D · Y = right, with the rows exchanged on the way; `pivots` have the shape [..., 1, n]."""
    rows, size = row_numbers(op, factors), op.size(factors, -1)
    last = op.Squeeze(size - 1, [0])
    zero, one = op.constant(0, like=factors), op.constant(1, like=factors)
    is_second = op.Not(op.Equal(op.Slice(pivots, [0], [1], [-1]), op.Slice(pivots, [0], [1], [-1])))

    def step(op, k, x, is_second):
        here, behind = op.Unsqueeze(k, [0]), op.Unsqueeze(op.Min(k + 1, last), [0])
        pivot = op.Gather(pivots, here, axis=-1)
        is_pair = (pivot < 0) & op.Not(is_second)
        place = k + op.cast(is_pair, "int64")
        turned = rows_exchanged(op, x, rows, place, op.Abs(pivot) - 1)
        column, following = op.Gather(factors, here, axis=-1), op.Gather(factors, behind, axis=-1)
        own, beyond = op.Gather(turned, here, axis=-2), op.Gather(turned, behind, axis=-2)
        is_left = rows > place
        reduced = turned - op.Where(is_left, column, zero) * own
        reduced = reduced - op.Where(is_left & is_pair, following, zero) * beyond
        pivot_value = op.Gather(column, here, axis=-2)
        scale = op.Where(is_pair, op.Gather(column, behind, axis=-2), one)
        above, below = pivot_value / scale, op.Gather(following, behind, axis=-2) / scale
        divisor = op.Where(is_pair, above * below - one, one) * scale
        found = op.Where(is_pair, (below * own - beyond) / divisor, own / pivot_value)
        found_next = (above * beyond - own) / divisor
        changed = op.Where(op.Equal(rows, k), found, reduced)
        changed = op.Where(is_pair & op.Equal(rows, k + 1), found_next, changed)
        return op.Where(is_second, x, changed), is_pair

    solution, _ = op.loop(size, step, right, is_second)
    return solution


@helper
def through_upper_factor(op, factors, pivots, right):
    """X in Lᵀ · X = right, with the rows exchanged back; `pivots` have the shape [..., 1, n]."""
    rows, size = row_numbers(op, factors), op.size(factors, -1)
    last = op.Squeeze(size - 1, [0])
    zero = op.constant(0, like=factors)
    is_first = op.Not(op.Equal(op.Slice(pivots, [0], [1], [-1]), op.Slice(pivots, [0], [1], [-1])))

    def step(op, i, x, is_first):
        k = last - i
        here, before = op.Unsqueeze(k, [0]), op.Unsqueeze(op.Max(k - 1, 0), [0])
        pivot = op.Gather(pivots, here, axis=-1)
        is_pair = (pivot < 0) & op.Not(is_first)
        is_left = rows > k
        column = op.Where(is_left, op.Gather(factors, here, axis=-1), zero)
        previous = op.Where(is_left & is_pair, op.Gather(factors, before, axis=-1), zero)
        found = x - op.MatMul(swap_last_axes(op, column), x)
        found_before = x - op.MatMul(swap_last_axes(op, previous), x)
        changed = op.Where(op.Equal(rows, k), found, op.Where(op.Equal(rows, k - 1), found_before, x))
        changed = rows_exchanged(op, changed, rows, k, op.Abs(pivot) - 1)
        return op.Where(is_first, x, changed), is_pair

    solution, _ = op.loop(size, step, right, is_first)
    return solution


@decomposition("aten::linalg_ldl_solve", ignore={"hermitian": "for real matrices it is the same"})
def linalg_ldl_solve(op, LD, pivots, B):
    """X in A · X = B from the factors of A"""
    if op.static_numel(B) == 0:
        return op.Identity(B)
    factors, right = like_batch_of(op, LD, B), like_batch_of(op, B, LD)
    numbers = like_batch_of(op, op.Unsqueeze(op.cast(pivots, "int64"), [-2]), B)
    return through_upper_factor(op, factors, numbers, through_lower_factor(op, factors, numbers, right))
