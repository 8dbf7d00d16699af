"""The checkout's own files, run over the installed torch."""

from __future__ import annotations

from pathlib import Path

import pytest

from checkouts import MiniCheckout
from drafting import drafted
from symgen.cli import main
from symgen.pipeline.upstream.checkout import open_checkout
from symgen.pipeline.upstream.deliver import Commit, beside, make_commits
from symgen.pipeline.upstream.proof import prove
from symgen.sources import Sources


def test_the_function_and_its_test_run_from_the_checkout(
    checkout: MiniCheckout, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["upstream", "deg2rad", "--repo", str(checkout.root), "--verify", "-q"]) == 0
    printed = capsys.readouterr().out
    assert "aten::deg2rad: verified" in printed
    assert " samples right and 1 tests passed with the checkout's own exporter" in printed
    assert "        self.run_test(Deg2rad(), x)\n" in checkout.git(
        "show", "HEAD:test/onnx/test_pytorch_onnx_onnxruntime.py"
    )
    assert not checkout.git("status", "--porcelain", "--ignored")


def test_what_fails_there_is_not_written(checkout: MiniCheckout, capsys: pytest.CaptureFixture[str]) -> None:
    common = checkout.root / "test/onnx/onnx_test_common.py"
    common.write_text(common.read_text("utf-8").replace("        model.eval()\n", "        self.fail('no')\n"), "utf-8")
    checkout.commit_all("Tests that fail")
    before = checkout.state()
    assert main(["upstream", "deg2rad", "--repo", str(checkout.root), "--verify", "-q"]) == 1
    assert "in the checkout: test_deg2rad" in capsys.readouterr().out
    assert checkout.state() == before


def test_versions_that_are_too_far_apart(checkout: MiniCheckout, sources: Sources) -> None:
    (checkout.root / "torch/onnx/__init__.py").write_text("from torch import of_the_future\n", "utf-8")
    checkout.commit_all("Of another time")
    opened = open_checkout(checkout.root)
    drafts = drafted(("aten::deg2rad",), checkout, sources)
    with beside(opened) as git:
        (seen,) = prove(drafts, opened, git, opened.head).values()
    assert not seen.failure
    assert "the versions are too far apart: ImportError: cannot import name 'of_the_future'" in seen.note
    assert Path(opened.git.folder) == checkout.root


def test_a_suite_that_does_not_load(checkout: MiniCheckout, sources: Sources) -> None:
    suite = checkout.root / "test/onnx/test_pytorch_onnx_onnxruntime.py"
    suite.write_text(suite.read_text("utf-8").replace("\nimport torch\n", "\nimport absent_here\n", 1), "utf-8")
    checkout.commit_all("Tests that need more than torch")
    opened = open_checkout(checkout.root)
    drafts = drafted(("aten::expm1",), checkout, sources)
    with beside(opened) as git:
        (last,) = make_commits(git, opened.head, [Commit("", one.files) for one in drafts])
        (seen,) = prove(drafts, opened, git, last).values()
    assert seen.samples
    assert not seen.failure
    assert seen.note.endswith("can't be run here: ModuleNotFoundError: No module named 'absent_here'")
