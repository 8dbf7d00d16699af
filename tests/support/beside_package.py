"""Scripts that run beside a package made by `symgen new`, as those of a user do, and what they print."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any


def make_package(folder: Path, names: Sequence[str], target: str = "torchscript") -> None:
    """Makes a package in the folder that holds the operators, also those which torch has itself."""
    operators = [f"aten::{name}" for name in names]
    new = [sys.executable, "-m", "symgen", "new", *operators, "--target", target, "--no-verify", "--force", "-q"]
    subprocess.run(new, cwd=folder, check=True, capture_output=True, timeout=120)


def printed_by(script: ModuleType, folder: Path, *arguments: object) -> Any:
    """Runs a script in the folder; the JSON in the last line that it prints."""
    command = [sys.executable, str(Path(str(script.__file__)).resolve()), *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
