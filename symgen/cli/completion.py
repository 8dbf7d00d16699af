"""Shell completion of operators' names, quick enough for a Tab: a scan of the declarations, not a parse."""

from __future__ import annotations

import re

import click

from symgen.errors import SymgenError

_NAMESPACE = "aten::"
_DECLARATION = re.compile(r"^- func: (?P<base>[A-Za-z](?:\w*[^\W_])?)[.(]", re.MULTILINE)
"""A name that starts and ends without an underscore: what is in-place or private rarely reaches the exporter."""


def complete_ops(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """The operators that start with what was typed, with or without `aten::` as it was typed."""
    from symgen.introspect.torch_install import find_torch

    try:
        text = find_torch().native_functions.read_text("utf-8")
    except (SymgenError, OSError):
        return []
    prefix = _NAMESPACE if incomplete.startswith(_NAMESPACE) else ""
    start = incomplete.removeprefix(_NAMESPACE)
    return [f"{prefix}{name}" for name in parse_names(text) if name.startswith(start)]


def parse_names(text: str) -> list[str]:
    """The sorted base names that a native_functions.yaml declares."""
    return sorted({match["base"] for match in _DECLARATION.finditer(text)})
