"""The command line. Commands and what they import are loaded when they are asked for, so that `--help` is quick."""

from __future__ import annotations

from symgen.cli.app import main

__all__ = ["main"]
