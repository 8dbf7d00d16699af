"""Every command of the README, run as a reader would."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from checkouts import make_checkout, make_torchlib
from environments import Environment, make_environment
from readme import README, load_block, parse_blocks
from symgen.cli import main
from symgen.cli.scan_report import finding_record, report_record
from symgen.config import parse_table
from symgen.model.scan import ExportCheck, Finding, Kind, Place, Report, Severity


def test_every_block_with_commands_is_run_by_a_test() -> None:
    text = README.read_text("utf-8")
    of_targets = {"upstream", "onnxscript", "actions", "torchlib", "table"}
    of_nodes = {"own", "meaning", "function"}
    run_here = {"try", "workflow", "config", "hook", "use", "scan", "library", *of_nodes, *of_targets}
    run_by_ci = {"test"}
    assert set(parse_blocks(text)) == run_here | run_by_ci
    assert len(re.findall(r"^```\w+$", text, re.MULTILINE)) == len(parse_blocks(text))


def test_the_first_command_installs_and_shows_a_function(checkout: Path) -> None:
    of_extras = ("onnxscript", "onnx_ir", "expecttest", "onnxruntime_extensions")
    seeing_what_pip_would_download = make_environment(checkout / ".venv", hidden=of_extras)
    done = seeing_what_pip_would_download.shell(load_block("try"), checkout)
    assert "aten::elu: verified" in done.stdout
    assert '@_onnx_symbolic("aten::elu")' in done.stdout
    assert "return g.op(" in done.stdout


def test_the_second_command_is_what_ci_runs(repository: Path) -> None:
    assert "tests/support/readme.py test" in (repository / ".ci" / "run").read_text("utf-8")
    assert "pytest" in load_block("test")


def test_the_workflow(installed: Environment, tmp_path: Path) -> None:
    done = installed.shell(load_block("workflow"), tmp_path)
    assert "+def hypot(" in done.stdout
    assert " passed" in done.stdout
    left = (tmp_path / "symbolics" / "symbolic_opset9.py").read_text("utf-8")
    assert "def hypot(" in left
    assert "def expm1(" not in left
    model = "import torch\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return torch.hypot(x, x)\n"
    use = f"{model}\nmodel, args = Net(), (torch.ones(2),)\n{load_block('use')}"
    (tmp_path / "use.py").write_text(use, "utf-8")
    installed.shell("python use.py", tmp_path)
    assert (tmp_path / "model.onnx").stat().st_size


def test_operators_that_are_one_node(installed: Environment, tmp_path: Path) -> None:
    done = installed.shell(load_block("function"), tmp_path)
    assert " passed" in done.stdout
    assert '@_as_function("symbolics::hypot")' in (tmp_path / "symbolics" / "symbolic_opset9.py").read_text("utf-8")


def test_the_way_into_pytorch(installed: Environment, tmp_path: Path) -> None:
    checkout = make_checkout(tmp_path / "pytorch")
    done = installed.shell(load_block("upstream"), tmp_path)
    assert '+@_onnx_symbolic("aten::hypot")' in done.stdout
    assert "samples right and 1 tests passed with the checkout's own exporter" in done.stdout
    assert (tmp_path / "hypot.md").read_text("utf-8").startswith("[ONNX] Add aten::hypot")
    subjects = checkout.git("log", "--format=%s", "main..onnx-hypot").splitlines()
    assert [line.split()[2] for line in subjects] == ["aten::signbit", "aten::expm1", "aten::hypot"]


def test_the_way_into_torchlib(installed: Environment, tmp_path: Path) -> None:
    checkout = make_torchlib(tmp_path / "onnxscript")
    done = installed.shell(load_block("onnxscript"), tmp_path)
    assert '+@torch_op("aten::sgn", trace_only=True)' in done.stdout
    assert (tmp_path / "sgn.md").read_text("utf-8").startswith("[torchlib] Add aten::sgn\n")
    assert checkout.git("log", "--format=%s", "main..sgn") == "[torchlib] Add aten::sgn\n"


def test_the_checks_of_a_pull_request(installed: Environment, tmp_path: Path) -> None:
    (job,) = yaml.safe_load(load_block("actions"))["jobs"].values()
    commands = [step["run"] for step in job["steps"] if step.get("run", "").startswith("symgen")]
    assert [command.split()[1] for command in commands] == ["check", "verify"]
    installed.shell("symgen new aten::signbit", tmp_path)
    done = installed.shell("\n".join(commands), tmp_path)
    assert "aten::signbit: verified" in done.stdout
    assert "::error" not in done.stdout


NET = """\
import torch


