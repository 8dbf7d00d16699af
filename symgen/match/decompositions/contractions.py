"""Sums over pairs of axes of two tensors."""

import math

from symgen.match.decompositions.places import with_shape
from symgen.match.decompositions.reductions import summed_exactly, without
from symgen.match.language import Values, decomposition, helper


@helper
def as_matrix(op, x, count: int):
    """The first `count` axes as the rows, the others as the columns."""
    sizes = [op.static_size(x, axis) for axis in range(op.rank(x))]
    if None in sizes:
        return op.Flatten(x, axis=count)
    return op.Reshape(x, [math.prod(sizes[:count]), math.prod(sizes[count:])])


@helper
def with_like_ellipses(op, tensors: Values, terms: list[str]) -> Values:
    """The tensors with as many axes for "..." in each term as in any other, new ones of length 1."""
    spare = [op.rank(x) - len(term.replace("...", "")) for x, term in zip(tensors, terms, strict=True)]
    widest = max(spare)
    longer = []
    for x, term, own in zip(tensors, terms, spare, strict=True):
        place = term.find("...")
        longer.append(x if place < 0 or own == widest else op.Unsqueeze(x, list(range(place, place + widest - own))))
    return longer


@helper
def axis_of_letter(op, letter: str, x, term: str) -> int:
    """Which axis of a tensor a letter stands for."""
    place = term.find(letter)
    return op.rank(x) - len(term) + place if "..." in term[:place] else place


@helper
def lengths_of_letter(op, letter: str, tensors: Values, terms: list[str]) -> list[int | None]:
    """The length of a letter's axis in each tensor that has it; None where only the model knows it."""
    return [
        op.static_size(x, axis_of_letter(op, letter, x, term))
        for x, term in zip(tensors, terms, strict=True)
        if letter in term
    ]


@helper
def is_summed_alone(op, letter: str, tensors: Values, terms: list[str]) -> bool:
    """Whether torch sums one tensor along an axis before it multiplies: no other has it, or one of length 1."""
    lengths = lengths_of_letter(op, letter, tensors, terms)
    if len(lengths) == 1:
        return len(terms) == 1 or lengths != [1]
    return 1 in lengths and any(length != 1 for length in lengths)


@helper
def summed_along(op, letters: list[str], x, term: str):
    """The sum of a tensor over the axes of those letters, which stay with length 1."""
    axes = [axis_of_letter(op, letter, x, term) for letter in letters if term.count(letter) == 1]
    return summed_exactly(op, x, [axis for axis in axes if op.static_size(x, axis) != 1])


@decomposition("aten::einsum", promote=("tensors",), ignore={"path": "it only orders the products"})
def einsum(op, equation, tensors):
    """The sum of products that the letters of the axes say."""
    left, arrow, result = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    factors = with_like_ellipses(op, tensors, terms)
    letters = [letter for letter in left if letter.isalpha()]
    once = "".join(sorted([letter for letter in letters if letters.count(letter) == 1]))
    shown = result if arrow else ("..." if "..." in left else "") + once
    added, spare = 0, [op.rank(x) - len(term) + 3 for x, term in zip(factors, terms, strict=True) if "..." in term]
    if spare and "..." not in shown:
        added, shown = spare[0], f"...{shown}"
    # Whole numbers are summed in int64 along the axes of one tensor alone, where sums of products keep their dtype.
    alone, single = [], []
    if not op.dtype(tensors[0]).is_floating_point:
        gone = [letter for letter in sorted(set(letters)) if letter not in shown]
        alone = [letter for letter in gone if is_summed_alone(op, letter, factors, terms)]
        one = [letter for letter in gone if lengths_of_letter(op, letter, factors, terms) == [1]]
        single = [letter for letter in one if letter not in alone]
        if alone or (added and len(spare) == 1):
            # Before and after Einsum, since the runtime's own sums lose digits of large numbers.
            wide = [op.cast(x, "int64") for x in factors]
            factors = [summed_along(op, alone, x, term) for x, term in zip(wide, terms, strict=True)]
    last = [*alone, *single]
    product = op.Einsum(*factors, equation=f"{left}->{shown}{''.join(last)}")
    if not added and not last:
        return product
    first = op.rank(product) - len(last)
    diagonal = [place for place, letter in enumerate(alone) if any(term.count(letter) > 1 for term in terms)]
    summed = [*range(added), *[first + place for place in diagonal]]
    total = summed_exactly(op, product, summed) if summed else product
    return without(op, total, [*range(added), *range(first, first + len(last))], False)


@helper
def as_long_along(op, x, axis: int, length):
    """The tensor with its elements repeated along an axis of length 1, where the other length is not 1."""
    return op.Expand(x, op.ints([length if other == axis else 1 for other in range(op.rank(x))]))


# Below opset 10 an empty tensor has no Reshape to sizes that are not known.
@decomposition("aten::tensordot", promote=("self", "other"), since=10)
def tensordot(op, self, other, dims_self, dims_other):
    """The sum over pairs of axes, as a product of two matrices; what is left of the axes keeps its order"""
    summed = [dim % op.rank(self) for dim in dims_self]
    other_summed = [dim % op.rank(other) for dim in dims_other]
    kept = [axis for axis in range(op.rank(self)) if axis not in summed]
    other_kept = [axis for axis in range(op.rank(other)) if axis not in other_summed]
    sizes = [op.size(self, axis) for axis in kept] + [op.size(other, axis) for axis in other_kept]
    lengths = [op.static_size(self, axis) for axis in range(op.rank(self))]
    if 0 in lengths or 0 in [op.static_size(other, axis) for axis in range(op.rank(other))]:
        return op.Expand(op.constant(0, like=self), op.ints(sizes))
    left, right = self, other
    for axis, other_axis in zip(summed, other_summed, strict=True):
        # An axis of length 1 goes with one of any length.
        if op.static_size(right, other_axis) == 1:
            left = summed_exactly(op, left, [axis])
        elif op.static_size(left, axis) == 1:
            right = summed_exactly(op, right, [other_axis])
        elif op.static_size(left, axis) is None or op.static_size(right, other_axis) is None:
            length, other_length = op.size(left, axis), op.size(right, other_axis)
            left = as_long_along(op, left, axis, other_length)
            right = as_long_along(op, right, other_axis, length)
    rows = as_matrix(op, op.Transpose(left, perm=[*kept, *summed]), len(kept))
    columns = as_matrix(op, op.Transpose(right, perm=[*other_summed, *other_kept]), len(other_summed))
    product = rows @ columns
    return with_shape(op, product, op.ints(sizes), len(sizes)) if sizes else op.Squeeze(product, [0, 1])
