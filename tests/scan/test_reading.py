"""What is read of a traced graph, and what a trial of the export adds to it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from scans import Scans, function
from symgen.config import Target
from symgen.model.inputs import parse_inputs
from symgen.model.scan import Finding, Kind, Report, Severity
from symgen.verify.scan_jobs import TargetSpec

SHARPEN = """\
class Sharpen(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        {body}
{more}

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(4, 4), nn.ReLU())

    def forward(self, x):
        return Sharpen.apply(self.inner(x))


model, inputs = Net(), (torch.randn(2, 4),)
"""


def of_kind(report: Report, kind: Kind) -> list[Finding]:
    return [finding for finding in report.findings if finding.kind is kind]


def test_a_model_that_exports_is_clean(scans: Scans) -> None:
    report = scans.scan("model, inputs = nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True)), (torch.ones(1, 4),)\n")
    assert report.findings == ()
    assert report.exit_status == 0
    assert report.nodes == 2


def test_everything_missing_is_listed_at_once_in_the_order_of_first_use(scans: Scans) -> None:
    body = "y = torch.hypot(x, x)\nz = torch.special.erfcx(y)\nreturn torch.hypot(z, y) + torch.nextafter(x, y)"
    report = scans.scan(function(body))
    assert [(one.op, one.count, one.place.line) for one in report.findings] == [
        ("aten::hypot", 2, 8),
        ("aten::special_erfcx", 1, 9),
        ("aten::nextafter", 1, 10),
    ]
    assert all(one.kind is Kind.MISSING and one.new == one.op for one in report.findings)
    assert report.exit_status == 1


def test_what_comes_at_a_later_opset_says_which(scans: Scans) -> None:
    body = "return F.grid_sample(x[None, None], torch.zeros(1, 2, 2, 2))"
    (finding,) = scans.scan(function(body), opset=13).findings
    assert (finding.kind, finding.op, finding.since) == (Kind.LATER_OPSET, "aten::grid_sampler", 16)
    assert "opset 16 or later" in finding.action
    assert scans.scan(function(body), opset=16).findings == ()


def test_a_function_that_refuses_names_its_reason(scans: Scans) -> None:
    report = scans.scan(function("return F.elu(x) + torch.ops.aten.elu(x, 1.0, 2.0) + torch.ops.aten.elu(x, 1.0, 3.0)"))
    (finding,) = report.findings
    assert (finding.kind, finding.op, finding.count) == (Kind.REFUSED, "aten::elu", 2)
    assert "scale" in finding.reason
    assert finding.new == "aten::elu"


def test_an_operator_in_place_is_looked_up_without_its_underscore(scans: Scans) -> None:
    (finding,) = scans.scan(function("y = x * 1\ny.erfinv_()\nreturn y.relu_().clamp_(min=0)")).findings
    assert finding.op == "aten::erfinv"
    assert "in place: aten::erfinv_" in finding.reason


def test_what_is_behind_a_missing_operator_is_judged_all_the_same(scans: Scans) -> None:
    body = "y = torch.special.erfcx(x)\nq, r = y.chunk(2, 1)\nreturn torch.hypot(q, r).softmax(-1).reshape(-1)"
    assert [one.op for one in scans.scan(function(body)).findings] == ["aten::special_erfcx", "aten::hypot"]


def test_a_refusal_behind_a_missing_operator_counts_where_shapes_are_known(scans: Scans) -> None:
    body = "return torch.ops.aten.elu(torch.special.erfcx(x), 1.0, 2.0)"
    traced, scripted = (scans.scan(function(body) + more) for more in ("", "model = torch.jit.script(model)\n"))
    assert [one.op for one in traced.findings] == ["aten::special_erfcx", "aten::elu"]
    assert [one.op for one in scripted.findings] == ["aten::special_erfcx"]


def test_the_path_of_the_module(scans: Scans) -> None:
    text = (
        "class Block(nn.Module):\n    def forward(self, x):\n        return torch.special.erfcx(x)\n\n\n"
        "model = nn.Sequential(nn.Identity(), nn.ModuleDict({'a': Block()})['a'], nn.Sequential(Block()))\n"
        "inputs = (torch.ones(2),)\n"
    )
    (finding,) = scans.scan(text).findings
    assert (finding.count, finding.place.module) == (2, "1")


@pytest.mark.parametrize("is_scripted", [True, False])
def test_branches_and_loops(scans: Scans, is_scripted: bool) -> None:
    text = (
        "@torch.jit.script\ndef loop(x, hot: bool):\n    y = x\n    for i in range(3):\n"
        "        if bool(y.sum() > 0):\n            y = torch.hypot(y, x)\n        else:\n"
        "            y = torch.nextafter(y, x)\n    if hot:\n        y = torch.special.zeta(y, x)\n    return y\n\n\n"
        "class Net(nn.Module):\n    def forward(self, x):\n        return loop(x, False)\n\n\n"
        f"model, inputs = {'torch.jit.script(Net())' if is_scripted else 'Net()'}, (torch.ones(2),)\n"
    )
    report = scans.scan(text)
    assert [one.op for one in report.problems] == ["aten::hypot", "aten::nextafter"]
    notes = [one for one in report.findings if one.severity is Severity.NOTE]
    assert [one.op for one in notes] in ([], ["aten::special_zeta"])
    assert report.problems[0].place.line == 11


def test_lists_and_dictionaries_of_a_script(scans: Scans) -> None:
    text = (
        "class Net(nn.Module):\n    def forward(self, x):\n        out: list[torch.Tensor] = []\n"
        "        for i in range(3):\n            out.append(x * i)\n        d: dict[str, torch.Tensor] = {'a': x}\n"
        "        for k, v in d.items():\n            out.append(torch.hypot(v, x))\n        return torch.cat(out)\n\n\n"
        "model, inputs = torch.jit.script(Net()), (torch.ones(2),)\n"
    )
    report = scans.scan(text)
    assert not of_kind(report, Kind.DROPPED_WRITE)
    assert {one.op for one in report.problems} & {"prim::DictConstruct", "aten::items"}


def test_a_function_is_looked_into(scans: Scans) -> None:
    report = scans.scan(SHARPEN.format(body="return torch.special.erfcx(x).relu()", more=""))
    (finding,) = report.findings
    assert finding.op == "aten::special_erfcx"
    assert finding.inside.endswith(":Sharpen")
    assert finding.place.line == 9


def test_a_function_that_is_inlined_already_is_said_to_be(scans: Scans) -> None:
    (finding,) = scans.scan(SHARPEN.format(body="return x.relu()", more="")).findings
    assert (finding.kind, finding.severity) == (Kind.PYTHON_OP, Severity.NOTE)
    assert "inlines it already" in finding.reason


def test_a_function_that_goes_through_numpy_is_a_constant(scans: Scans) -> None:
    report = scans.scan(SHARPEN.format(body="return torch.from_numpy(x.detach().numpy() * 2)", more=""))
    assert [one.op.rpartition(":")[2] for one in of_kind(report, Kind.BAKED)] == ["Sharpen", ".numpy()"]
    assert report.exit_status == 1


@pytest.mark.parametrize(
    ("symbolic", "said"),
    [
        ("raise ValueError('no such thing')", "no such thing"),
        ("return g.op('my.lib::Sharpen', x, x, outputs=2)", "incorrect number of outputs"),
    ],
)
def test_a_symbolic_that_fails(scans: Scans, symbolic: str, said: str) -> None:
    more = f"\n    @staticmethod\n    def symbolic(g, x):\n        {symbolic}\n"
    report = scans.scan(SHARPEN.format(body="return x.relu()", more=more))
    assert said in report.problems[0].reason


def test_a_node_of_another_domain_is_named(scans: Scans) -> None:
    more = "\n    @staticmethod\n    def symbolic(g, x):\n        return g.op('my.lib::Sharpen', x)\n"
    (finding,) = scans.scan(SHARPEN.format(body="return x.relu()", more=more)).findings
    assert (finding.kind, finding.op, finding.severity) == (Kind.OTHER_DOMAIN, "my.lib::Sharpen", Severity.NOTE)


def test_a_function_that_captures_tensors_is_named_and_what_it_calls_is_listed(scans: Scans) -> None:
    text = (
        "class Rerun(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, block, *tensors):\n"
        "        ctx.save_for_backward(*tensors)\n        return block(*tensors)\n\n\n"
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.a = nn.Linear(4, 4)\n\n    def block(self, x):\n        return torch.special.i1e(self.a(x))\n\n"
        "    def forward(self, x):\n        return Rerun.apply(self.block, x)\n\n\n"
        "model, inputs = Net(), (torch.randn(2, 4),)\n"
    )
    report = scans.scan(text)
    assert [one.op.rpartition(":")[2] for one in report.problems] == ["Rerun", "special_i1e"]
    assert report.problems[0].place.line == 22


def test_custom_operators_and_what_they_fall_back_to(scans: Scans) -> None:
    text = (
        "@torch.library.custom_op('scanlib::twice', mutates_args=())\ndef twice(x: torch.Tensor) -> torch.Tensor:\n"
        "    return x * 2\n\n\n" + function("return torch.ops.scanlib.twice(torch.hypot(x, x))")
    )
    custom, missing = sorted(scans.scan(text).findings, key=lambda finding: finding.kind)
    assert (custom.kind, custom.op) == (Kind.CUSTOM_OP, "scanlib::twice")
    assert "--import MODULE --domain DOMAIN" in custom.action
    assert missing.falls_back == {
        "ONNX_ATEN_FALLBACK": "org.pytorch.aten::ATen",
        "ONNX_FALLTHROUGH": "org.pytorch.aten::hypot",
    }


@pytest.mark.parametrize(
    ("line", "how", "severity"),
    [
        ("y = x * x.mean().item()", ".item()", Severity.WRONG),
        ("y = x + 1 if x.sum() > 0 else x", "bool()", Severity.WRONG),
        ("y = x + torch.from_numpy(x.detach().numpy())", ".numpy()", Severity.WRONG),
        ("y = x * float(x[0, 0])", "float()", Severity.WRONG),
        ("y = x * sum(x.flatten().tolist())", ".tolist()", Severity.WRONG),
        ("y = x * int(x.shape[0])", "int()", Severity.NOTE),
        ("y = x + sum(row.sum() for row in x)", "iteration", Severity.NOTE),
        ("y = x * len(x)", "len()", Severity.NOTE),
        ("y = x.view(*[n for n in range(x.shape[0])][:0], -1)", "a Python number", Severity.NOTE),
    ],
)
def test_values_that_tracing_bakes_in(scans: Scans, line: str, how: str, severity: Severity) -> None:
    (finding,) = scans.scan(function(f"{line}\nreturn y")).findings
    assert (finding.kind, finding.op, finding.severity, finding.place.line) == (Kind.BAKED, how, severity, 8)


def test_a_constant_that_is_none_of_the_inputs_affair_is_no_finding(scans: Scans) -> None:
    body = "n = int(torch.tensor(3))\nif torch.ones(2).sum() > 1:\n    x = x + n\nreturn x.reshape(x.shape[0], -1)"
    assert scans.scan(function(body)).findings == ()


def test_a_size_that_indexing_takes_is_followed(scans: Scans) -> None:
    body = "n = x.shape[0]\ny = x[: n - 1] + x[1:n]\ny[: n // 2] = 0\nreturn y"
    assert scans.scan(function(body), inputs=("float32[rows=4,3]",)).findings == ()
    assert scans.export(function(body), inputs=("float32[rows=4,3]",)).verdict == "right"


def test_numbers_in_a_list_make_a_tensor_as_ever(scans: Scans) -> None:
    assert scans.scan(function("return x / torch.tensor([x.shape[1], 2, 3, 4])")).problems == ()


def test_the_length_of_a_number_is_asked_in_vain(scans: Scans) -> None:
    body = "try:\n    len(x.sum())\nexcept TypeError:\n    pass\nreturn x * 2"
    assert scans.scan(function(body)).findings == ()


def test_with_dynamic_axes_a_size_matters_where_another_one_changes_it(scans: Scans) -> None:
    body = "n, c = int(x.shape[0]), 0\nc = int(x.shape[1])\nreturn x * c + n"
    fixed = scans.scan(function(body))
    assert [one.severity for one in fixed.findings] == [Severity.NOTE, Severity.NOTE]
    dynamic = scans.scan(function(body), inputs=("float32[batch=3,4]",))
    assert [(one.op, one.place.line, one.severity) for one in dynamic.findings] == [("int()", 8, Severity.WRONG)]
    assert dynamic.dynamic_axes == (("x", ((0, "batch"),)),)


def test_what_the_exporter_itself_fails_at_is_a_finding(scans: Scans) -> None:
    report = scans.scan(function("return torch.full((2, 2), True) & (x.sum() > 0)"))
    assert [one.kind for one in report.problems] == [Kind.EXPORTER]
    assert report.exit_status == 1


def test_a_quantised_model_names_the_one_operator(scans: Scans) -> None:
    text = (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.quant, self.dequant = torch.ao.quantization.QuantStub(), torch.ao.quantization.DeQuantStub()\n"
        "        self.fc, self.act = nn.Linear(6, 4), nn.ELU(0.7)\n\n"
        "    def forward(self, x):\n        return self.dequant(self.act(self.fc(self.quant(x))))\n\n\n"
        "engines = [e for e in torch.backends.quantized.supported_engines if e not in ('none', 'onednn')]\n"
        "torch.backends.quantized.engine = engines[0]\nplain = Net().eval()\n"
        "plain.qconfig = torch.ao.quantization.get_default_qconfig(engines[0])\n"
        "prepared = torch.ao.quantization.prepare(plain)\nprepared(torch.randn(8, 6))\n"
        "model, inputs = torch.ao.quantization.convert(prepared), (torch.randn(2, 6),)\n"
    )
    (finding,) = scans.scan(text, opset=13).findings
    assert (finding.op, finding.place.module) == ("quantized::elu", "act")
    assert finding.new == finding.op


class Far(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.hash_tensor(x).to(x.dtype) + torch.logaddexp(x, x)


def test_torchscript_from_a_file(scans: Scans) -> None:
    path = str(scans.folder / "far.pt")
    torch.jit.save(torch.jit.script(torch.nn.Sequential(torch.nn.Identity(), Far())), path)
    report = scans.of(TargetSpec("far.pt", path=path, inputs=parse_inputs(("float32[2]",))))
    assert [one.op for one in report.findings] == ["aten::hash_tensor", "aten::logaddexp"]
    assert {Path(one.place.path).name for one in report.findings} == {"test_reading.py"}
    assert {one.place.module for one in report.findings} == {"1"}


def test_an_exported_program_is_judged_by_the_dynamo_exporter(scans: Scans) -> None:
    path = str(scans.folder / "far.pt2")
    torch.export.save(torch.export.export(torch.nn.Sequential(Far()), (torch.ones(2),)), path)
    report = scans.of(TargetSpec("far.pt2", path=path, is_program=True, exporter=Target.TORCHLIB), 20)
    (finding,) = report.findings
    assert (report.exporter, finding.op, finding.place.module) == ("dynamo", "aten::hash_tensor", "0")
    assert not finding.new
    assert "no translation of its own: " in finding.action
