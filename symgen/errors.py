"""The errors that a person can mend; everything else that is raised is a bug and shows its traceback."""

from __future__ import annotations

from collections.abc import Sequence

from symgen.model.location import Location


class SymgenError(Exception):
    """Something the user must mend: what was wrong, where, and what to do.

    `exit_status` is what the command line ends with: 2 for usage and for what cannot be read, 1 for a finding.
    """

    exit_status = 2

    def __init__(self, message: str, *, location: Location | None = None, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.location = location
        self.hint = hint

    def __str__(self) -> str:
        where = f"{self.location}: " if self.location else ""
        return f"{where}{self.message}" + (f" ({self.hint})" if self.hint else "")


class UsageError(SymgenError):
    """The command line, a configuration key or an operator's name is not usable; exit status 2."""


class UnknownNameError(UsageError):
    """A name that nothing declares; `nearest` holds the closest valid ones, best first, which a hint says better."""

    def __init__(
        self, message: str, *, nearest: Sequence[str] = (), location: Location | None = None, hint: str = ""
    ) -> None:
        hint = hint or ("did you mean " + ", ".join(nearest) + "?" if nearest else "")
        super().__init__(message, location=location, hint=hint)
        self.nearest = tuple(nearest)


class ParseError(SymgenError):
    """A declaration, a schema or a file that cannot be read; the location says where."""


class MergeError(SymgenError):
    """The target file cannot take the change (syntax error, not byte-exact, changed meanwhile, …); exit status 1."""

    exit_status = 1
