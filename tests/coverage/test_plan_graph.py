from __future__ import annotations

import itertools
from pathlib import Path
from xml.etree import ElementTree

import pytest

from symgen.cli import main
from symgen.model.plan import PlanFunction
from symgen.render.layered_layout import lay_out
from symgen.render.plan_graph import Graph, Node, NodeKind, function_graph
from symgen.render.plan_svg import draw_graph

SVG = "{http://www.w3.org/2000/svg}"


def graph_of(source: str) -> Graph:
    return function_graph(PlanFunction("f", source))


def links(graph: Graph) -> set[tuple[str, str]]:
    return {(graph.nodes[edge.source].title, graph.nodes[edge.target].title) for edge in graph.edges}


def test_operators_take_what_they_are_given() -> None:
    graph = graph_of("def f(op, a, b):\n    c = op.Mul(a, b)\n    return op.Concat(c, op.Neg(c), axis=-1)\n")
    assert links(graph) == {
        ("a", "Mul"),
        ("b", "Mul"),
        ("Mul", "Concat"),
        ("Mul", "Neg"),
        ("Neg", "Concat"),
        ("Concat", "result"),
    }
    assert Node(NodeKind.OPERATOR, "Concat", "axis=-1") in graph.nodes


def test_a_branch_is_a_choice_or_ends_in_a_result_of_its_own() -> None:
    graph = graph_of(
        "def f(op, a, n):\n"
        "    if n == 0:\n        return a\n"
        "    if n > 1:\n        a = op.Abs(a)\n"
        "    return op.Neg(a)\n"
    )
    assert Node(NodeKind.RESULT, "result", "if n == 0") in graph.nodes
    assert Node(NodeKind.RESULT, "result", "otherwise") in graph.nodes
    assert {("Abs", "a by"), ("a", "a by"), ("a by", "Neg")} <= links(graph)


def test_loops_and_helpers() -> None:
    graph = graph_of(
        "def f(op, a, dims):\n"
        "    def step(op, k, x):\n        return x + a\n"
        "    for dim in dims:\n        a = halved(op, a, dim)\n"
        "    return op.loop(3, step, a)\n"
    )
    assert {("a", "step(k, x)"), ("for dim", "halved"), ("step(k, x)", "loop"), ("halved", "loop")} <= links(graph)
    assert {node.kind for node in graph.nodes} >= {NodeKind.HELPER, NodeKind.LOOP}


@pytest.mark.parametrize("edges", [[], [(0, 1), (1, 2), (0, 2)], [(0, 4), (1, 4), (0, 3), (2, 3), (3, 4)]])
def test_edges_run_down_and_no_boxes_overlap(edges: list[tuple[int, int]]) -> None:
    sizes = [(40.0 + 30 * number, 28.0) for number in range(5)]
    layout = lay_out(sizes, edges)
    for path in layout.paths:
        assert all(upper[1] < lower[1] for upper, lower in itertools.pairwise(path))
    for one, (x, y) in enumerate(layout.places):
        assert x - sizes[one][0] / 2 >= -1e-6
        assert x + sizes[one][0] / 2 <= layout.width + 1e-6
        for other in range(one):
            far = abs(x - layout.places[other][0]) >= (sizes[one][0] + sizes[other][0]) / 2 - 1e-6
            assert far or layout.places[other][1] != y


def test_the_drawing_is_escaped() -> None:
    graph = Graph((Node(NodeKind.INPUT, "<script>&\x00", "a < b"),), ())
    drawing = ElementTree.fromstring(draw_graph(graph, "</title><b>"))
    assert [text.text for text in drawing.iter(f"{SVG}text")] == ["<script>&", "a < b"]
    assert drawing.findtext(f"{SVG}title") == "</title><b>"


def test_match_draws_one_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "elu.svg"
    assert main(["match", "elu", "--graph", str(out)]) == 0
    texts = [text.text for text in ElementTree.parse(out).iter(f"{SVG}text")]
    assert {"self", "input_scale", "Elu", "Where", "expm1_of", "result"} <= set(texts)
    assert main(["match", "elu", "celu", "--graph", str(out)]) == 2
    assert "--graph draws one operator" in capsys.readouterr().err


def test_without_a_plan_there_is_no_drawing(tmp_path: Path) -> None:
    assert main(["match", "to_sparse", "--graph", str(tmp_path / "none.svg")]) == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("x.png", "--graph draws SVG, which "),
        ("g.dot", "(its name must end in .svg)"),
        ("plan", "(its name must end in .svg)"),
    ],
)
def test_a_drawing_is_an_svg(name: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "elu", "--graph", str(tmp_path / name)]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert message in err
    assert not list(tmp_path.iterdir())


def test_a_drawing_gets_the_folder_that_it_is_to_stand_in(tmp_path: Path) -> None:
    path = tmp_path / "drawings" / "elu.svg"
    assert main(["match", "elu", "--graph", str(path)]) == 0
    assert ElementTree.parse(path).getroot().tag == f"{SVG}svg"
