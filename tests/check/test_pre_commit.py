"""The hooks, run by the real pre-commit on a git repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CONFIGURATION = """
repos:
  - repo: {hooks}
    rev: {revision}
    hooks:
      - id: {hook}
        args: [--ignore, SG010]
"""
WRONG = """import functools

from torch.onnx._internal.torchscript_exporter import registration

__all__ = []

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=14)


@_onnx_symbolic("aten::hardswish")
def hardswish(g, self):
    return g.op("HardSwish", self)
"""
MENDED = WRONG.replace("opset=14)", "opset=14, custom=True)")


class Project:
    """A git repository that uses one of the hooks."""

    def __init__(self, folder: Path, hook: str, repository: Path) -> None:
        self.root = folder / "project"
        self._environment = {
            **os.environ,
            "PATH": f"{_with_symgen(folder / 'bin')}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(repository),
            "PRE_COMMIT_HOME": str(folder / "pre-commit"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            **{f"GIT_{role}_{what}": "tests" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        }
        hooks = folder / "hooks"
        hooks.mkdir()
        shutil.copy(repository / ".pre-commit-hooks.yaml", hooks)
        revision = self._new_repository(hooks)
        self.root.mkdir()
        (self.root / ".pre-commit-config.yaml").write_text(
            CONFIGURATION.format(hooks=hooks, revision=revision, hook=hook)
        )
        self._new_repository(self.root)

    def commit(self, name: str, text: str) -> subprocess.CompletedProcess[str]:
        """Writes a file and commits it, as far as the hook lets it."""
        (self.root / name).write_text(text)
        self.run("git", "add", name)
        self.run(sys.executable, "-m", "pre_commit", "install", "--allow-missing-config")
        return self.run("git", "commit", "-q", "-m", "A file", check=False)

    def run(self, *command: str, folder: Path | None = None, check: bool = True) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            command, cwd=folder or self.root, env=self._environment, capture_output=True, text=True, check=False
        )
        assert not check or done.returncode == 0, done.stderr + done.stdout
        return done

    def _new_repository(self, folder: Path) -> str:
        self.run("git", "init", "-q", folder=folder)
        self.run("git", "add", ".", folder=folder)
        self.run("git", "commit", "-q", "-m", "Start", folder=folder)
        return self.run("git", "rev-parse", "HEAD", folder=folder).stdout.strip()


def _with_symgen(folder: Path) -> Path:
    """A folder for the search path that has the command."""
    folder.mkdir()
    command = folder / "symgen"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m symgen "$@"\n')
    command.chmod(0o755)
    return folder


@pytest.fixture
def project(request: pytest.FixtureRequest, tmp_path: Path, repository: Path) -> Project:
    return Project(tmp_path, request.param, repository)


@pytest.mark.parametrize("project", ["symgen-check"], indirect=True)
def test_a_wrong_file_is_not_committed_and_left_as_it_is(project: Project) -> None:
    done = project.commit("symbolic_opset14.py", WRONG)
    assert done.returncode == 1
    assert "symbolic_opset14.py:10:2: SG015" in done.stdout + done.stderr
    assert (project.root / "symbolic_opset14.py").read_text() == WRONG


@pytest.mark.parametrize("project", ["symgen-check"], indirect=True)
def test_right_files_and_others_are_committed(project: Project) -> None:
    assert project.commit("symbolic_opset14.py", MENDED).returncode == 0
    assert project.commit("model.py", "import torch\n\nmodel = torch.nn.ReLU()\n").returncode == 0


@pytest.mark.parametrize("project", ["symgen-fix"], indirect=True)
def test_what_is_mechanical_is_mended_and_passes_the_second_time(project: Project) -> None:
    assert project.commit("symbolic_opset14.py", WRONG).returncode == 1
    assert (project.root / "symbolic_opset14.py").read_text() == MENDED
    assert project.commit("symbolic_opset14.py", MENDED).returncode == 0
