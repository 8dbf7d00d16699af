"""The methods that are written into classes: valid whatever the parameters are called."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from symgen.introspect.autograd_classes import load_function_class
from symgen.model.domain import parse_domain
from symgen.render.class_symbolic import NodeForm, render_class_module, render_class_node

FORM = NodeForm(parse_domain("my.ops", 3))


def source_of(tmp_path: Path, parameters: str, form: NodeForm = FORM) -> str:
    text = (
        f"import torch\nclass Own(torch.autograd.Function):\n  @staticmethod\n  def forward(ctx, {parameters}): pass\n"
    )
    (tmp_path / "mod.py").write_text(text)
    return render_class_node(load_function_class("mod:Own", tmp_path), form).source


def test_where_annotations_say_everything_the_method_is_one_call(tmp_path: Path) -> None:
    source = source_of(tmp_path, "x: torch.Tensor, low: float = -1.0", NodeForm(FORM.domain, like="x"))
    assert source == (
        "@staticmethod\ndef symbolic(g, x, low=-1.0):\n"
        '    """One node `my.ops::Own`.\n\n'
        '        torch.onnx.export(model, args, "model.onnx", dynamo=False, custom_opsets={"my.ops": 3})\n    """\n'
        "    from torch.onnx import symbolic_helper\n\n"
        '    return g.op("my.ops::Own", x, low_f=symbolic_helper._get_const(low, "f", "low")).setType(x.type())\n'
    )


@pytest.mark.parametrize(
    "parameters",
    [
        "g, x",
        "inputs, attributes, name",
        "value, items=None, torch=None",
        "list, int=1",
        "x, *outputs",
        "errors, run=2.5",
    ],
)
def test_parameters_keep_their_names_and_the_method_gives_way(tmp_path: Path, parameters: str) -> None:
    source = source_of(tmp_path, parameters)
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    names = [argument.arg for argument in function.args.args]
    wanted = [part.partition("=")[0].strip() for part in parameters.split(",") if "*" not in part]
    assert names[1:] == wanted
    assert len(set(names)) == len(names)
    stored = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    assert not stored & set(wanted)


def test_the_places_of_absent_tensors_are_kept_only_where_one_may_be_absent(tmp_path: Path) -> None:
    assert "placeholder" in source_of(tmp_path, "x, mask=None, y=None")
    assert "placeholder" not in source_of(tmp_path, "x, y")


def test_a_class_of_somebody_elses_gets_a_function_that_attaches_itself(tmp_path: Path) -> None:
    source_of(tmp_path, "x: torch.Tensor")
    owner = load_function_class("mod:Own", tmp_path)
    module = render_class_module(owner, render_class_node(owner, FORM, is_method=False))
    assert [definition.name for definition in module.definitions] == ["_attached_to", "Own"]
    assert module.definitions[1].source.startswith("@_attached_to(mod.Own)\ndef Own(g, x):\n")
    assert "import mod" in map(str, module.definitions[1].imports)
