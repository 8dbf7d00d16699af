"""Puts the nodes of an acyclic graph into layers, with few crossings, so that every edge runs down."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

_SWEEPS = 6
_BETWEEN, _LAYER_GAP, _BEND_WIDTH = 22.0, 46.0, 10.0

Point = tuple[float, float]
Size = tuple[float, float]


@dataclass(frozen=True)
class Layout:
    """Where nodes have their middle, and the points that each edge runs through, from one box's edge to the other's."""

    width: float
    height: float
    places: tuple[Point, ...]
    paths: tuple[tuple[Point, ...], ...]


def lay_out(sizes: Sequence[Size], edges: Sequence[tuple[int, int]]) -> Layout:
    """The layout of a graph in which every edge leads from a lower number to a higher.

    An edge that spans layers bends at a small node of its own in each of them.
    """
    layer = [0] * len(sizes)
    for source, target in sorted(edges, key=lambda edge: edge[1]):
        layer[target] = max(layer[target], layer[source] + 1)
    for source in sorted({source for source, _ in edges}, reverse=True):
        # A node that nothing comes into stands right above the first that takes it.
        if not any(target == source for _, target in edges):
            layer[source] = min(layer[target] for one, target in edges if one == source) - 1
    widths, heights = [width for width, _ in sizes], [height for _, height in sizes]
    chains = []
    for source, target in edges:
        bends = list(range(len(layer), len(layer) + layer[target] - layer[source] - 1))
        layer += range(layer[source] + 1, layer[target])
        widths += [_BEND_WIDTH] * len(bends)
        heights += [0.0] * len(bends)
        chains.append((source, *bends, target))
    layers: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
    for node, number in enumerate(layer):
        layers[number].append(node)
    links = [pair for chain in chains for pair in itertools.pairwise(chain)]
    _uncross(layers, links, len(layer))
    xs = _columns(layers, links, widths)
    tops, height = [], 0.0
    for nodes in layers:
        tops.append(height)
        height += max(heights[node] for node in nodes) + _LAYER_GAP
    tall = [max(heights[node] for node in nodes) for nodes in layers]
    ys = [tops[number] + tall[number] / 2 for number in layer]
    left = min((x - width / 2 for x, width in zip(xs, widths, strict=True)), default=0.0)
    right = max((x + width / 2 for x, width in zip(xs, widths, strict=True)), default=0.0)
    xs = [x - left for x in xs]

    def path(chain: Sequence[int]) -> tuple[Point, ...]:
        first, *bends, last = chain
        start, end = (xs[first], ys[first] + heights[first] / 2), (xs[last], ys[last] - heights[last] / 2)
        return (start, *((xs[bend], ys[bend]) for bend in bends), end)

    places = tuple(zip(xs[: len(sizes)], ys[: len(sizes)], strict=True))
    return Layout(right - left, max(height - _LAYER_GAP, 0.0), places, tuple(map(path, chains)))


def _uncross(layers: list[list[int]], links: Sequence[tuple[int, int]], count: int) -> None:
    """Orders each layer by where its neighbours stand, downwards and upwards in turn."""
    above: list[list[int]] = [[] for _ in range(count)]
    below: list[list[int]] = [[] for _ in range(count)]
    for source, target in links:
        above[target].append(source)
        below[source].append(target)
    place = {node: number for nodes in layers for number, node in enumerate(nodes)}
    for sweep in range(_SWEEPS):
        neighbours = below if sweep % 2 else above
        for nodes in reversed(layers) if sweep % 2 else layers:
            nodes.sort(key=lambda node: _mean([place[one] for one in neighbours[node]], place[node]))
            place.update((node, number) for number, node in enumerate(nodes))


def _columns(layers: Sequence[Sequence[int]], links: Sequence[tuple[int, int]], widths: Sequence[float]) -> list[float]:
    """The middles: as near to the neighbours' as the widths in a layer let them."""
    xs = [0.0] * len(widths)
    for nodes in layers:
        _pack(nodes, xs, widths)
    neighbours: list[list[int]] = [[] for _ in widths]
    for source, target in links:
        neighbours[source].append(target)
        neighbours[target].append(source)
    for _ in range(_SWEEPS):
        for nodes in layers:
            for node in nodes:
                xs[node] = _mean([xs[one] for one in neighbours[node]], xs[node])
            _pack(nodes, xs, widths)
    return xs


def _pack(nodes: Sequence[int], xs: list[float], widths: Sequence[float]) -> None:
    """Pushes the nodes of a layer apart until none overlap; the layer as a whole stays where it was."""
    before = _mean([xs[node] for node in nodes], 0.0)
    for left, right in itertools.pairwise(nodes):
        xs[right] = max(xs[right], xs[left] + (widths[left] + widths[right]) / 2 + _BETWEEN)
    shift = _mean([xs[node] for node in nodes], 0.0) - before
    for node in nodes:
        xs[node] -= shift


def _mean(values: Sequence[float], default: float) -> float:
    return sum(values) / len(values) if values else default
