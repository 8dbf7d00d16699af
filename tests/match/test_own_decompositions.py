"""Decompositions of a user's own: in a folder that the configuration names, or in a distribution that is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from symgen.cli import main

ENTRY = '''\
"""Operators that we need."""

from symgen.match.language import Op, Value, decomposition, helper


@helper
def doubled(op: Op, x: Value) -> Value:
    return op.Add(x, x)


@decomposition("aten::hash_tensor", "aten::relu6")
def twice(op: Op, self: Value) -> Value:
    """2 · x"""
    return doubled(op, self)
'''


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(folder: Path) -> str:
    """What `new` makes of an operator that both the user's entry and symgen's own could serve."""
    assert main(["new", "--no-verify", "--force", "aten::relu6"]) == 0
    return (folder / "symbolics" / "symbolic_opset9.py").read_text("utf-8")


def test_a_folder_that_the_configuration_names_comes_first(project: Path) -> None:
    (project / "ours").mkdir()
    (project / "ours" / "hashes.py").write_text(ENTRY)
    (project / "pyproject.toml").write_text('[tool.symgen]\ndecompositions = "ours"\n')
    assert "_doubled(g, input)" in written(project)


def test_an_installed_distribution_offers_its_own(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = project / "site"
    (site / "hashes" / "onnx").mkdir(parents=True)
    (site / "hashes" / "__init__.py").write_text("raise AssertionError('imported')\n")
    (site / "hashes" / "onnx" / "hashes.py").write_text(ENTRY)
    (site / "hashes-1.dist-info").mkdir()
    (site / "hashes-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: hashes\nVersion: 1\n")
    (site / "hashes-1.dist-info" / "entry_points.txt").write_text("[symgen.decompositions]\nhashes = hashes.onnx\n")
    monkeypatch.syspath_prepend(site)
    assert "_doubled(g, input)" in written(project)


def test_what_is_not_in_the_plan_language_is_an_error_with_its_place(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "theirs").mkdir()
    (project / "theirs" / "names.py").write_text(ENTRY.replace("op.Add(x, x)", "__import__('os').system('touch gone')"))
    (project / "pyproject.toml").write_text('[tool.symgen]\ndecompositions = "theirs"\n')
    assert main(["new", "--no-verify", "--force", "aten::relu6"]) != 0
    assert "names.py:" in capsys.readouterr().err
    assert not (project / "gone").exists()
