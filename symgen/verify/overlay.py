"""Sources over installed packages: `torch.onnx`, or onnxscript, is imported from a folder."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

_NAME = "torch.onnx"


class _Overlay:
    """Finds `torch.onnx` in a folder; all that is below it is found from there by the usual ways."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where the module stands; None for all others."""
        if fullname != _NAME:
            return None
        folder = self._folder / "torch" / "onnx"
        return importlib.util.spec_from_file_location(
            fullname, folder / "__init__.py", submodule_search_locations=[str(folder)]
        )


def install_overlay(folder: str) -> None:
    """From now on this process imports `torch.onnx` from `folder/torch/onnx`, and onnxscript from `folder/onnxscript`.

    What the folder lacks stays the installed one. Neither may have been imported yet.
    """
    assert not {_NAME, "onnxscript"} & sys.modules.keys(), "the exporter has been imported already"
    sys.dont_write_bytecode = True
    if Path(folder, "onnxscript").is_dir():
        sys.path.insert(0, folder)
    if Path(folder, "torch", "onnx").is_dir():
        sys.meta_path.insert(0, _Overlay(Path(folder)))
