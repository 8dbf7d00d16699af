"""What is drafted for a checkout: the files as they become, and what is said of each operator."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Generic, TypeVar

from symgen.errors import SymgenError
from symgen.introspect.torch_install import find_torch
from symgen.model.names import OpName
from symgen.pipeline.decide import Decision
from symgen.pipeline.upstream.message import Contribution
from symgen.pipeline.upstream.work_tree import WorkTree

_OPINFO = re.compile(r"""Info\(\s*["']([\w.]+)["']""")
_OPINFO_FILES = ("common_methods_invocations.py", "opinfo/definitions/*.py")
_OF_OPSETS = re.compile(r"opset \d+ is the first")
"""What a decision says where a lower opset was asked for; the message says the opset in any case."""
Tree = TypeVar("Tree", bound=WorkTree)


class UnfitError(SymgenError):
    """The checkout can't hold the operator; the others are not concerned."""

    exit_status = 1


@dataclass
class Contents(Generic[Tree]):
    """The files of a checkout, with all that was drafted so far."""

    checkout: Tree
    changed: dict[str, bytes] = field(default_factory=dict)

    def read(self, path: str) -> bytes:
        """A file as it is by now."""
        return self.changed[path] if path in self.changed else self.checkout.read(path)

    def text(self, path: str) -> str:
        """The same as text."""
        return self.read(path).decode("utf-8")

    @contextlib.contextmanager
    def kept_on_failure(self) -> Iterator[None]:
        """Where what is done under it fails, the files are as they were."""
        before = dict(self.changed)
        try:
            yield
        except BaseException:
            self.changed.clear()
            self.changed.update(before)
            raise


@dataclass(frozen=True)
class Draft:
    """One operator, ready to be committed."""

    decision: Decision
    files: Mapping[str, bytes]
    """The changed files, with what was drafted before in them."""
    code: tuple[str, ...]
    tests: Mapping[str, str]
    """The files that a test runner is given, with what `-k` finds the operator's test by."""
    test_files: tuple[str, ...]
    """Where the operator's test is written, which may be a table beside the file that runs it."""
    contribution: Contribution


def refused(decision: Decision) -> tuple[str, ...]:
    """What raises, each once and without the values of the graph that the exporter names behind it."""
    sentences = (part.partition("  [Caused by")[0].strip() for part in decision.reason.split("; "))
    return tuple(dict.fromkeys(one for one in sentences if one and not _OF_OPSETS.match(one)))


def opinfo_name(op: OpName) -> str:
    """What the database of operators calls it; empty where it has none of that name."""
    parted = (op.base.replace(f"{module}_", f"{module}.", 1) for module in ("linalg", "special", "fft"))
    candidates = [op.base, *parted, f"nn.functional.{op.base}"]
    return next((name for name in candidates if name in _opinfo_names()), "") if op.namespace == "aten" else ""


@cache
def _opinfo_names() -> frozenset[str]:
    folder = find_torch().root / "testing" / "_internal"
    files = (path for pattern in _OPINFO_FILES for path in folder.glob(pattern))
    return frozenset(name for path in files for name in _OPINFO.findall(path.read_text("utf-8")))
