"""Counts: how often each whole number, or a number of each bin, occurs."""

from symgen.match.decompositions.differences import as_single, differences
from symgen.match.decompositions.places import part_of
from symgen.match.language import Values, decomposition, helper, torch


@helper
def tallied(op, places, weights, count):
    """For each of `count` places the sum of the weights that fall on it; `count` has the shape [1]."""
    if op.opset >= 16:
        zeros = op.ConstantOfShape(count, value=torch.tensor([0], dtype=op.dtype(weights)))
        return op.ScatterElements(zeros, places, weights, axis=0, reduction="add")
    all_places = op.Unsqueeze(op.Range(0, op.Squeeze(count, [0]), 1), [1])
    falls_here = op.Equal(all_places, places)
    return op.ReduceSum(op.Where(falls_here, weights, op.constant(0, like=weights)), [1], keepdims=0)


@decomposition("aten::bincount", values=("minlength",))
def bincount(op, self, weights, minlength):
    """How often each whole number occurs, or the sum of its weights."""
    places = op.cast(self, "int64")
    count = op.ReduceMax(op.Concat(places, op.ints(minlength) - 1, axis=0), keepdims=1) + 1
    if weights is None or op.static_numel(self) == 0:
        return tallied(op, places, op.Expand(op.constant(1), op.Shape(places)), count)
    if op.dtype(weights) != torch.float32:
        weights = op.cast(weights, "float64")
    return tallied(op, places, weights, count)


@decomposition("aten::histc")
def histc(op, self, bins, min, max):
    """How many elements lie in each of some bins of one width; without bounds from the smallest to the largest one."""
    if op.static_numel(self) == 0:
        return op.constant([0] * bins, like=self)
    elements = op.Reshape(self, [-1])
    x = op.cast(elements, "float32") if op.dtype(self) in (torch.float16, torch.bfloat16) else elements
    if min != max:
        low, high = op.constant([float(min)], like=x), op.constant([float(max)], like=x)
    else:
        low, high = op.ReduceMin(x, keepdims=1), op.ReduceMax(x, keepdims=1)
        is_one_value = op.cast(op.Equal(low, high), like=x)
        low, high = low - is_one_value, high + is_one_value
    is_inside = op.Not((x < low) | (x > high) | op.IsNaN(x))
    position = op.Where(is_inside, (x - low) * float(bins) / (high - low), op.constant(0.0, like=x))
    # The last bin holds its upper bound, too.
    places = op.cast(op.Min(op.Floor(position), float(bins - 1)), "int64")
    return op.cast(tallied(op, places, op.cast(is_inside, like=x), op.constant([bins])), like=self)


@helper
def bin_edges(op, x, bins: int, bounds: list[float] | None):
    """The edges of bins of one width; without bounds from the smallest to the largest element."""
    if bounds is not None:
        wider = 0.5 if bounds[0] == bounds[1] else 0.0
        edges = torch.linspace(bounds[0] - wider, bounds[1] + wider, bins + 1, dtype=op.dtype(x))
        return op.constant(edges.tolist(), like=x)
    low, high = op.ReduceMin(x, keepdims=1), op.ReduceMax(x, keepdims=1)
    if op.static_numel(x) is None:
        is_empty = op.Equal(op.Size(x), 0)
        low = op.Where(is_empty, op.constant(0.0, like=low), low)
        high = op.Where(is_empty, op.constant(1.0, like=high), high)
    wider = 0.5 * op.cast(op.Equal(low, high), like=x)
    low, high = low - wider, high + wider
    step = (high - low) / float(bins)
    # Counted from the nearer end, as torch.linspace does.
    from_low = low + step * op.constant(list(range(bins + 1)), like=x)
    from_high = high - step * op.constant(list(range(bins, -1, -1)), like=x)
    is_low = op.constant([2 * k < bins + 1 - (bins + 1) % 2 for k in range(bins + 1)], "bool")
    return op.Where(is_low, from_low, from_high)


@helper
def bin_of(op, x, edges, last):
    """The bin in which each element lies, and whether it lies in any; `last` is the number of the last bin."""
    first_edge, last_edge = part_of(op, edges, 0, 0, 1), part_of(op, edges, 0, -1, None)
    is_reached = op.Not(edges > op.Unsqueeze(x, [1]))
    place = op.ReduceSum(op.cast(is_reached, "int64"), [1], keepdims=0) - 1
    is_inside = op.Not((x < first_edge) | (x > last_edge) | op.IsNaN(x))
    # The last bin holds its upper edge, too.
    return op.Where(is_inside, op.Where(place > last, last, place), op.constant(0)), is_inside


@helper
def weights_inside(op, weight, is_inside, x):
    """The weight of each element, or 1; 0 for those that lie in no bin, also where their weight is no number."""
    if weight is None:
        return op.cast(is_inside, like=x)
    weights = as_single(op, op.Reshape(weight, [-1]))
    return op.Where(is_inside, weights, op.constant(0.0, like=weights))


