"""The whole way, with real git: from `git init` to `git am` on a second clone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checkouts import MiniCheckout, copy_checkout
from readme import README
from symgen.cli import main

EXPORTER = "torch/onnx/_internal/torchscript_exporter"
SYMBOLIC = f"{EXPORTER}/symbolic_opset9.py"


def run(checkout: MiniCheckout, *arguments: str, status: int = 0) -> None:
    assert main(["upstream", *arguments, "--repo", str(checkout.root), "--no-verify", "-q"]) == status


def test_a_patch_goes_from_one_checkout_to_another(
    newer: MiniCheckout, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = newer.state()
    patch, message = tmp_path / "two.patch", tmp_path / "message.txt"
    run(newer, "deg2rad", "signbit", "--patch", str(patch), "--message", str(message))
    assert newer.state() == before
    assert "[ONNX]" not in capsys.readouterr().out
    assert message.read_text("utf-8").startswith(
        "[ONNX] Add aten::deg2rad, aten::signbit to the TorchScript exporter\n"
    )
    second = copy_checkout(newer, tmp_path / "second")
    second.git("apply", "--check", str(patch))
    second.git("am", "--quiet", "--keep-non-patch", str(patch))
    subjects = second.git("log", "--format=%s", "-2").splitlines()
    assert subjects == [
        "[ONNX] Add aten::signbit to the TorchScript exporter",
        "[ONNX] Add aten::deg2rad to the TorchScript exporter",
    ]
    assert '@_onnx_symbolic("aten::deg2rad")' in second.git("show", f"HEAD:{SYMBOLIC}")
    assert not second.git("status", "--porcelain")
    run(second, "deg2rad", status=1)
    assert f"{SYMBOLIC}:" in capsys.readouterr().err


def test_one_commit_for_each_operator(checkout: MiniCheckout, capsys: pytest.CaptureFixture[str]) -> None:
    base = checkout.head
    run(checkout, "deg2rad", "rad2deg", "--branch", "onnx-degrees")
    assert checkout.git("branch", "--show-current").strip() == "onnx-degrees"
    assert checkout.git("rev-parse", "main").strip() == base
    assert checkout.git("log", "--format=%s", f"{base}..").count("\n") == 2
    assert not checkout.git("status", "--porcelain")
    printed = capsys.readouterr().out
    assert f"commit  {checkout.head}" in printed
    assert "[ONNX] Add aten::deg2rad, aten::rad2deg to the TorchScript exporter" in printed
    for commit in ("HEAD", "HEAD~1"):
        shown = checkout.git("show", "--format=", commit)
        assert not [line for line in shown.splitlines() if line.startswith("-") and not line.startswith("---")]


def test_one_commit_for_all(checkout: MiniCheckout) -> None:
    base = checkout.head
    run(checkout, "deg2rad", "rad2deg", "--single")
    assert checkout.git("rev-list", f"{base}..").count("\n") == 1
    text = checkout.git("log", "-1", "--format=%B")
    assert "\naten::deg2rad\n-------------\n" in text
    assert "\naten::rad2deg\n-------------\n" in text


def test_the_same_change_without_a_commit(checkout: MiniCheckout) -> None:
    base = checkout.head
    checkout.git("config", "--unset", "user.name")
    run(checkout, "deg2rad", "--no-commit")
    assert checkout.head == base
    assert f" M {SYMBOLIC}" in checkout.git("status", "--porcelain")
    assert '+@_onnx_symbolic("aten::deg2rad")' in checkout.git("diff")


def test_a_dry_run_prints_the_diff_and_the_json_of_the_readme(
    newer: MiniCheckout, capsys: pytest.CaptureFixture[str]
) -> None:
    before = newer.state()
    run(newer, "deg2rad", "--dry-run", "--json")
    printed = capsys.readouterr()
    record = json.loads(printed.out)
    assert '\n+@_onnx_symbolic("aten::deg2rad")\n' in printed.err
    assert (record["layout"], record["base"], record["branch"]) == (EXPORTER, newer.head, "main")
    assert newer.state() == before
    (one,) = record["ops"]
    assert (one["op"], one["status"], one["files"]) == ("aten::deg2rad", "written", [SYMBOLIC])
    assert record["message"] == one["message"]
    promised = " ".join(README.read_text("utf-8").split())
    assert ", ".join(f'"{key}"' for key in [*record][3:]) in promised
    assert ", ".join(f'"{key}"' for key in [*one][9:]) in promised


def test_what_has_no_translation_is_left_out(checkout: MiniCheckout, capsys: pytest.CaptureFixture[str]) -> None:
    base = checkout.head
    run(checkout, "deg2rad", "geqrf_nothing", status=2)
    assert checkout.head == base
    run(checkout, "deg2rad", "aten::unique_dim_consecutive", status=1)
    assert "aten::unique_dim_consecutive: stub" in capsys.readouterr().out
    assert checkout.git("log", "--format=%s", f"{base}..").splitlines() == [
        "[ONNX] Add aten::deg2rad to the TorchScript exporter"
    ]


def test_a_package_to_publish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ["upstream", "deg2rad", "--out-of-tree", "--package", "onnx_degrees", "--no-verify", "-q"]
    assert main([*arguments, "--dry-run"]) == 0
    assert not list(tmp_path.iterdir())
    assert main(arguments) == 0
    project = (tmp_path / "pyproject.toml").read_text("utf-8")
    assert '[project.entry-points."symgen.symbolics"]\nonnx_degrees = "onnx_degrees"\n' in project
    assert (tmp_path / "onnx_degrees" / "symbolic_opset9.py").is_file()
    kept = (tmp_path / "pyproject.toml").read_bytes()
    assert main(arguments) == 0
    assert (tmp_path / "pyproject.toml").read_bytes() == kept
