"""`symgen check` and `symgen explain` on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from symgen.check.rules import RULES
from symgen.cli import main

WRONG = """import functools
from torch.onnx._internal.torchscript_exporter import registration

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=14)


@_onnx_symbolic("aten::hardswish")
def hardswish(g, self):
    return g.op("HardSwish", self)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "symbolics").mkdir()
    (tmp_path / "symbolics/symbolic_opset14.py").write_text(WRONG)
    return tmp_path


def test_findings_go_to_stdout_and_the_sum_to_stderr(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == 1
    out, err = capsys.readouterr()
    assert [line.split()[1] for line in out.splitlines()] == ["SG010", "SG015"]
    assert err == "2 findings, 1 of them mechanical (--fix)\n"


def test_codes_are_chosen_by_options_and_by_the_configuration(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--ignore", "sg010,SG015", "-q"]) == 0
    assert main(["check", "--select", "SG01", "--ignore", "SG015"]) == 1
    (folder / "pyproject.toml").write_text('[tool.symgen]\nselect = ["SG00"]\n')
    assert main(["check"]) == 0
    out, _ = capsys.readouterr()
    assert [line.split()[1] for line in out.splitlines()] == ["SG010"]


def test_a_code_that_isn_t_one_is_a_usage_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--ignore", "SG10"]) == 2
    assert "check has no code SG10 (did you mean SG010" in capsys.readouterr().err


def test_fix_mends_and_reports_what_is_left(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--fix"]) == 1
    out, err = capsys.readouterr()
    assert [line.split()[1] for line in out.splitlines()] == ["SG010"]
    assert err == "mended 1 finding\n1 finding\n"
    assert "opset=14, custom=True)" in (folder / "symbolics/symbolic_opset14.py").read_text()
    assert main(["check", "--fix", "--ignore", "SG010"]) == 0


def test_json_is_a_list_even_where_there_is_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--ignore", "SG0", "--output-format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_a_missing_path_is_a_usage_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "gone.py"]) == 2
    assert capsys.readouterr() == ("", "error: gone.py: no such file or folder\n")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_every_code_has_a_page(rule: object, capsys: pytest.CaptureFixture[str]) -> None:
    code = next(found.code for found in RULES if found is rule)
    assert main(["explain", code.lower()]) == 0
    page = capsys.readouterr().out
    assert page.startswith(f"{code}: ")
    assert page.index("\nWrong\n") < page.index("\nRight\n")
    assert max(map(len, page.splitlines())) <= 120


def test_without_a_code_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [rule.code for rule in RULES]


def test_a_warm_check_imports_nothing_heavy(folder: Path) -> None:
    code = (
        "import sys; from symgen.cli import main; main(['check']); main(['check'])\n"
        "print(sorted({'torch', 'onnx', 'numpy', 'libcst', 'jinja2', 'yaml', 'rich', 'torchgen'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)  # fills the cache
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_even_a_cold_check_never_imports_torch(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMGEN_CACHE_DIR", str(folder / "cache"))
    code = (
        "import sys; from symgen.cli import main; main(['check'])\n"
        "print({'torch', 'torchgen', 'libcst', 'rich'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "set()"
