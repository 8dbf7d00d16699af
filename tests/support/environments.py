"""Virtual environments for tests that must install something, without downloading anything."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Environment:
    """A virtual environment that sees the packages of the current one behind its own."""

    root: Path

    @property
    def commands(self) -> Path:
        """The folder with `python`, `pip` and `symgen`."""
        return self.root / "bin"

    def environ(self) -> Mapping[str, str]:
        """The environment variables with these commands first, and no build that downloads its own tools."""
        return {**os.environ, "PATH": f"{self.commands}:{os.environ['PATH']}", "PIP_NO_BUILD_ISOLATION": "false"}

    def shell(self, script: str, folder: Path) -> subprocess.CompletedProcess[str]:
        """Runs a script in a folder, and fails with what it printed where it fails."""
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=folder,
            env=self.environ(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
        return done


HIDING = """\
import sys

sys.modules.update(dict.fromkeys({modules!r}))
"""


def make_environment(root: Path, hidden: Sequence[str] = ()) -> Environment:
    """Makes a virtual environment with pip, and lets it see the current packages but for some modules."""
    venv.create(root, with_pip=True, symlinks=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = root / "lib" / version / "site-packages"
    (packages / "current.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    if hidden:
        (packages / "sitecustomize.py").write_text(HIDING.format(modules=tuple(hidden)), "utf-8")
    return Environment(root)
