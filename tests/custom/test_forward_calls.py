"""Forward methods become calls of symbolic functions, or the line that can't is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from symgen.introspect.autograd_classes import load_function_class
from symgen.introspect.catalogue import load_catalogue
from symgen.lower.forward_calls import CALL, ForwardBody, Untranslatable
from symgen.pipeline.class_translation import read_forward
from symgen.pipeline.classes import ClassRequest

HEAD = "import math\nimport torch\nimport torch.nn.functional as F\nfrom torch.special import erfcx\n"


def rewrite(tmp_path: Path, parameters: str, *lines: str) -> ForwardBody | Untranslatable:
    body = "\n    ".join(lines)
    text = f"class Own(torch.autograd.Function):\n  @staticmethod\n  def forward(ctx, {parameters}):\n    {body}\n"
    (tmp_path / "mod.py").write_text(HEAD + text)
    request = ClassRequest("mod:Own", load_function_class("mod:Own", tmp_path), None)
    return read_forward(request, load_catalogue()).body


def lines_of(body: ForwardBody | Untranslatable) -> str:
    assert isinstance(body, ForwardBody), body
    return "\n".join(body.lines).replace(CALL, "call")


@pytest.mark.parametrize(
    ("expression", "made"),
    [
        ("x * 2.0", "call('aten::mul', x, 2.0)"),
        ("1 - x", "call('aten::sub', 1, x, 1)"),
        ("-x @ y", "call('aten::matmul', call('aten::neg', x), y)"),
        ("x > 0", "call('aten::gt', x, 0)"),
        ("erfcx(x)", "call('aten::special_erfcx', x)"),
        ("torch.special.erfcx(x)", "call('aten::special_erfcx', x)"),
        ("F.gelu(x, approximate='tanh')", "call('aten::gelu', x, 'tanh')"),
        ("x.sum(1, keepdim=True)", "call('aten::sum', x, [1], True, None)"),
        ("x.sum()", "call('aten::sum', x, None)"),
        ("x.view(2, -1)", "call('aten::view', x, [2, -1])"),
        ("x.max(dim=1).values", "call('aten::max', x, 1, False)[0]"),
        ("torch.topk(x, 3)[1]", "call('aten::topk', x, 3, -1, True, True)[1]"),
        ("torch.cat([x, y], 1)", "call('aten::cat', [x, y], 1)"),
        ("torch.absolute(x)", "call('aten::abs', x)"),
        ("abs(x)", "call('aten::abs', x)"),
        ("x * math.sqrt(2.0)", "call('aten::mul', x, math.sqrt(2.0))"),
    ],
)
def test_calls_methods_and_operators(tmp_path: Path, expression: str, made: str) -> None:
    body = rewrite(tmp_path, "x: torch.Tensor, y: torch.Tensor", f"return {expression}")
    assert lines_of(body) == f"return {made}"


def test_what_only_the_backward_pass_needs_is_left_out(tmp_path: Path) -> None:
    body = rewrite(
        tmp_path, "x", "ctx.save_for_backward(x)", "shape = x.shape", "ctx.shape = shape", "return torch.exp(x)"
    )
    assert lines_of(body) == "return call('aten::exp', x)"


def test_branches_on_none_and_on_options_are_decided_at_export(tmp_path: Path) -> None:
    body = rewrite(
        tmp_path, "x, mask, train, power: int = 1",
        "out = x * 2", "if mask is not None:", "    out = out * mask",
        "if train and power > 1:", "    out += 1", "return out",
    )  # fmt: skip
    assert lines_of(body) == (
        "out = call('aten::mul', x, 2)\nif mask is not None:\n    out = call('aten::mul', out, mask)\n"
        "if train and power > 1:\n    out = call('aten::add', out, 1, 1)\nreturn out"
    )
    assert isinstance(body, ForwardBody)
    assert body.static == ("train",)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["return x if x.sum() > 0 else -x"], "depends on the values"),
        (["return x[0]"], "has no counterpart"),
        (["return x * x.shape[0]"], "has no counterpart"),
        (["for i in range(3):", "    x = x + 1", "return x"], "has no counterpart"),
        (["return helper(x)"], "is no call of torch"),
        (["x += 1", "return x"], "writes into an argument"),
        (["return torch.no_such_function(x)"], "no operator no_such_function"),
        (["return torch.exp(x, x, x)"], "fits no overload of aten::exp"),
        (["shape = x.shape", "return x.view(shape)"], "x.shape"),
        (["return 3"], "is no tensor"),
        (["return torch.exp(*[x])"], "by stars"),
    ],
)
def test_what_cannot_be_said_is_named(tmp_path: Path, lines: list[str], said: str) -> None:
    body = rewrite(tmp_path, "x: torch.Tensor", *lines)
    assert isinstance(body, Untranslatable)
    assert said in body.reason
