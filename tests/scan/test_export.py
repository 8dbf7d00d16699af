"""Exports of whole models: compared on other values and in other sizes, and taken apart where they are wrong."""

from __future__ import annotations

from scans import Scans, function


def test_a_right_model(scans: Scans) -> None:
    check = scans.export(function("return torch.tanh(x) @ x.T"), inputs=("float32[rows=3,4]",))
    assert check.verdict == "right"
    assert check.nodes == 3
    assert check.max_abs_err < 1e-4


def test_results_of_several_dtypes_and_a_parameter(scans: Scans) -> None:
    text = (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.a = nn.Linear(4, 2)\n\n    def forward(self, x, scale, more=None):\n"
        "        y = self.a(x) * scale\n        return y, (y.argmax(-1), y > 0)\n\n\n"
        "model, inputs = Net(), (torch.randn(3, 4), {'scale': torch.tensor(2.0)})\n"
    )
    assert scans.export(text).verdict == "right"


def test_a_value_that_was_baked_in_shows_on_other_values(scans: Scans) -> None:
    check = scans.export(function("return x * x.abs().sum().item()"))
    assert check.verdict == "wrong value"
    assert check.detail.startswith("on other values: ")


def test_a_size_that_was_baked_in_shows_in_another_size(scans: Scans) -> None:
    body = "return (x + torch.arange(int(x.shape[0]))[:, None]).flatten()"
    check = scans.export(function(body), inputs=("float32[rows=3,4]",))
    assert check.detail.startswith("in another size: ")


def test_the_first_wrong_operator_is_found_with_a_script(scans: Scans) -> None:
    body = "i = torch.tensor([-1, 0])\nj = torch.tensor([1, -1])\ny = torch.exp(x)[i, j]\nreturn torch.relu(y * 2)"
    check = scans.export(function(body))
    assert check.first_wrong is not None
    assert (check.first_wrong.op, check.first_wrong.place.line) == ("aten::index", 10)
    with open(check.reproduction, encoding="utf-8") as script:
        assert "torch.ops.aten.index(x0, [x1, x2])" in script.read()


def test_where_only_the_context_is_wrong_it_is_said(scans: Scans) -> None:
    check = scans.export(function("y = x * 1\nv = y.view(-1)\nv.add_(1)\nreturn torch.exp(y)"))
    assert check.first_wrong is not None
    assert check.first_wrong.op == "aten::exp"
    assert "by itself it is right" in check.first_wrong.reason
    assert not check.reproduction


def test_a_write_in_place_that_comes_out_wrong_is_found(scans: Scans) -> None:
    body = "i = torch.tensor([1, 2, 1])\ny = torch.zeros(4).index_add_(0, i, x[:, 0])\nreturn torch.exp(y)"
    check = scans.export(function(body))
    assert check.first_wrong is not None
    assert check.first_wrong.op == "aten::index_add"
    assert check.first_wrong.new == "aten::index_add"


def test_a_write_in_place_without_which_nothing_can_be_looked_at_is_found(scans: Scans) -> None:
    body = "y = x.repeat(2, 1, 1) * 1\ny[..., 0] = y[..., 1]\ny[y[..., 0] < 0] = -1.0\nreturn torch.exp(y)"
    check = scans.export(function(body))
    assert check.verdict != "right"
    assert check.first_wrong is not None
    assert (check.first_wrong.op, check.first_wrong.place.line) == ("aten::index_put", 10)
    assert check.first_wrong.new == "aten::index_put"
    assert check.reproduction


def test_a_model_that_the_checker_refuses_is_taken_apart_too(scans: Scans) -> None:
    check = scans.export(function("return x.unfold(-1, 2, 1) * torch.arange(2)"))
    assert check.verdict == "invalid model"
    assert check.first_wrong is not None
    assert check.first_wrong.op == "aten::unfold"


def test_a_crash_of_the_export_is_a_verdict(scans: Scans) -> None:
    text = (
        "import os\nfrom torch.onnx import register_custom_op_symbolic\n"
        "register_custom_op_symbolic('aten::frac', lambda g, x: os.abort(), 9)\n\n\n" + function("return x.frac()")
    )
    check = scans.export(text)
    assert check.verdict == "crash"
    assert "SIGABRT" in check.detail
