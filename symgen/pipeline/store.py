"""The package and its tests on disk: read once, written once, and only what changed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from symgen.config import Config
from symgen.merge.outcome import MergeOutcome
from symgen.merge.style import StyleHints, load_style
from symgen.model.run import FileChange


class Store:
    """What a run reads and writes."""

    def __init__(self, config: Config) -> None:
        self._config = config

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        pass

    @property
    def hints(self) -> StyleHints:
        return load_style(self._config.package)

    def files(self, paths: Sequence[Path]) -> Mapping[Path, bytes | None]:
        return {path: path.read_bytes() if path.exists() else None for path in paths}

    def bases(self, paths: Sequence[Path]) -> Mapping[Path, Mapping[str, str]]:
        return {path: json.loads(self._base(path).read_text()) if self._base(path).exists() else {} for path in paths}

    def _base(self, path: Path) -> Path:
        return self._config.package / ".symgen" / f"{path.stem}.json"

    def changes(self, outcomes: Mapping[Path, MergeOutcome]) -> tuple[FileChange, ...]:
        found = [FileChange(str(path), outcome.before, outcome.after) for path, outcome in outcomes.items() if outcome.changed]
        init = self._config.package / "__init__.py"
        if not init.exists():
            names = sorted(p.stem for p in outcomes if p.parent == self._config.package)
            text = '"""ONNX symbolic functions; importing this package registers all of them."""\n\nfrom . import ' + ", ".join(names) + "\n"
            found.append(FileChange(str(init), None, text.encode()))
        return tuple(found)

    def write(self, changes: Sequence[FileChange], outcomes: Mapping[Path, MergeOutcome]) -> None:
        for change in changes:
            Path(change.path).parent.mkdir(parents=True, exist_ok=True)
            Path(change.path).write_bytes(change.after or b"")
        for path, outcome in outcomes.items():
            self._base(path).parent.mkdir(parents=True, exist_ok=True)
            self._base(path).write_text(json.dumps(dict(outcome.bases)))