@torch.library.custom_op("mylib::scale", mutates_args=())
def scale(x: torch.Tensor, by: float = 2.0) -> torch.Tensor:
    return x * by


class Gate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, slope):
        return torch.sigmoid(x * slope)


class Net(torch.nn.Module):
    def forward(self, x):
        return torch.logaddexp(x, x * 2)


model, inputs = Net(), (torch.ones(2, 3),)
"""
STUB = "from torch import Tensor\n\n\ndef scale(x: Tensor, by: float = 2.0) -> Tensor: ...\n"


def test_the_scan_of_a_model(installed: Environment, tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET, "utf-8")
    listed, dynamic, last = load_block("scan").strip().splitlines()
    done = installed.shell(f"! {listed}\n! {dynamic}\n{last}", tmp_path)
    assert done.stdout.count("net.py:17: missing aten::logaddexp") == 3
    assert "net.onnx: right" in done.stdout
    use = "import symbolics\nfrom net import model, inputs as args\n"
    (tmp_path / "use.py").write_text(use + load_block("library"), "utf-8")
    assert "no problems" in installed.shell("python use.py", tmp_path).stdout


def test_what_is_the_users_own(installed: Environment, tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET, "utf-8")
    (tmp_path / "ops.pyi").write_text(STUB, "utf-8")
    done = installed.shell(load_block("own"), tmp_path)
    assert "net:Gate: verified" in done.stdout
    assert 'custom_opsets={"my.domain": 2}' in done.stdout
    assert (tmp_path / "net.py").read_text("utf-8") == NET
    assert '@_as_function("my.domain::Gate")' in (tmp_path / "symbolics" / "net.py").read_text("utf-8")


def test_the_meaning_of_a_node(installed: Environment, tmp_path: Path) -> None:
    net = NET.replace("    return x * by", "    assert x.is_floating_point()\n    return x * by")
    (tmp_path / "net.py").write_text(load_block("meaning") + net, "utf-8")
    done = installed.shell("symgen new mylib::scale --import net --domain my.domain --version 2", tmp_path)
    assert "mylib::scale: verified" in done.stdout
    assert "the node's onnxscript function is one of opset 17" in done.stdout


def test_the_keys_of_a_scan_stand_in_the_readme() -> None:
    promised = " ".join(README.read_text("utf-8").split())
    finding = Finding(Kind.MISSING, Severity.ERROR, "aten::f", 1, Place(), "no symbolic function")
    export = ExportCheck("net.onnx", "right", first_wrong=finding)
    record = report_record(Report("net:model", 17, 1, (finding,), export=export))
    assert isinstance(record["export"], dict)
    for keys in (record["export"], finding_record(finding)):
        assert "{" + ", ".join(f'"{key}"' for key in keys) + "}" in promised
    for name in (*record, *Kind, *Severity):
        assert f"`{name}`" in promised


def test_the_dynamo_exporter(installed: Environment, tmp_path: Path) -> None:
    done = installed.shell(load_block("torchlib"), tmp_path)
    assert "aten::elu: verified" in done.stdout
    model = "import torch\nmodel = torch.nn.ELU()\nargs = (torch.ones(2),)\n"
    (tmp_path / "use.py").write_text(model + load_block("table"), "utf-8")
    installed.shell("python use.py", tmp_path)
    assert (tmp_path / "model.onnx").stat().st_size


def test_the_configuration() -> None:
    assert parse_table(load_block("config"), "README.md")["opset"] == 11


def test_the_hook(repository: Path) -> None:
    (entry,) = yaml.safe_load(load_block("hook"))["repos"]
    offered = yaml.safe_load((repository / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert {hook["id"] for hook in entry["hooks"]} <= {hook["id"] for hook in offered}


@pytest.mark.parametrize("command", [["match", "elu"], ["coverage", "elu"]])
def test_the_keys_of_the_json_stand_in_the_readme(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    main([*command, "--json"])
    promised = " ".join(README.read_text("utf-8").split())
    (record,) = json.loads(capsys.readouterr().out)["ops"]
    nested = [record.get("onnx"), record.get("torch") if command[0] == "match" else None, *record.get("candidates", [])]
    for keys in filter(None, [record, *nested]):
        assert "{" + ", ".join(f'"{key}"' for key in keys) + "}" in promised
