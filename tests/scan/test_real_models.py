"""Models as they stand in papers, made small: scanned, what is missing written, exported, and compared."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from stories import Story

MODELS = sorted((Path(__file__).parent / "models").glob("*.py"))
OPSETS = (13, 17, 20)
CASES = [(path, opset) for path in MODELS for opset in OPSETS]


def scan(path: Path, opset: int, folder: Path) -> str:
    """What `scan --new --export` printed; it ended well."""
    shutil.copy(path, folder)
    return Story(folder).symgen("scan", f"{path.stem}:model", "--opset", str(opset), "--new", "--export", "out.onnx")


@pytest.mark.slow
@pytest.mark.parametrize(("path", "opset"), CASES, ids=[f"{path.stem}-{opset}" for path, opset in CASES])
def test_a_model_is_exported_right(path: Path, opset: int, tmp_path: Path) -> None:
    printed = scan(path, opset, tmp_path)
    assert "out.onnx: right" in printed
    assert not re.search(r": (failed|stub)\\b", printed)


def test_a_model_that_exports_as_it_is(tmp_path: Path) -> None:
    (path,) = (path for path in MODELS if path.stem == "vision_transformer")
    assert "out.onnx: right" in scan(path, 17, tmp_path)


def test_all_the_kinds_of_models_are_there() -> None:
    assert len(MODELS) == 9
