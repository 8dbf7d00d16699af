"""A checkout of PyTorch: whether it can be written to, and where its exporter has its files, as its own files say."""

from __future__ import annotations

import ast
import configparser
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from symgen.errors import ParseError, SymgenError
from symgen.introspect.registered import Registered, parse_registered
from symgen.merge.style import StyleHints, parse_style
from symgen.model.location import Location
from symgen.pipeline.upstream.git import Git

_LAYOUTS = (PurePosixPath("torch/onnx/_internal/torchscript_exporter"), PurePosixPath("torch/onnx"))
"""Where the symbolic functions stand since 2.9, and before; each file that is left in the older place is a shim."""
_REGISTERS = re.compile(rb"^_onnx_symbolic = functools\.partial\(registration\.onnx_symbolic\b", re.MULTILINE)
_SYMBOLIC_FILE = re.compile(r"symbolic_opset(\d+)\.py")
_IN_PROGRESS = {
    "MERGE_HEAD": "a merge",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "CHERRY_PICK_HEAD": "a cherry-pick",
}
_LINTERS = ("ruff.toml", ".ruff.toml", "pyproject.toml")


class CheckoutError(SymgenError):
    """The checkout can't take the change: it is no checkout of PyTorch, or not in a state to be written to."""


@dataclass(frozen=True)
class Checkout:
    """One checkout at its head; files are read from the commit, not from the work tree."""

    git: Git
    head: str
    branch: str
    """Empty where the head is detached."""
    layout: PurePosixPath
    """The folder with the `symbolic_opset<N>.py` that register."""

    @cached_property
    def paths(self) -> frozenset[str]:
        """The Python files of the exporter and its tests."""
        listed = self.git.run("ls-tree", "-r", "--name-only", "-z", self.head, "torch/onnx", "test/onnx")
        return frozenset(listed.decode("utf-8", "surrogateescape").split("\0")) - {""}

    def read(self, path: str) -> bytes:
        """A file as the head has it."""
        return self.git.run("cat-file", "blob", f"{self.head}:{path}")

    def symbolic_file(self, opset: int) -> str:
        """The file of an opset, whether it is there or not."""
        return str(self.layout / f"symbolic_opset{opset}.py")

    @cached_property
    def opsets(self) -> tuple[int, ...]:
        """The opsets that have a file, rising."""
        names = (PurePosixPath(path) for path in self.paths if PurePosixPath(path).parent == self.layout)
        return tuple(sorted(int(m[1]) for name in names if (m := _SYMBOLIC_FILE.fullmatch(name.name))))

    @cached_property
    def registered(self) -> Registered:
        """What its exporter registers.

        Raises:
            ParseError: where one of its files is not Python, with the line.
        """
        wanted = [self.symbolic_file(opset) for opset in self.opsets]
        wanted.append(self.module_path("symbolic_helper"))
        return parse_registered({Path(path): self.read(path).decode("utf-8", "replace") for path in wanted})

    def module_path(self, stem: str) -> str:
        """The file of one of the exporter's modules, in the folder where this layout has it."""
        places = (self.layout, PurePosixPath("torch/onnx/_internal"), PurePosixPath("torch/onnx"))
        return next((path for place in places if (path := str(place / f"{stem}.py")) in self.paths), f"{stem}.py")

    def module_package(self, stem: str) -> str:
        """The package that one of the exporter's modules is imported from."""
        return str(PurePosixPath(self.module_path(stem)).parent).replace("/", ".")

    @cached_property
    def hints(self) -> StyleHints:
        """What its linters are told of the format."""
        for name in _LINTERS:
            text = self.git.asks("cat-file", "blob", f"{self.head}:{name}")
            hints = parse_style(text, is_ruff=name != "pyproject.toml") if text else None
            if hints is not None and hints.line_length:
                return hints
        return _flake8_hints(self.git.asks("cat-file", "blob", f"{self.head}:.flake8") or "")

    @cached_property
    def version(self) -> str:
        """Its version as `version.txt` has it; empty where there is none."""
        return self.git.asks("cat-file", "blob", f"{self.head}:version.txt") or ""


