"""Miniature checkouts.

Of PyTorch: the installed torch's own files in either layout, with a suite of the same shape. Of onnxscript: files of
the same shape as torchlib's.
"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from symgen.introspect.torch_install import find_torch

SUITE = Path(__file__).parents[1] / "upstream" / "suite"
TORCHLIB = Path(__file__).parents[1] / "upstream" / "torchlib"
OPS, ROWS = "onnxscript/function_libs/torch_lib/ops", "tests/function_libs/torch_lib/ops_test_data.py"
EXPORTER = "torch.onnx._internal.torchscript_exporter"
_INTERNAL = {"jit_utils", "registration", "onnx_proto_utils"}
"""The exporter's modules that stood in `torch/onnx/_internal` before 2.9; the others stood in `torch/onnx`."""
_CONFIGURATION = "[tool.ruff]\nline-length = 88\n"
_AUTHOR = {
    f"GIT_{role}_{what}": text
    for role in ("AUTHOR", "COMMITTER")
    for what, text in (("NAME", "A Contributor"), ("EMAIL", "a@example.com"), ("DATE", "2026-01-02T03:04:05Z"))
}


@dataclass(frozen=True)
class MiniCheckout:
    """A folder with a git repository."""

    root: Path

    def git(self, *arguments: str, given: bytes = b"") -> str:
        """What git prints; it must succeed."""
        command = ["git", *arguments]
        environment = {**os.environ, **_AUTHOR}
        done = subprocess.run(command, cwd=self.root, input=given, capture_output=True, env=environment, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    def commit_all(self, message: str) -> None:
        """Commits everything."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)

    @property
    def head(self) -> str:
        """The name of the newest commit."""
        return self.git("rev-parse", "HEAD").strip()

    def state(self) -> tuple[str, ...]:
        """What nothing may change: the head, the branches, what is not committed, and how many objects there are."""
        asked = (["branch", "--list"], ["status", "--porcelain"], ["count-objects"])
        return self.head, *(self.git(*arguments) for arguments in asked)


def make_checkout(folder: Path, *, older: bool = False, tests: bool = True) -> MiniCheckout:
    """A checkout with one commit; `older` is the layout before 2.9."""
    return _made(folder, _files(older=older, tests=tests), "PyTorch, in miniature")


def make_torchlib(folder: Path) -> MiniCheckout:
    """A checkout of onnxscript with one commit."""
    texts = {path.name.removesuffix(".txt"): path.read_text("utf-8") for path in TORCHLIB.glob("*.txt")}
    rows = {ROWS: texts.pop(Path(ROWS).name)}
    others = {"VERSION": "0.7.2\n", "pyproject.toml": "[tool.ruff]\nline-length = 95\n"}
    return _made(folder, {**{f"{OPS}/{name}": text for name, text in texts.items()}, **rows, **others}, "In miniature")


def _made(folder: Path, files: Mapping[str, str], message: str) -> MiniCheckout:
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    checkout = MiniCheckout(folder)
    checkout.git("init", "--quiet", "--initial-branch", "main")
    checkout.git("config", "user.name", "A Contributor")
    checkout.git("config", "user.email", "a@example.com")
    checkout.commit_all(message)
    return checkout


def copy_checkout(checkout: MiniCheckout, folder: Path) -> MiniCheckout:
    """The same checkout once more, for a test to change."""
    shutil.copytree(checkout.root, folder)
    return MiniCheckout(folder)


def _files(*, older: bool, tests: bool) -> Mapping[str, str]:
    install = find_torch()
    folder = install.root / "onnx"
    texts = {f"torch/onnx/{p.relative_to(folder).as_posix()}": p.read_text("utf-8") for p in folder.rglob("*.py")}
    texts = _moved(texts) if older else texts
    texts |= {"version.txt": install.version.partition("+")[0] + "\n", "pyproject.toml": _CONFIGURATION}
    if tests:
        texts |= {f"test/onnx/{p.name.removesuffix('.txt')}": p.read_text("utf-8") for p in SUITE.glob("*.txt")}
    return texts


def _moved(texts: Mapping[str, str]) -> dict[str, str]:
    """The files where they stood before 2.9, with the imports that go with that; without the shims that took over."""
    found: dict[str, str] = {}
    inside = "torch/onnx/_internal/torchscript_exporter/"
    for path, text in texts.items():
        if path.startswith(inside):
            stem = Path(path).stem
            if stem != "__init__":
                found[f"{_place(stem).replace('.', '/')}/{stem}.py"] = _older_imports(text)
    return {**{path: _older_imports(text) for path, text in texts.items() if not path.startswith(inside)}, **found}


def _place(module: str) -> str:
    return "torch.onnx._internal" if module in _INTERNAL else "torch.onnx"


def _older_imports(text: str) -> str:
    lines = text.splitlines(keepends=True)
    imports = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]
    for node in sorted(imports, key=lambda node: node.lineno, reverse=True):
        module = node.module or ""
        if module != EXPORTER and not module.startswith(f"{EXPORTER}."):
            continue
        by_place: dict[str, list[str]] = {}
        for alias in node.names:
            inner = module.removeprefix(EXPORTER).lstrip(".")
            place = f"{_place(inner)}.{inner}" if inner else _place(alias.name)
            by_place.setdefault(place, []).append(ast.unparse(alias))
        indent = " " * node.col_offset
        new = [f"{indent}from {place} import {', '.join(names)}\n" for place, names in sorted(by_place.items())]
        lines[node.lineno - 1 : node.end_lineno] = new
    return "".join(lines)
