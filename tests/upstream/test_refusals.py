"""What keeps a checkout from being changed: each is said before anything is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from checkouts import MiniCheckout
from symgen.cli import main

EXPORTER = "torch/onnx/_internal/torchscript_exporter"
TESTS = "test/onnx/test_pytorch_onnx_onnxruntime.py"


def _append(checkout: MiniCheckout, path: str, text: str, *, commit: bool) -> None:
    with (checkout.root / path).open("a", encoding="utf-8") as file:
        file.write(text)
    if commit:
        checkout.commit_all("Something")


def _dirty(checkout: MiniCheckout) -> None:
    _append(checkout, "version.txt", "more\n", commit=False)


def _detached(checkout: MiniCheckout) -> None:
    checkout.git("switch", "--quiet", "--detach")


def _broken(checkout: MiniCheckout) -> None:
    _append(checkout, f"{EXPORTER}/symbolic_opset9.py", "def (:\n", commit=True)


def _broken_tests(checkout: MiniCheckout) -> None:
    _append(checkout, TESTS, "def (:\n", commit=True)


def _nameless(checkout: MiniCheckout) -> None:
    checkout.git("config", "--unset", "user.name")


def _merging(checkout: MiniCheckout) -> None:
    (checkout.root / ".git" / "MERGE_HEAD").write_text(checkout.head, "utf-8")


def _another_project(checkout: MiniCheckout) -> None:
    checkout.git("rm", "-r", "--quiet", "torch")
    checkout.git("commit", "--quiet", "--message", "Nothing left")


def _too_old(checkout: MiniCheckout) -> None:
    path = checkout.root / EXPORTER / "symbolic_opset9.py"
    path.write_text(path.read_text("utf-8").replace("_onnx_symbolic = functools", "_register = functools"), "utf-8")
    checkout.commit_all("As it was long ago")


CASES: dict[str, tuple[Callable[[MiniCheckout], None], int, str]] = {
    "dirty": (_dirty, 2, "it has changes that are not committed (version.txt) (git commit or git stash them first)"),
    "detached": (_detached, 2, "its head is detached (git switch to a branch, or --branch NAME makes one)"),
    "broken": (_broken, 2, f"{EXPORTER}/symbolic_opset9.py:"),
    "broken tests": (_broken_tests, 2, f"{TESTS}:58: not valid Python"),
    "nameless": (_nameless, 2, "git does not know whose the commits are (git config user.name and user.email)"),
    "merging": (_merging, 2, "a merge is in progress (finish it first)"),
    "another project": (_another_project, 2, "it is no checkout of PyTorch"),
    "too old": (_too_old, 2, "its symbolic functions are not registered by @_onnx_symbolic"),
}


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No configuration of git's but the checkout's own."""
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    for name in ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL", "EMAIL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("nobody")
@pytest.mark.parametrize("name", CASES)
def test_a_checkout_in_no_state_to_be_written_to(
    name: str, checkout: MiniCheckout, capsys: pytest.CaptureFixture[str]
) -> None:
    prepare, status, message = CASES[name]
    prepare(checkout)
    before = checkout.state()
    assert main(["upstream", "deg2rad", "--repo", str(checkout.root), "--no-verify"]) == status
    assert message in capsys.readouterr().err
    assert checkout.state() == before


def test_an_operator_that_it_has_already(checkout: MiniCheckout, capsys: pytest.CaptureFixture[str]) -> None:
    before = checkout.state()
    assert main(["upstream", "deg2rad", "elu", "--repo", str(checkout.root), "--no-verify"]) == 1
    printed = capsys.readouterr().err
    assert f"{EXPORTER}/symbolic_opset9.py:" in printed
    assert "aten::elu is registered already, from opset 9 on" in printed
    assert checkout.state() == before


def test_a_branch_that_is_there(checkout: MiniCheckout, capsys: pytest.CaptureFixture[str]) -> None:
    repo = ["--repo", str(checkout.root), "--no-verify"]
    assert main(["upstream", "deg2rad", *repo, "--branch", "main"]) == 2
    assert "there is a branch main already" in capsys.readouterr().err
    assert main(["upstream", "deg2rad", *repo, "--branch", "no..name"]) == 2
    assert "'no..name' is no name for a branch" in capsys.readouterr().err


def test_a_folder_that_is_no_checkout(
    newer: MiniCheckout, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def said(folder: Path) -> str:
        assert main(["upstream", "deg2rad", "--repo", str(folder), "--no-verify"]) == 2
        return capsys.readouterr().err

    assert "there is no such folder" in said(tmp_path / "nowhere")
    assert "not a git repository" in said(tmp_path)
    newer.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    assert "it is a bare repository" in said(tmp_path / "bare.git")
    empty = MiniCheckout(tmp_path / "empty")
    empty.root.mkdir()
    empty.git("init", "--quiet")
    assert "it has no commit yet" in said(empty.root)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "git is not installed" in said(newer.root)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["deg2rad"], "name the checkout with --repo, or say --out-of-tree"),
        (["--repo", "."], "name an operator"),
        (["deg2rad", "--repo", ".", "--out-of-tree"], "--out-of-tree needs no checkout, and --repo is about one"),
        (["deg2rad", "--repo", ".", "--patch", "x", "--no-commit"], "--patch leaves the checkout alone"),
        (["deg2rad", "--repo", ".", "--patch", "x", "--branch", "y"], "--patch leaves the checkout alone"),
        (["deg2rad", "--repo", ".", "--patch", "nowhere/x"], "there is no folder nowhere"),
    ],
)
def test_a_command_line_that_contradicts_itself(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["upstream", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_detached_head_may_start_a_branch(checkout: MiniCheckout) -> None:
    _detached(checkout)
    assert main(["upstream", "deg2rad", "--repo", str(checkout.root), "--no-verify", "-q", "--branch", "new"]) == 0
    assert checkout.git("branch", "--show-current").strip() == "new"
