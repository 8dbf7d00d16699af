"""A work tree with git: whether it can be written to, and what its head holds."""

from __future__ import annotations

import ast
import configparser
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from symgen.errors import ParseError, SymgenError
from symgen.merge.style import StyleHints, parse_style
from symgen.model.location import Location
from symgen.pipeline.upstream.git import Git

_IN_PROGRESS = {
    "MERGE_HEAD": "a merge",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "CHERRY_PICK_HEAD": "a cherry-pick",
}
_LINTERS = ("ruff.toml", ".ruff.toml", "pyproject.toml")


class CheckoutError(SymgenError):
    """The checkout can't take the change: it is none of the project, or not in a state to be written to."""


@dataclass(frozen=True)
class WorkTree:
    """One checkout at its head; files are read from the commit, not from the work tree."""

    git: Git
    head: str
    branch: str
    """Empty where the head is detached."""

    def read(self, path: str) -> bytes:
        """A file as the head has it."""
        return self.git.run("cat-file", "blob", f"{self.head}:{path}")

    def text(self, path: str) -> str | None:
        """The same as text, without the last line end; None where there is no such file."""
        return self.git.asks("cat-file", "blob", f"{self.head}:{path}")

    def files_in(self, *folders: str) -> frozenset[str]:
        """The files in some folders, at any depth."""
        listed = self.git.run("ls-tree", "-r", "--name-only", "-z", self.head, *folders)
        return frozenset(listed.decode("utf-8", "surrogateescape").split("\0")) - {""}

    @cached_property
    def hints(self) -> StyleHints:
        """What its linters are told of the format."""
        for name in _LINTERS:
            text = self.text(name)
            hints = parse_style(text, is_ruff=name != "pyproject.toml") if text else None
            if hints is not None and hints.line_length:
                return hints
        return _flake8_hints(self.text(".flake8") or "")


def open_work_tree(folder: Path, *, branch: str = "", commits: bool = True) -> WorkTree:
    """The work tree in a folder, if it can take a change.

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
        raise refusal(folder, "it is a bare repository, without files", "name a checkout of it")
    git.run("rev-parse", "--git-dir")
    git = Git(Path(git.line("rev-parse", "--show-toplevel")))
    head = git.asks("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if not head:
        raise refusal(folder, "it has no commit yet")
    _refuse_unready(git, folder, branch)
    current = git.asks("symbolic-ref", "--quiet", "--short", "HEAD") or ""
    if not current and not branch:
        raise refusal(folder, "its head is detached", "git switch to a branch, or --branch NAME makes one")
    if commits:
        _require_identity(git, folder)
    return WorkTree(git, head, current)


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


def refusal(folder: Path, message: str, hint: str = "") -> CheckoutError:
    """What is wrong with the checkout in a folder."""
    return CheckoutError(message, location=Location(str(folder)), hint=hint)


def _refuse_unready(git: Git, folder: Path, branch: str) -> None:
    """Refuses where something of the user's is in flight."""
    private = Path(git.line("rev-parse", "--absolute-git-dir"))
    for name, what in _IN_PROGRESS.items():
        if (private / name).exists():
            raise refusal(folder, f"{what} is in progress", "finish it first")
    changed = git.run("status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all").decode(
        "utf-8", "replace"
    )
    if changed:
        first = changed.splitlines()[0][3:]
        raise refusal(folder, f"it has changes that are not committed ({first})", "git commit or git stash them first")
    if branch:
        if git.asks("check-ref-format", "--branch", branch) is None:
            raise refusal(folder, f"{branch!r} is no name for a branch")
        if git.asks("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}"):
            raise refusal(folder, f"there is a branch {branch} already")


def _require_identity(git: Git, folder: Path) -> None:
    for wanted in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
        if git.asks("-c", "user.useConfigOnly=true", "var", wanted) is None:
            raise refusal(folder, "git does not know whose the commits are", "git config user.name and user.email")


def _flake8_hints(text: str) -> StyleHints:
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
        return StyleHints(line_length=parser.getint("flake8", "max-line-length", fallback=None))
    except (configparser.Error, ValueError):
        return StyleHints()
