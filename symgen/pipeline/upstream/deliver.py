"""Commits in a checkout: made beside it first, so that it gets all of them or none."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from symgen.pipeline.upstream.git import Git
from symgen.pipeline.upstream.work_tree import WorkTree


@dataclass(frozen=True)
class Commit:
    """One commit to make: its message, and the files that it changes."""

    message: str
    files: Mapping[str, bytes]


@contextlib.contextmanager
def beside(checkout: WorkTree) -> Iterator[Git]:
    """Git with an index and a store for objects of its own; what is made there goes with it."""
    with tempfile.TemporaryDirectory(prefix="symgen-") as folder:
        objects = Path(folder, "objects")
        objects.mkdir()
        shared = Path(checkout.git.line("rev-parse", "--path-format=absolute", "--git-path", "objects"))
        yield checkout.git.within(
            GIT_INDEX_FILE=str(Path(folder, "index")),
            GIT_OBJECT_DIRECTORY=str(objects),
            GIT_ALTERNATE_OBJECT_DIRECTORIES=str(shared),
        )


@contextlib.contextmanager
def inside(checkout: WorkTree) -> Iterator[Git]:
    """Git with an index of its own, whose objects stay in the checkout."""
    with tempfile.TemporaryDirectory(prefix="symgen-") as folder:
        yield checkout.git.within(GIT_INDEX_FILE=str(Path(folder, "index")))


def make_commits(git: Git, head: str, commits: Sequence[Commit], *, sign: bool = False) -> tuple[str, ...]:
    """Makes commits upon a head, without touching a branch or a file; their names, in order.

    With `sign` they are signed where git is told to sign commits.

    Raises:
        GitError: where git refuses.
    """
    git.run("read-tree", head)
    made: list[str] = []
    signs = sign and git.asks("config", "--type=bool", "commit.gpgSign") == "true"
    options = ["-S"] if signs else []
    for commit in commits:
        for path, content in commit.files.items():
            blob = git.line("hash-object", "-w", "--stdin", given=content)
            mode = git.line("ls-files", "--stage", "--", path).partition(" ")[0] or "100644"
            git.run("update-index", "--add", "--cacheinfo", f"{mode},{blob},{path}")
        tree = git.line("write-tree")
        parent = made[-1] if made else head
        made.append(git.line("commit-tree", *options, tree, "-p", parent, given=commit.message.encode()))
    return tuple(made)


def patch_of(git: Git, base: str, last: str) -> bytes:
    """The commits as what `git am` and `git apply` take."""
    return git.run("format-patch", "--stdout", "--no-signature", "--no-ext-diff", "--no-color", f"{base}..{last}")


def diff_of(git: Git, base: str, last: str) -> bytes:
    """All changes as one diff."""
    return git.run("diff", "--no-ext-diff", "--no-color", "--binary", base, last)


def move_branch(checkout: WorkTree, last: str, branch: str) -> None:
    """Takes the branch, or a new one, and the work tree to the last commit."""
    if branch:
        checkout.git.run("switch", "--quiet", "--no-track", "--create", branch, last)
    else:
        checkout.git.run("merge", "--quiet", "--ff-only", "--no-verify-signatures", last)
