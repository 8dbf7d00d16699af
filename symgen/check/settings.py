"""What a check is asked to look at."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class CheckSettings:
    """The options of one check; the command line and `[tool.symgen]` fill them in."""

    package: Path = Path("symbolics")
    """Where files are looked for when no path is named."""
    tests: Path = Path("tests")
    """Where the functions' round-trip tests are looked for."""
    opset: int | None = None
    """The lowest opset that the project wants: what happens below it is not looked at."""
    select: tuple[str, ...] = ()
    """Codes, or beginnings of codes, that are reported; empty for all."""
    ignore: tuple[str, ...] = ()
    """Codes, or beginnings of codes, that are not reported, whatever `select` says."""
    jobs: int = 1
    """How many processes share the files; 1 stays in this one."""

    def wants(self, code: str) -> bool:
        """Whether findings of this code are reported."""
        return (not self.select or code.startswith(self.select)) and not code.startswith(self.ignore)


DEFAULTS = CheckSettings()
"""Every code, in the default places."""