@decomposition("aten::histogram")
def histogram(op, self, *args):
    """How many elements, or the sum of their weights, lie in each bin, and the bins' edges."""
    x = as_single(op, op.Reshape(self, [-1]))
    weight, density = args[-2], op.known(args[-1])
    if len(args) == 3:
        edges = as_single(op, args[0])
    else:
        bounds = [0.0, 1.0] if op.static_numel(self) == 0 else None
        edges = bin_edges(op, x, op.told(args[0], "histogram: bins"), op.told(args[1], "histogram: range") or bounds)
    count = op.size(edges, 0) - 1
    place, is_inside = bin_of(op, x, edges, count - 1)
    weights = weights_inside(op, weight, is_inside, x)
    counts = tallied(op, place, weights, count)
    return op.cast(per_width(op, counts, [edges], bool(density)), like=self), op.cast(edges, like=self)


@helper
def per_width(op, counts, edges: Values, density: bool):
    """The counts, or with `density` their share of all, divided by the extent of their bin."""
    if not density:
        return counts
    counts = counts / op.ReduceSum(counts, keepdims=1)
    for axis, edge in enumerate(edges):
        width = differences(op, edge, 0)
        counts = counts / (op.Unsqueeze(width, list(range(1, len(edges) - axis))) if axis < len(edges) - 1 else width)
    return counts


@helper
def columns_of(op, points, dimensions: int) -> Values:
    """The coordinates of points, axis by axis."""
    rows = as_single(op, op.Reshape(points, [-1, dimensions]))
    return [op.Gather(rows, op.constant(k), axis=1) for k in range(dimensions)]


@helper
def grid_edges(op, points, bins: list[int], bounds: list[float] | None) -> Values:
    """The edges of a grid of boxes along each axis; without bounds from the smallest to the largest coordinate."""
    columns = columns_of(op, points, len(bins))
    known = [0.0, 1.0] * len(columns) if bounds is None and op.static_numel(points) == 0 else bounds
    limits = [None if known is None else known[2 * k : 2 * k + 2] for k in range(len(columns))]
    return [op.cast(bin_edges(op, column, bins[k], limits[k]), like=points) for k, column in enumerate(columns)]


@helper
def counts_in_grid(op, points, edges: Values, weight, density: bool):
    """How many points, or the sum of their weights, lie in each box of a grid."""
    columns = columns_of(op, points, len(edges))
    counts = [op.size(edge, 0) - 1 for edge in edges]
    limits = [as_single(op, edge) for edge in edges]
    place, is_inside = bin_of(op, columns[0], limits[0], counts[0] - 1)
    for k in range(1, len(columns)):
        next_place, is_next_inside = bin_of(op, columns[k], limits[k], counts[k] - 1)
        place, is_inside = place * counts[k] + next_place, is_inside & is_next_inside
    weights = weights_inside(op, weight, is_inside, columns[0])
    sizes = op.ints(counts)
    found = op.Reshape(tallied(op, place, weights, op.ReduceProd(sizes, keepdims=1)), sizes)
    return op.cast(per_width(op, found, limits, density), like=points)


@decomposition("aten::histogramdd")
def histogramdd(op, self, *args):
    """How many points, or the sum of their weights, lie in each box of a grid, and the grid's edges along each axis."""
    bins = op.known(args[0])
    if isinstance(bins, int):
        dimensions = op.static_size(self, op.rank(self) - 1)
        if dimensions is None:
            op.fail("histogramdd: with one number of bins, how many coordinates a point has must be known", self)
        bins = [bins] * dimensions
    # Edges may be constant, too: then each is a list.
    if bins is not None and all(isinstance(count, int) for count in bins):
        edges = grid_edges(op, self, bins, op.known(args[1]))
    else:
        edges = [op.Identity(edge) for edge in op.items(args[0])]
    return counts_in_grid(op, self, edges, args[2], bool(op.known(args[3]))), op.list(edges)


@decomposition(
    "aten::_histogramdd_bin_edges",
    ignore={"weight": "the edges do not depend on it", "density": "the edges do not depend on it"},
    returns_list=True,
    since=11,
)
def _histogramdd_bin_edges(op, self, bins, range):
    """The edges of a grid of boxes along each axis."""
    return op.list(grid_edges(op, self, bins, range))


@decomposition("aten::_histogramdd_from_bin_cts")
def _histogramdd_from_bin_cts(op, self, bins, range, weight, density):
    """How many points, or the sum of their weights, lie in each box of a grid of so many boxes."""
    return counts_in_grid(op, self, grid_edges(op, self, bins, range), weight, density)


@decomposition("aten::_histogramdd_from_bin_tensors")
def _histogramdd_from_bin_tensors(op, self, bins, weight, density):
    """How many points, or the sum of their weights, lie in each box of a grid with given edges."""
    return counts_in_grid(op, self, bins, weight, density)
