"""Loads the index of the installed torch and onnx; neither is imported, nor what reads them, where it is cached."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from symgen.check.index.model import CheckIndex
from symgen.introspect.cache import cached
from symgen.introspect.torch_install import TorchInstall, find_torch


def load_index() -> CheckIndex:
    """The index, from the cache where the files that it was made from are as they were.

    Raises:
        SymgenError: where torch or onnx is absent or too old, or one of their files can't be read.
    """
    install = find_torch()

    def build() -> object:
        from symgen.check.index.build import build_rows

        return build_rows(install)

    return CheckIndex(cached("check", [install.version], _sources(install), build))


def _sources(install: TorchInstall) -> list[Path]:
    """What the index depends on: torch's declarations and exporter, the version of onnx, and this folder's own code."""
    onnx = importlib.util.find_spec("onnx")
    candidates = [
        install.native_functions,
        *sorted((install.root / "_C").glob("*.pyi")),
        install.root / "nn" / "functional.pyi",
        install.root / "onnx" / "__init__.py",
        *install.symbolic_files,
        *([Path(onnx.origin).with_name("version.py")] if onnx and onnx.origin else []),
        *sorted(Path(__file__).parent.glob("*.py")),
    ]
    return [path for path in candidates if path.is_file()]
