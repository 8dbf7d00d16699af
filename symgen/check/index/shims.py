"""What torch's modules of old names still show: since 2.9 they pass on what stands elsewhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

_STAR = re.compile(r"^from (?P<target>torch\.onnx\._internal\.[\w.]+) import \*", re.MULTILINE)
_DEFINED = re.compile(r"^(?:def|class) (\w+)|^(\w+)(?:: [^=\n]+)? = ", re.MULTILINE)
_EXPORTED = re.compile(r"^__all__(?:: [^=\n]+)? = (?P<list>\[.*?^\]|\[[^\n]*\])", re.MULTILINE | re.DOTALL)


def read_shims(onnx_folder: Path) -> dict[str, list[object]]:
    """For each module below `torch.onnx` that passes another one on: that one's name, the names shown, those hidden."""
    shims: dict[str, list[object]] = {}
    for path in sorted(onnx_folder.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        star = _STAR.search(text)
        behind = onnx_folder.parent.joinpath(*star["target"].split(".")[1:]).with_suffix(".py") if star else None
        if star and behind and behind.is_file():
            actual = behind.read_text(encoding="utf-8")
            shown = {*_star(actual), *_defined(text), *_imported(text)}
            hidden = set(_defined(actual)) - shown
            shims[f"torch.onnx.{path.stem}"] = [star["target"], sorted(shown), sorted(hidden)]
    return shims


def _star(text: str) -> list[str]:
    """What `import *` takes of a module: its `__all__`, else all that doesn't begin with an underscore."""
    match = _EXPORTED.search(text)
    if match:
        return list(ast.literal_eval(match["list"]))
    return [name for name in (*_defined(text), *_imported(text)) if not name.startswith("_")]


def _defined(text: str) -> list[str]:
    return [function or name for function, name in _DEFINED.findall(text)]


def _imported(text: str) -> Iterator[str]:
    for statement in ast.walk(ast.parse(text)):
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in statement.names if alias.name != "*")