def open_checkout(folder: Path, *, branch: str = "", commits: bool = True) -> Checkout:
    """The checkout in a folder, if it can take a change.

    Args:
        folder: the checkout, or a folder in it.
        branch: a new branch that is to take the change.
        commits: whether commits will be made, for which git has to know whose they are.

    Raises:
        CheckoutError: where it can't, with what to do.
        GitError: where git is absent or refuses.
    """
    if not folder.is_dir():
        raise CheckoutError("there is no such folder", location=Location(str(folder)))
    git = Git(folder)
    if git.asks("rev-parse", "--is-bare-repository") == "true":
        raise _error(folder, "it is a bare repository, without files", "name a checkout of it")
    git.run("rev-parse", "--git-dir")
    git = Git(Path(git.line("rev-parse", "--show-toplevel")))
    head = git.asks("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if not head:
        raise _error(folder, "it has no commit yet")
    _refuse_unready(git, folder, branch)
    current = git.asks("symbolic-ref", "--quiet", "--short", "HEAD") or ""
    if not current and not branch:
        raise _error(folder, "its head is detached", "git switch to a branch, or --branch NAME makes one")
    if commits:
        _require_identity(git, folder)
    return Checkout(git, head, current, _find_layout(git, head, folder))


def check_python(content: bytes, path: str) -> None:
    """Makes sure that a file is Python.

    Raises:
        ParseError: where it is not, with the line.
    """
    try:
        ast.parse(content)
    except (SyntaxError, ValueError) as error:
        location = Location(path, getattr(error, "lineno", None) or 0)
        raise ParseError(f"not valid Python: {getattr(error, 'msg', error)}", location=location) from None


def _refuse_unready(git: Git, folder: Path, branch: str) -> None:
    """Refuses where something of the user's is in flight."""
    private = Path(git.line("rev-parse", "--absolute-git-dir"))
    for name, what in _IN_PROGRESS.items():
        if (private / name).exists():
            raise _error(folder, f"{what} is in progress", "finish it first")
    changed = git.run("status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all").decode(
        "utf-8", "replace"
    )
    if changed:
        first = changed.splitlines()[0][3:]
        raise _error(folder, f"it has changes that are not committed ({first})", "git commit or git stash them first")
    if branch:
        if git.asks("check-ref-format", "--branch", branch) is None:
            raise _error(folder, f"{branch!r} is no name for a branch")
        if git.asks("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}"):
            raise _error(folder, f"there is a branch {branch} already")


def _require_identity(git: Git, folder: Path) -> None:
    for wanted in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
        if git.asks("-c", "user.useConfigOnly=true", "var", wanted) is None:
            raise _error(folder, "git does not know whose the commits are", "git config user.name and user.email")


def _find_layout(git: Git, head: str, folder: Path) -> PurePosixPath:
    """The folder whose files register; the others of that name only hand on."""
    seen = False
    for layout in _LAYOUTS:
        text = git.asks("cat-file", "blob", f"{head}:{layout}/symbolic_opset9.py")
        seen = seen or text is not None
        if text is not None and _REGISTERS.search(text.encode("utf-8", "surrogateescape")):
            return layout
    if seen:
        what = "its symbolic functions are not registered by @_onnx_symbolic, as those of torch 1.13 and later are"
        raise _error(folder, what, "name a newer checkout")
    raise _error(folder, f"it is no checkout of PyTorch: it has no {_LAYOUTS[1]}/symbolic_opset9.py")


def _flake8_hints(text: str) -> StyleHints:
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
        return StyleHints(line_length=parser.getint("flake8", "max-line-length", fallback=None))
    except (configparser.Error, ValueError):
        return StyleHints()


def _error(folder: Path, message: str, hint: str = "") -> CheckoutError:
    return CheckoutError(message, location=Location(str(folder)), hint=hint)
