"""A group of commands whose modules are imported only when a command is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass

import click


@dataclass(frozen=True)
class LazyCommand:
    """Where a command stands, and its line in the group's help; a test holds that this is the command's own."""

    module: str
    attribute: str
    summary: str

    def load(self) -> click.Command:
        """Imports the command."""
        command = getattr(importlib.import_module(self.module), self.attribute)
        assert isinstance(command, click.Command)
        return command


class LazyGroup(click.Group):
    """Shows the commands of a table in its order, and imports only the one that is run."""

    def __init__(self, *, table: Mapping[str, LazyCommand], **attributes: object) -> None:
        super().__init__(**attributes)  # type: ignore[arg-type]  # click's own keyword arguments, passed on
        self._table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the table's order."""
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports the command; None where there is none of that name."""
        entry = self._table.get(cmd_name)
        return entry.load() if entry else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the commands' lines without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in self._table.items()])
