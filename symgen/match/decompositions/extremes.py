"""The largest and smallest elements, and where they stand. A nan is both, as torch has it."""

import math

from symgen.match.decompositions.places import chosen
from symgen.match.decompositions.reductions import any_over, axes_of
from symgen.match.decompositions.sorting import extremes
from symgen.match.language import decomposition, helper, torch


@helper
def comparable(op, x):
    """The tensor in a dtype that every operator compares."""
    return op.cast(x, "int32") if op.dtype(x) in (torch.bool, torch.uint8, torch.int8, torch.int16) else x


@helper
def extreme_over(op, self, axes: list[int], keepdim: bool, sign: int):
    """The largest (1) or smallest (-1) element over some axes."""
    if not axes:
        return op.Identity(self)
    x = comparable(op, self)
    found = op.ReduceMax(x, axes, keepdims=int(keepdim)) if sign > 0 else op.ReduceMin(x, axes, keepdims=int(keepdim))
    if op.dtype(x).is_floating_point:
        # ONNX Runtime passes over a nan at times.
        has_nan = any_over(op, op.IsNaN(x), axes, keepdim)
        found = chosen(op, has_nan, op.constant(math.nan, dtype=op.dtype(x)), found)
    return op.cast(found, like=self)


@helper
def first_extreme(op, self, axis: int, keepdim: bool, sign: int):
    """The largest (1) or smallest (-1) element along an axis, and the first place where it stands."""
    x = comparable(op, self)
    turns = sign < 0 and op.dtype(x).is_floating_point
    # TopK takes nan for the largest.
    values, places = extremes(op, -x if turns else x, op.constant([1]), axis, sign > 0 or turns)
    values = op.cast(-values if turns else values, like=self)
    return (values, places) if keepdim else (op.Squeeze(values, [axis]), op.Squeeze(places, [axis]))


@helper
def extreme_of_two(op, first, second, sign: int):
    """The larger (1) or smaller (-1) of two tensors element by element."""
    dtype = op.common_dtype(first, second)
    is_number = op.rank(first) == 0 and op.rank(second) == 0
    a, b = comparable(op, op.cast(first, dtype)), comparable(op, op.cast(second, dtype))
    if is_number:
        a, b = op.Unsqueeze(a, [0]), op.Unsqueeze(b, [0])
    found = op.cast(op.Max(a, b) if sign > 0 else op.Min(a, b), dtype)
    return op.Squeeze(found, [0]) if is_number else found


@helper
def place_of_extreme(op, x, dim: int | None, keepdim: bool, sign: int):
    """The first place of the largest (1) or smallest (-1) element along an axis, or of all."""
    rank = op.rank(x)
    if rank == 0:
        return op.constant(0)
    if dim is None:
        _, place = first_extreme(op, op.Reshape(x, [-1]), 0, keepdim, sign)
        return op.Unsqueeze(place, list(range(1, rank))) if keepdim and rank > 1 else place
    _, place = first_extreme(op, x, dim % rank, keepdim, sign)
    return place


@decomposition("aten::amax")
def amax(op, self, dim, keepdim):
    """The largest element, over some axes or of all."""
    return extreme_over(op, self, axes_of(op, self, dim), keepdim, 1)


@decomposition("aten::amin")
def amin(op, self, dim, keepdim):
    """The smallest element, over some axes or of all."""
    return extreme_over(op, self, axes_of(op, self, dim), keepdim, -1)


@decomposition("aten::aminmax")
def aminmax(op, self, dim, keepdim):
    """The smallest and the largest element, along an axis or of all."""
    axes = axes_of(op, self, dim)
    return extreme_over(op, self, axes, keepdim, -1), extreme_over(op, self, axes, keepdim, 1)


@decomposition("aten::argmax")
def argmax(op, self, dim, keepdim):
    """The first place of the largest element, along an axis or of all."""
    return place_of_extreme(op, self, dim, keepdim, 1)


@decomposition("aten::argmin")
def argmin(op, self, dim, keepdim):
    """The first place of the smallest element, along an axis or of all."""
    return place_of_extreme(op, self, dim, keepdim, -1)


@decomposition("aten::max")
def max(op, self, *args):
    """The largest element; along an axis, and where it stands; or the larger of two tensors, element by element."""
    if len(args) == 1:
        return extreme_of_two(op, self, args[0], 1)
    if not args:
        return extreme_over(op, self, axes_of(op, self, None), False, 1)
    if op.rank(self) == 0:
        return op.Identity(self), op.constant(0)
    return first_extreme(op, self, op.told(args[0], "dim") % op.rank(self), bool(op.told(args[1], "keepdim")), 1)


@decomposition("aten::min")
def min(op, self, *args):
    """The smallest element; along an axis, and where it stands; or the smaller of two tensors, element by element."""
    if len(args) == 1:
        return extreme_of_two(op, self, args[0], -1)
    if not args:
        return extreme_over(op, self, axes_of(op, self, None), False, -1)
    if op.rank(self) == 0:
        return op.Identity(self), op.constant(0)
    return first_extreme(op, self, op.told(args[0], "dim") % op.rank(self), bool(op.told(args[1], "keepdim")), -1)


@decomposition("aten::_aminmax", promote=("self",))
def _aminmax(op, self, dim, keepdim):
    """The smallest and the largest element, along an axis or of all."""
    axes = axes_of(op, self, dim)
    return extreme_over(op, self, axes, bool(keepdim), -1), extreme_over(op, self, axes, bool(keepdim), 1)
