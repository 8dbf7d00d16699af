"""torch is found and its version read without an import."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from symgen.introspect.torch_install import TorchNotFoundError, find_torch, parse_version_file
from symgen.model.location import Location

HERE = Location("version.py")


def pretend(monkeypatch: pytest.MonkeyPatch, root: Path, version_file: str | None) -> None:
    """Makes `import torch` lead to a folder with this version.py."""
    root.mkdir()
    if version_file is not None:
        (root / "version.py").write_text(version_file)
    spec = importlib.machinery.ModuleSpec("torch", None, origin=str(root / "__init__.py"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)


def test_the_installed_torch_is_found() -> None:
    install = find_torch()
    assert install.native_functions.is_file()
    assert install.symbolic_helper.is_file()
    assert [path.stem for path in install.symbolic_files] == [f"symbolic_opset{n}" for n in range(7, 21)]


def test_its_version_is_what_torch_says() -> None:
    torch = pytest.importorskip("torch")
    assert find_torch().version == torch.__version__


def test_nothing_heavy_is_imported_to_read_all_declarations() -> None:
    code = (
        "import sys\n"
        "from symgen.introspect.catalogue import load_catalogue\n"
        "from symgen.model.names import parse_op_name\n"
        "load_catalogue().operator(parse_op_name('aten::hypot'))\n"
        "print(sorted({'torch', 'torchgen', 'onnx', 'numpy', 'onnxruntime'} & set(sys.modules)))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(TorchNotFoundError, match=r"not installed.*install torch 2\.9 or newer"):
        find_torch()


@pytest.mark.parametrize("version", ["2.8.1", "2.8.0+cpu", "1.13.1", "nightly"])
def test_too_old(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str) -> None:
    pretend(monkeypatch, tmp_path / "torch", f"__version__ = '{version}'\n")
    with pytest.raises(TorchNotFoundError, match="too old"):
        find_torch()


def test_without_a_readable_version(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pretend(monkeypatch, tmp_path / "torch", None)
    with pytest.raises(TorchNotFoundError, match="cannot read the version"):
        find_torch()


@pytest.mark.parametrize("line", ["__version__ = '2.9.0'", '__version__: str = "2.9.0"', "__version__='2.9.0'"])
def test_spellings_of_the_version(line: str) -> None:
    assert parse_version_file(f"debug = False\n{line}\n", HERE) == "2.9.0"


def test_a_version_file_without_a_version() -> None:
    with pytest.raises(TorchNotFoundError, match=r"^version\.py: the file does not say"):
        parse_version_file("__version__ = compute()\n", HERE)
