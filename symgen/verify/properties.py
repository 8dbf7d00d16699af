"""Operators whose result is free up to order, sign or chance: the property that defines a right one.

A property is asked only where shapes and dtypes agree and values differ. It gives "" where the result is right all the
same, else what is wrong with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch

Property = Callable[[Sequence[torch.Tensor], Sequence[torch.Tensor], Sequence[torch.Tensor]], str]
"""Takes the inputs, what eager torch gave, and what the model gave."""


def anything(inputs: Sequence[torch.Tensor], expected: Sequence[torch.Tensor], got: Sequence[torch.Tensor]) -> str:
    """Shape and dtype are all that is promised (`empty`)."""
    return ""


def same_distribution(
    inputs: Sequence[torch.Tensor], expected: Sequence[torch.Tensor], got: Sequence[torch.Tensor]
) -> str:
    """Two samples of one distribution: Kolmogorov and Smirnov's statistic, for samples large enough to tell.

    The bound is exceeded by chance once in a million times (Smirnov's approximation, c = 2.7).
    """
    for e, g in zip(expected, got, strict=True):
        # Between nan no search finds its way.
        first, second = (_ordered(x).double().reshape(-1).sort().values for x in (e, g))
        if e.numel() < 500:
            continue
        points = torch.cat([first, second])
        steps = (torch.searchsorted(s, points, right=True) / len(s) for s in (first, second))
        distance = float((next(steps) - next(steps)).abs().max())
        if distance > 2.7 * (2 / e.numel()) ** 0.5:
            return f"another distribution: the distance of Kolmogorov and Smirnov is {distance:.3f}"
    return ""


def same_up_to_sign(
    inputs: Sequence[torch.Tensor], expected: Sequence[torch.Tensor], got: Sequence[torch.Tensor]
) -> str:
    """Columns are free up to their sign."""
    for place, (e, g) in enumerate(zip(expected, got, strict=True)):
        aligned = g * torch.where((e * g).sum(-2, keepdim=True) < 0, -1.0, 1.0).to(g.dtype) if e.dim() >= 2 else g
        if not torch.allclose(aligned, e, rtol=1e-3, atol=1e-4, equal_nan=True):
            return f"output {place} differs by more than the signs of its columns"
    return ""


def eigenvectors(inputs: Sequence[torch.Tensor], expected: Sequence[torch.Tensor], got: Sequence[torch.Tensor]) -> str:
    """A basis of eigenvectors, whichever: orthonormal, the same eigenvalues, and torch's own matrix made of them."""
    values, vectors = got
    matrix = expected[1] @ torch.diag_embed(expected[0]) @ expected[1].mT
    made = vectors @ torch.diag_embed(values) @ vectors.mT
    return _differs(values, expected[0], expected[0]) or _differs(made, matrix, expected[0]) or _is_skew(vectors)


def singular_vectors(
    inputs: Sequence[torch.Tensor], expected: Sequence[torch.Tensor], got: Sequence[torch.Tensor]
) -> str:
    """Bases of singular vectors, whichever: orthonormal, the same singular values, and the matrix made of them.

    The last result holds the right vectors as rows or as columns; what the matrix is made of tells.
    """
    left, values, right = got
    matrix, count = inputs[0], values.shape[-1]
    complaints = []
    for rows in (right, right.mT):
        if rows.shape[-1] == matrix.shape[-1]:
            made = left[..., :count] * values.unsqueeze(-2) @ rows[..., :count, :]
            complaints.append(_differs(made, matrix, values) or _is_skew(left) or _is_skew(rows.mT))
    return _differs(values, expected[1], values) or min(complaints, key=len)


def _differs(got: torch.Tensor, expected: torch.Tensor, spectrum: torch.Tensor) -> str:
    """How far apart two tensors are, in eps of the largest singular value; "" up to a hundred of them."""
    if not got.numel():
        return ""
    scale = float(spectrum.abs().max()) * torch.finfo(got.dtype).eps
    distance = float((got - expected).abs().max())
    return "" if distance <= 100 * scale else f"{distance / scale:.0f} eps of the norm apart"


def _is_skew(vectors: torch.Tensor) -> str:
    """How far columns are from orthonormal; "" where they are."""
    if not vectors.numel():
        return ""
    product = vectors.mT @ vectors
    return _differs(product, torch.eye(product.shape[-1], dtype=product.dtype), torch.ones(1))


def equal_values_there(
    inputs: Sequence[torch.Tensor], expected: Sequence[torch.Tensor], got: Sequence[torch.Tensor]
) -> str:
    """(values, indices) along an axis: the values agree, and stand at the indices in the input; ties are free.

    Where torch's own values are in no order, as `topk(sorted=False)` leaves them, their order is free too.
    """
    if len(got) == 1:
        return "the values differ"
    source = inputs[0].reshape(1) if inputs[0].dim() == 0 else inputs[0]
    complaints = [
        _differs_along(dim, source, expected, got)
        for dim in range(source.dim())
        if _fits_along(dim, source, got[0]) and source.shape[dim]
    ]
    return min(complaints, key=len, default="no axis of the input has results of this shape")


def _ordered(x: torch.Tensor) -> torch.Tensor:
    """The tensor with a number in place of nan, which equals none, so that all elements compare."""
    return x.double().nan_to_num(9e9, math.inf, -math.inf) if x.is_floating_point() else x


def _along(dim: int, source: torch.Tensor, result: torch.Tensor) -> torch.Tensor:
    """A result with the axis along which it was found as its last; of length 1 where it was not kept."""
    return (result if result.dim() == source.dim() else result.unsqueeze(dim)).movedim(dim, -1)


def _fits_along(dim: int, source: torch.Tensor, result: torch.Tensor) -> bool:
    """Whether a result can have been found along this axis: the other sizes are the input's."""
    if result.dim() not in (source.dim(), source.dim() - 1):
        return False
    return _along(dim, source, result).shape[:-1] == source.movedim(dim, -1).shape[:-1]


def _differs_along(
    dim: int, source: torch.Tensor, expected: Sequence[torch.Tensor], got: Sequence[torch.Tensor]
) -> str:
    """What is wrong with (values, indices) that were found along an axis."""
    lanes, indices = _ordered(source).movedim(dim, -1), _along(dim, source, got[-1])
    values, right = (_ordered(_along(dim, source, result[0])) for result in (got, expected))
    if bool(((indices < 0) | (indices >= lanes.shape[-1])).any()):
        return "an index is out of range"
    if not torch.equal(lanes.gather(-1, indices), values):
        return "an index points at another value"
    if bool((indices.sort(-1).values.diff(dim=-1) == 0).any()):
        return "an index stands there twice"
    ordered = right.sort(-1).values
    is_ordered = torch.equal(right, ordered) or torch.equal(right, ordered.flip(-1))
    same = torch.equal(values, right) if is_ordered else torch.equal(values.sort(-1).values, ordered)
    return "" if same else "the values differ"


def same_elements(inputs: Sequence[torch.Tensor], expected: Sequence[torch.Tensor], got: Sequence[torch.Tensor]) -> str:
    """(elements, places, counts): the elements are the same in any order, and so is what the others say of each."""
    flat = [x[0].reshape(x[0].shape[0], -1) if x[0].dim() > 1 else x[0].reshape(-1, 1) for x in (expected, got)]
    orders = [[place for _, place in sorted(zip(x.tolist(), range(len(x)), strict=True))] for x in flat]
    if not torch.equal(_ordered(flat[0][orders[0]]), _ordered(flat[1][orders[1]])):
        return "other elements"
    ranks = [torch.tensor(order).argsort() for order in orders]
    if len(got) > 1 and got[1].numel() and not torch.equal(ranks[0][expected[1]], ranks[1][got[1]]):
        return "the places point at other elements"
    if len(got) > 2 and got[2].numel() and not torch.equal(expected[2][orders[0]], got[2][orders[1]]):
        return "other counts"
    return ""
