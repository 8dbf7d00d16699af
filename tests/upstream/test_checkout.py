"""What a checkout's own files say: its layout, its style, its version."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from checkouts import MiniCheckout
from drafting import decided
from symgen.pipeline.upstream.checkout import open_checkout
from symgen.pipeline.upstream.draft import draft
from symgen.pipeline.upstream.drafts import Contents
from symgen.sources import Sources
from symgen.verify.task import SampleSet, Verification


def test_the_layouts_are_told_by_path_and_content(newer: MiniCheckout, older: MiniCheckout) -> None:
    assert open_checkout(newer.root).layout == PurePosixPath("torch/onnx/_internal/torchscript_exporter")
    opened = open_checkout(older.root / "torch" / "onnx")
    assert opened.layout == PurePosixPath("torch/onnx")
    assert opened.git.folder == older.root
    assert opened.module_package("symbolic_helper") == "torch.onnx"
    assert opened.module_package("jit_utils") == "torch.onnx._internal"
    assert opened.opsets[0] == 7
    assert opened.opsets[-1] == 20


@pytest.mark.parametrize(
    ("files", "length"),
    [
        ({}, None),
        ({"pyproject.toml": "[tool.black]\nline-length = 79\n"}, 79),
        ({"pyproject.toml": "[tool.usort]\nx = 1\n", ".flake8": "[flake8]\nmax-line-length = 110\n"}, 110),
        ({"ruff.toml": "line-length = 99\n", ".flake8": "[flake8]\nmax-line-length = 110\n"}, 99),
        ({".flake8": "not a configuration"}, None),
    ],
)
def test_the_line_length_is_what_the_linter_allows(
    files: dict[str, str], length: int | None, checkout: MiniCheckout
) -> None:
    (checkout.root / "pyproject.toml").unlink()
    for name, text in files.items():
        (checkout.root / name).write_text(text, "utf-8")
    checkout.commit_all("Another linter")
    assert open_checkout(checkout.root).hints.line_length == length


def test_what_is_random_has_no_test_that_compares_numbers(newer: MiniCheckout, sources: Sources) -> None:
    decision = decided("aten::hypot", newer, sources)
    assert decision.verification is not None
    free = Verification("aten::hypot", decision.evidence, SampleSet(""), decision.verification.proven, same="normal")
    made = draft(
        type(decision)(**{**vars(decision), "verification": free}), Contents(open_checkout(newer.root)), sources
    )
    assert not made.tests
    assert set(made.files) == set(made.code)


def test_a_version_is_said_where_there_is_one(checkout: MiniCheckout) -> None:
    assert open_checkout(checkout.root).version.startswith("2.")
    Path(checkout.root, "version.txt").unlink()
    checkout.commit_all("No version")
    assert open_checkout(checkout.root).version == ""
