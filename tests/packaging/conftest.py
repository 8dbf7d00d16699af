"""symgen as the wheel has it, in an environment of its own."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from environments import Environment, make_environment

PROJECT_FILES = ("pyproject.toml", "constraints.txt", "README.md", "LICENSE", "symgen", "templates", "golden/audit")


@pytest.fixture(scope="session")
def checkout(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a fresh clone has, as far as an installation needs it."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in PROJECT_FILES:
        source = repository / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, folder / name)
    return folder


@pytest.fixture(scope="session")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=checkout, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the wheel installed."""
    environment = make_environment(tmp_path_factory.mktemp("environment"))
    pip = [environment.commands / "pip", "install", "--quiet", "--no-deps", "--force-reinstall", wheel]
    subprocess.run(pip, check=True, capture_output=True)
    return environment
