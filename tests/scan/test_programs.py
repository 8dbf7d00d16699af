"""Scans and exports by the dynamo exporter: of a `.pt2`, and of modules with the torchlib target."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import symgen
from scans import Scans, function
from stories import lay_out
from symgen.cli import main
from symgen.config import Target
from symgen.errors import UsageError
from symgen.model.inputs import parse_inputs
from symgen.model.run import ignore_steps
from symgen.model.scan import ExportCheck, Kind, Report, Severity
from symgen.pipeline.scanning import export_target
from symgen.verify.scan_jobs import TargetSpec

BATCH = torch.export.Dim("batch", min=2, max=9)
ELU = "return torch.relu(torch.ops.aten.elu(torch.tanh(x), 1.0, 1.0, 2.0) * 2)"
REFUSING = """\
import torch


def refuse(self):
    raise NotImplementedError("aten::tanh is out of order")


def translation_table(opset_version=None):
    return {torch.ops.aten.tanh.default: refuse}
"""


class Counting(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x: torch.Tensor, y: torch.Tensor, scale: float = 1.0) -> tuple[torch.Tensor, torch.Tensor]:
        self.calls.add_(1)
        values, places = torch.hypot(torch.tanh(x), y).max(1)
        return values * scale + torch.tanh(y).sum(1), places


class Shifted(torch.nn.Module):
    def forward(self, x: torch.Tensor, *, by: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.elu(x.reshape(by.shape[0], 2, -1) + by[:, None, None], 1.5)


def saved(scans: Scans, name: str, model: torch.nn.Module, args: tuple[torch.Tensor, ...], **options: object) -> str:
    """The path of a file with the program of a model."""
    path = str(scans.folder / name)
    torch.export.save(torch.export.export(model.eval(), args, **options), path)  # type: ignore[arg-type]
    return path


def program(path: str, **more: object) -> TargetSpec:
    """A file with a program, as a target."""
    return TargetSpec(Path(path).name, path=path, is_program=True, exporter=Target.TORCHLIB, **more)  # type: ignore[arg-type]


def exported(scans: Scans, target: TargetSpec, opset: int = 20) -> ExportCheck:
    path = scans.folder / f"{target.text.partition('.')[0]}.onnx"
    return export_target(target, Report(target.text, opset, 0, ()), path, scans.pool, ignore_steps)


def package(scans: Scans, name: str, text: str) -> str:
    """A package for the dynamo exporter with this text."""
    folder = scans.folder / name
    folder.mkdir()
    (folder / "__init__.py").write_text(text, "utf-8")
    return str(folder)


def test_all_that_is_missing_or_refused_shows_at_once(scans: Scans) -> None:
    shapes = {"x": {0: BATCH}, "y": {0: BATCH}}
    path = saved(scans, "counting.pt2", Counting(), (torch.randn(3, 4), torch.randn(3, 4)), dynamic_shapes=shapes)
    target = program(path, package=package(scans, "refusing", REFUSING))
    report = scans.of(target, 20)
    missing, refused, state = report.findings
    assert (missing.kind, missing.op, missing.new) == (Kind.MISSING, "aten::hypot", "aten::hypot")
    assert missing.action == "symgen new aten::hypot --target torchlib writes it"
    assert Path(missing.place.path).name == "test_programs.py"
    assert (refused.kind, refused.op, refused.count) == (Kind.REFUSED, "aten::tanh", 2)
    assert refused.reason == "the translation says: aten::tanh is out of order"
    assert (state.kind, state.op, state.severity) == (Kind.DROPPED_WRITE, "calls", Severity.NOTE)
    assert report.exporter == "dynamo"
    assert [name for name, _ in report.dynamic_axes] == ["x", "y"]


def test_a_package_for_the_other_exporter_is_named(scans: Scans) -> None:
    path = saved(scans, "plain.pt2", torch.nn.Tanh(), (torch.randn(3),))
    with pytest.raises(symgen.pipeline.scanning.UnusableModelError, match="has no translation_table"):
        scans.of(program(path, package=package(scans, "without_table", "")), 20)


def test_a_right_program_in_another_size_with_keyword_arguments(scans: Scans) -> None:
    path = str(scans.folder / "shifted.pt2")
    at_its_end = torch.export.Dim("batch", min=2, max=3)
    shapes = {"x": {0: at_its_end}, "by": {0: at_its_end}}
    arguments = (torch.randn(3, 4),), {"by": torch.randn(3)}
    torch.export.save(torch.export.export(Shifted(), *arguments, dynamic_shapes=shapes), path)
    check = exported(scans, program(path))
    assert (check.verdict, check.detail) == ("right", "")
    shown = subprocess.run(
        [sys.executable, "-c", "import onnx; print(onnx.load('shifted.onnx').graph.input)"],
        cwd=scans.folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert shown.stdout.count("dim_param") == 2, "the axes that the program leaves open stay open"


def test_the_first_wrong_operator_of_a_program_with_a_script(scans: Scans) -> None:
    check = export_of(scans, function(ELU), inputs=("float32[rows=3,4]",))
    assert check.verdict == "wrong value"
    assert check.first_wrong is not None
    assert (check.first_wrong.op, check.first_wrong.place.line) == ("aten::elu", 8)
    assert "symgen fix aten::elu --target torchlib" in check.first_wrong.action
    script = Path(check.reproduction).read_text("utf-8")
    assert "torch.ops.aten.elu(x0, 1.0, 1.0, 2.0)" in script
    assert "dynamo=True" in script


def export_of(scans: Scans, text: str, inputs: tuple[str, ...] = ()) -> ExportCheck:
    """Exports the model of a module with this text."""
    return exported(scans, scans.target(text, inputs=inputs, exporter=Target.TORCHLIB))


def test_what_torch_export_refuses_is_a_finding(scans: Scans) -> None:
    text = function("return x * 2 if x.sum() > 0 else x")
    (finding,) = scans.of(scans.target(text, exporter=Target.TORCHLIB), 20).findings
    assert finding.kind is Kind.EXPORTER
    assert "torch.export: " in finding.reason
    assert export_of(scans, text).verdict == "export error"


def test_a_program_without_its_inputs_is_scanned(scans: Scans) -> None:
    path = str(scans.folder / "bare.pt2")
    bare = torch.export.export(torch.nn.Tanh(), (torch.randn(3),))
    bare.example_inputs = None
    torch.export.save(bare, path)
    assert not scans.of(program(path), 20).findings
    with pytest.raises(symgen.pipeline.scanning.UnusableModelError, match="there are no inputs for it; say --input"):
        exported(scans, program(path))
    assert exported(scans, program(path, inputs=parse_inputs(("float32[3]",)))).verdict == "right"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("m.pt2", "--target", "torchscript"), "a .pt2 goes through the dynamo exporter only"),
        (("m.pt", "--target", "torchlib"), "TorchScript goes through the TorchScript exporter only"),
        (("m.pt2", "--opset", "11"), "opset 11 is out of range"),
    ],
)
def test_an_exporter_that_does_not_take_the_file(
    arguments: tuple[str, ...],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    torch.export.save(torch.export.export(torch.nn.Tanh(), (torch.randn(3),)), "m.pt2")
    torch.jit.save(torch.jit.script(torch.nn.Tanh()), "m.pt")
    assert main(["scan", *arguments]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.slow
def test_from_a_program_that_does_not_export_to_one_that_does(tmp_path: Path) -> None:
    story = lay_out(tmp_path, {})
    shapes = {"x": {0: BATCH}, "y": {0: BATCH}}
    made = torch.export.export(Counting(), (torch.randn(3, 4), torch.randn(3, 4)), dynamic_shapes=shapes)
    torch.export.save(made, tmp_path / "m.pt2")
    printed = story.symgen("scan", "m.pt2", "--opset", "20", "--new", "--export", "out.onnx")
    assert "aten::hypot: verified" in printed
    assert "out.onnx: right" in printed
    assert (tmp_path / "torchlib_ops" / "aten_pointwise.py").exists()
    story.run("\n".join(line.strip() for line in printed.partition("To export it:")[2].splitlines()))
    assert (tmp_path / "model.onnx").exists()
    record = json.loads(story.symgen("scan", "m.pt2", "--opset", "20", "--json"))
    assert (record["exporter"], [one["op"] for one in record["findings"]]) == ("dynamo", ["calls"])


def test_a_model_in_this_process() -> None:
    model = Counting().eval()
    args = (torch.randn(3, 4), torch.randn(3, 4))
    of_module = symgen.scan(model, args, target="torchlib", dynamic_axes={"x": {0: "n"}, "y": {0: "n"}})
    assert [one.op for one in of_module.problems] == ["aten::hypot"]
    assert of_module.dynamic_axes == (("x", ((0, "n"),)), ("y", ((0, "n"),)))
    table = {torch.ops.aten.hypot.default: lambda self, other: other}
    of_program = symgen.scan(torch.export.export(model, args), custom_translation_table=table)
    assert (of_program.exporter, of_program.problems) == ("dynamo", ())
    with pytest.raises(UsageError, match="takes no table"):
        symgen.scan(model, args, custom_translation_table=table)
    with pytest.raises(UsageError, match="other exporter"):
        symgen.scan(torch.export.export(model, args), target="torchscript")
