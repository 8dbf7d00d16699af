"""A page of operators that are made up, of which one is hostile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from symgen.model.standing import Ours, Span, Torch
from symgen.render.coverage_page import Code, Column, Details, Listed, Seen, Standard, render_coverage_page

HOSTILE = "</script><img src=x onerror=\"document.title='taken'\"><!-- & \u2028"
COLUMNS = (
    Column("torchscript", "TorchScript exporter", tuple(range(9, 21))),
    Column("torchlib", "dynamo exporter", tuple(range(18, 25))),
)
_STATES = [
    (Torch.RIGHT, Ours.NONE),
    (Torch.WRONG, Ours.NONE),
    (Torch.NONE, Ours.VERIFIED),
    (Torch.NONE, Ours.NONE),
    (Torch.REFUSES, Ours.UNVERIFIED),
]


def listed(number: int) -> Listed:
    first, second = _STATES[number % 5], _STATES[(number // 5) % 5]
    spans = (Span("torchscript", 9, 12, *first), Span("torchscript", 13, 20, *second), Span("torchlib", 18, 24, *first))
    family = f"family{number % 7}"
    reason = HOSTILE if number == 3 else ""
    signature = (f"op{number}(Tensor self) -> Tensor",)
    return Listed(f"aten::op{number}", f"aten::op{number}", family, reason, "", signature, ("float32",), spans)


def details(number: int) -> Details:
    return Details(
        overloads=((f"op{number}(Tensor self) -> Tensor", "native_functions.yaml:1"),),
        stubs=(),
        onnx=Standard("Elu", 1, "https://onnx.ai/onnx/operators/onnx__Elu.html"),
        refuses=(HOSTILE,),
        candidates=("decomposition: by hand",),
        plan="def f(op, self):\n    return self",
        graph='<svg xmlns="http://www.w3.org/2000/svg" class="plan"><text>self</text></svg>',
        code=(Code("The code", f'def f():\n    # {HOSTILE}\n    return "<b>"'),),
        evidence=(Seen("Seen", "3 samples", ("failed: x",)),),
        reproduction=f"symgen audit op{number}",
    )


@pytest.fixture(scope="session")
def make_page() -> Callable[[int], str]:
    """The page of so many operators."""

    def make(count: int) -> str:
        return render_coverage_page(COLUMNS, [listed(n) for n in range(count)], map(details, range(count)), HOSTILE)

    return make


@pytest.fixture(scope="session")
def page_file(make_page: Callable[[int], str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of a thousand operators."""
    path = tmp_path_factory.mktemp("page") / "coverage.html"
    path.write_text(make_page(1000), "utf-8")
    return path
