"""Git as a child process: its answers, and its refusals as errors that a person can mend."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from symgen.errors import SymgenError


class GitError(SymgenError):
    """Git is absent, or refused; the message is its own."""


@dataclass(frozen=True)
class Git:
    """Git in one folder; `environment` comes on top of the process's own."""

    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)

    def run(self, *arguments: str, given: bytes = b"") -> bytes:
        """What git prints.

        Raises:
            GitError: where it refuses.
        """
        done = self._call(arguments, given)
        if done.returncode:
            lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason given"]
            raise GitError(f"git {arguments[0]}: {lines[0].removeprefix('fatal: ').removeprefix('error: ')}")
        return done.stdout

    def line(self, *arguments: str, given: bytes = b"") -> str:
        """What git prints, as text without the line end."""
        return self.run(*arguments, given=given).decode("utf-8", "surrogateescape").strip()

    def asks(self, *arguments: str) -> str | None:
        """The same, None where git refuses."""
        done = self._call(arguments, b"")
        return None if done.returncode else done.stdout.decode("utf-8", "surrogateescape").strip()

    def within(self, **environment: str) -> Git:
        """The same folder under other variables."""
        return Git(self.folder, {**self.environment, **environment})

    def _call(self, arguments: tuple[str, ...], given: bytes) -> subprocess.CompletedProcess[bytes]:
        program = shutil.which("git")
        if program is None:
            raise GitError("git is not installed")
        environment = {**os.environ, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", **self.environment}
        command = [program, *arguments]
        return subprocess.run(command, cwd=self.folder, input=given, capture_output=True, env=environment, check=False)
