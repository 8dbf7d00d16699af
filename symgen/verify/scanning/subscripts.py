"""What the exporter forgets of `x[1:][mask] = v`.

It makes one subscript of all the slices and selections that a write goes through and of the write's own indices, axis
by axis from the first (`MergeSliceAndSelectToIndices` in torch's `pattern_conversion.cpp`). That is right for what was
one subscript in the model. An index of an axis that is sliced already is forgotten, as is one behind a mask of several
axes, which counts as one; and slices that are not in the order of the axes make the exporter fail, or drop the write.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

FOLLOWED = frozenset({"aten::slice", "aten::select"})
"""The views that the exporter makes indices of."""
_MASKS = frozenset({"Bool", "Byte"})


def forgotten(write: Any) -> str:
    """What is forgotten of a write: `mask`, `index`, `order` where the slices are in none, or nothing."""
    views = _views(write)
    indices = list(write.inputsAt(1).node().inputs()) if write.kind() == "aten::index_put_" else []
    if not views:
        return ""
    merged = _merged(views, len(indices))
    if merged is None:
        return "order"
    lost = [index for place, index in enumerate(indices) if place not in merged and not index.node().mustBeNone()]
    if not lost:
        return ""
    return "mask" if all(index.type().scalarType() in _MASKS for index in lost) else "index"


def _views(write: Any) -> list[Any]:
    """The slices and selections that a write goes through, the first one first."""
    views = []
    node = write.inputsAt(0).node()
    while node.kind() in FOLLOWED:
        views.append(node)
        node = node.inputsAt(0).node()
    return views[::-1]


def _merged(views: Sequence[Any], indices: int) -> set[int] | None:
    """The places of the write's own indices that find an axis; None where the views are not in the axes' order."""
    merged: set[int] = set()
    axis = selected = 0
    for view in views:
        dim, rank = view.inputsAt(1).toIValue(), view.inputsAt(0).type().dim()
        if dim is None or (dim < 0 and rank is None):
            return set(range(indices))  # known in no trace: the benefit of the doubt
        viewed = (dim + rank if dim < 0 else dim) + selected
        merged |= set(range(axis - selected, viewed - selected))
        if axis > viewed:
            return None
        axis = viewed + 1
        selected += view.kind() == "aten::select"
    return merged | set(range(axis - selected, indices))
