"""The package that `new` writes, with what it takes to publish it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from symgen.config import Config, NewOptions
from symgen.files import Change, read_file, write_files
from symgen.model.result import Outcome
from symgen.model.run import FileChange, Listener, ignore_steps
from symgen.pipeline.new import new
from symgen.pipeline.upstream.options import Contributed, UpstreamRun
from symgen.render.environment import template_environment

_TEMPLATE = "upstream/pyproject.toml.jinja"


def write_package(asked: Sequence[str], config: Config, listener: Listener = ignore_steps) -> UpstreamRun:
    """Writes the operators into the package as `new` does, and beside it a `pyproject.toml` where there is none.

    Raises:
        SymgenError: where a name, the configuration or an installed package is not usable; nothing is written then.
        InterruptedVerification: on Ctrl-C; nothing is written then.
    """
    run = new(asked, config, NewOptions(), listener)
    contributed = tuple(map(Contributed, run.outcomes))
    served = [outcome for outcome in run.outcomes if outcome.files]
    project = read_file(config.package.parent / "pyproject.toml")
    if not served or project.content is not None:
        return UpstreamRun(contributed, changes=run.changes)
    content = _project(config.package, served).encode()
    if not config.dry_run:
        write_files([Change(project, content)])
    return UpstreamRun(contributed, changes=(*run.changes, FileChange(str(project.path), None, content)))


def _project(package: Path, served: Sequence[Outcome]) -> str:
    """The project's file; loading its entry point registers the functions."""
    template = template_environment().get_template(_TEMPLATE)
    return template.render(package=package.name, ops=[outcome.op for outcome in served])
