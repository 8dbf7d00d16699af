"""Draws the graph of a plan as SVG: one file that stands alone, or a part of a page that has the colours."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from symgen.render.environment import template_environment
from symgen.render.layered_layout import Point, lay_out
from symgen.render.plan_graph import Graph, Node, NodeKind

_TEMPLATE = "coverage/plan.svg.jinja"
_MARGIN = 12.0
_ROUND = frozenset({NodeKind.INPUT, NodeKind.RESULT})


def draw_graph(graph: Graph, title: str, *, styled: bool = True, own_templates: Path | None = None) -> str:
    """The drawing; without its own style it takes the page's."""
    sizes = [_size(node) for node in graph.nodes]
    layout = lay_out(sizes, [(edge.source, edge.target) for edge in graph.edges])
    nodes = [_box(node, size, place) for node, size, place in zip(graph.nodes, sizes, layout.places, strict=True)]
    edges = [_line(path, edge.label) for path, edge in zip(layout.paths, graph.edges, strict=True)]
    return (
        template_environment(own_templates)
        .get_template(_TEMPLATE)
        .render(
            title=_printable(title),
            width=_number(layout.width + 2 * _MARGIN),
            height=_number(layout.height + 2 * _MARGIN),
            nodes=nodes,
            edges=edges,
            styled=styled,
            marker="arrow",
        )
    )


def _size(node: Node) -> tuple[float, float]:
    """Room for the text, by an estimate of its width."""
    width = max(8.0 * len(node.title), 6.4 * len(node.detail), 24.0) + 20
    return width, 42.0 if node.detail else 28.0


def _box(node: Node, size: tuple[float, float], place: Point) -> dict[str, str]:
    width, height = size
    x, y = place[0] + _MARGIN, place[1] + _MARGIN
    return {
        "kind": node.kind,
        "title": _printable(node.title),
        "detail": _printable(node.detail),
        "x": _number(x - width / 2),
        "y": _number(y - height / 2),
        "width": _number(width),
        "height": _number(height),
        "radius": _number(height / 2 if node.kind in _ROUND else 4),
        "middle": _number(x),
        "title_y": _number(y - 3 if node.detail else y + 4.5),
        "detail_y": _number(y + 13),
    }


def _line(path: Sequence[Point], label: str) -> dict[str, str]:
    """A curve that leaves and enters every point of its path straight down."""
    points = [(x + _MARGIN, y + _MARGIN) for x, y in path]
    parts = [f"M{_number(points[0][0])} {_number(points[0][1])}"]
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        half = (y0 + y1) / 2
        parts.append(f"C{_number(x0)} {_number(half)} {_number(x1)} {_number(half)} {_number(x1)} {_number(y1)}")
    (x0, y0), (x1, y1) = points[:2]
    x, y = (x0 + x1) / 2, (y0 + y1) / 2 + 4
    return {"path": "".join(parts), "label": _printable(label), "x": _number(x), "y": _number(y)}


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _printable(text: str) -> str:
    """Without the characters that XML has no way to write."""
    return "".join(character for character in text if unicodedata.category(character) not in {"Cc", "Cs"})
