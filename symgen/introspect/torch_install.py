"""Where the installed torch stands; found without importing it."""

from __future__ import annotations

import importlib.util
import re
from dataclasses import dataclass
from pathlib import Path

from symgen.errors import SymgenError
from symgen.model.location import Location

OLDEST_TORCH = (2, 9)
_EXPORTER = Path("onnx", "_internal", "torchscript_exporter")
_NATIVE_FUNCTIONS = Path("torchgen", "packaged", "ATen", "native", "native_functions.yaml")
_INSTALL_HINT = f"install torch {OLDEST_TORCH[0]}.{OLDEST_TORCH[1]} or newer into this environment"


class TorchNotFoundError(SymgenError):
    """No usable torch is installed beside symgen."""


@dataclass(frozen=True)
class TorchInstall:
    """An installed torch: `root` is the folder of the package `torch`, `version` its `__version__`."""

    root: Path
    version: str

    @property
    def native_functions(self) -> Path:
        """The declarations of all ATen operators; the wheel ships them inside torchgen."""
        return self.root.parent / _NATIVE_FUNCTIONS

    @property
    def symbolic_files(self) -> tuple[Path, ...]:
        """The exporter's `symbolic_opset*.py`, by rising opset."""
        found = (self.root / _EXPORTER).glob("symbolic_opset*.py")
        return tuple(sorted(found, key=lambda path: int(path.stem.removeprefix("symbolic_opset"))))

    @property
    def symbolic_helper(self) -> Path:
        """The exporter's `symbolic_helper.py`."""
        return self.root / _EXPORTER / "symbolic_helper.py"


def find_torch() -> TorchInstall:
    """Finds torch the way an import would, and reads its version as text.

    Raises:
        TorchNotFoundError: where torch is absent, unreadable or older than 2.9.
    """
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        raise TorchNotFoundError("torch is not installed", hint=_INSTALL_HINT)
    root = Path(spec.origin).parent
    try:
        text = (root / "version.py").read_text(encoding="utf-8")
    except OSError as error:
        raise TorchNotFoundError(f"cannot read the version of torch: {error}", hint=_INSTALL_HINT) from error
    version = parse_version_file(text, Location(str(root / "version.py")))
    if _release(version) < OLDEST_TORCH:
        raise TorchNotFoundError(f"torch {version} is too old", location=Location(str(root)), hint=_INSTALL_HINT)
    return TorchInstall(root, version)


def parse_version_file(text: str, location: Location) -> str:
    """The value of `__version__` in torch's `version.py`.

    Raises:
        TorchNotFoundError: where the file assigns no such string.
    """
    match = re.search(
        r"^__version__\s*(?::\s*\w+\s*)?=\s*(?P<quote>['\"])(?P<version>.+?)(?P=quote)", text, re.MULTILINE
    )
    if match is None:
        raise TorchNotFoundError("the file does not say torch's version", location=location, hint=_INSTALL_HINT)
    return match["version"]


def _release(version: str) -> tuple[int, ...]:
    """The leading numbers of a version: `(2, 13)` for `2.13.0+cpu`."""
    match = re.match(r"(\d+)\.(\d+)", version)
    return (int(match[1]), int(match[2])) if match else (0,)
