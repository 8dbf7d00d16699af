"""The package and its tests as they stand on disk: read under a lock, written all at once, and only what changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from symgen.config import Config, Target
from symgen.errors import MergeError
from symgen.files import Change, FileVersion, locked, read_file, write_files
from symgen.merge.bases import base_file, format_bases, parse_bases
from symgen.merge.outcome import MergeOutcome
from symgen.merge.packages import merge_init
from symgen.merge.style import StyleHints, load_style
from symgen.model.run import FileChange
from symgen.render.environment import template_environment
from symgen.render.torchlib_runtime import TRACING

INIT = "__init__.py"
_INIT_TEMPLATES = {
    Target.TORCHSCRIPT: "torchscript/package_init.py.jinja",
    Target.TORCHLIB: "torchlib/package_init.py.jinja",
}


class Store:
    """What a run reads and writes; other runs wait while it is open."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._stack = ExitStack()
        self._versions: dict[Path, FileVersion] = {}

    def __enter__(self) -> Store:
        self._stack.enter_context(locked([self._config.package, self._config.tests]))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    @property
    def hints(self) -> StyleHints:
        """What the project's configuration says of its formatting."""
        return load_style(self._config.package)

    def files(self, paths: Sequence[Path]) -> Mapping[Path, bytes | None]:
        """The files' bytes; None for one that is not there.

        Raises:
            MergeError: where one can't be read.
        """
        return {path: self._read(path).content for path in paths}

    def bases(self, paths: Sequence[Path]) -> Mapping[Path, Mapping[str, str]]:
        """The last generated texts of the files' definitions."""
        remembered = {path: self._read(self._base_path(path)).content for path in paths}
        return {path: parse_bases(text.decode("utf-8", "replace")) for path, text in remembered.items() if text}

    def changes(self, outcomes: Mapping[Path, MergeOutcome]) -> tuple[Change, ...]:
        """What is to be written: the files, the texts to remember, and the package's `__init__.py`.

        Raises:
            MergeError: where `__init__.py` can't be changed.
        """
        return tuple(change for change in self._changes(outcomes) if change.content != change.version.content)

    def _changes(self, outcomes: Mapping[Path, MergeOutcome]) -> Iterator[Change]:
        init = self._config.package / INIT
        for path, outcome in outcomes.items():
            if path != init:
                yield Change(self._read(path), outcome.after)
            text = format_bases(outcome.bases, path.name).encode() if outcome.bases else None
            yield Change(self._read(self._base_path(path)), text)
        modules = {
            path.stem: outcome.after
            for path, outcome in outcomes.items()
            if path.parent == self._config.package and path != init and not self._is_imported_by_others(path)
        }
        if modules:
            merged = outcomes[init].after if init in outcomes else self._read(init).content
            yield self._init(init, merged, modules)

    def _is_imported_by_others(self, path: Path) -> bool:
        """Whether a file is there for the others of the package, and registers nothing itself."""
        return self._config.target is Target.TORCHLIB and path.stem == TRACING

    def _init(self, path: Path, content: bytes | None, modules: Mapping[str, bytes | None]) -> Change:
        version = self._read(path)
        template = _INIT_TEMPLATES[self._config.target]
        head = template_environment(self._config.templates).get_template(template).render()
        outcome = merge_init(
            content,
            sorted(name for name, after in modules.items() if after is not None),
            path=str(path),
            head=head,
            removed=sorted(name for name, after in modules.items() if after is None),
            hints=self.hints,
        )
        if outcome.failures:
            raise MergeError(outcome.failures[0].reason, location=outcome.failures[0].location)
        return Change(version, outcome.after)

    def write(self, changes: Sequence[Change]) -> None:
        """Writes all of them, or none.

        Raises:
            MergeError: where a file can't be written, or was changed by something else since it was read.
        """
        write_files(changes)

    def _base_path(self, path: Path) -> Path:
        return Path(base_file(self._config.package, path))

    def _read(self, path: Path) -> FileVersion:
        if path not in self._versions:
            self._versions[path] = read_file(path)
        return self._versions[path]


def as_file_changes(changes: Sequence[Change]) -> tuple[FileChange, ...]:
    """The changes as a run reports them; the remembered texts are no news to anybody."""
    return tuple(
        FileChange(str(change.version.path), change.version.content, change.content)
        for change in changes
        if change.version.path.suffix == ".py"
    )
