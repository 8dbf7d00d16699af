"""The Jinja environment: a user's own templates first, symgen's behind them; an unknown name is an error."""

from __future__ import annotations

import functools
from pathlib import Path

import jinja2

from symgen.resources import templates_folder


@functools.lru_cache(maxsize=4)
def template_environment(own_templates: Path | None = None) -> jinja2.Environment:
    """The environment; templates decide nothing about types, they only lay out what they are given."""
    folders = [*([own_templates] if own_templates else []), templates_folder()]
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folders),
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
        lstrip_blocks=True,
    )
