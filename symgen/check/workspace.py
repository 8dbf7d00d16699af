"""The files around the checked ones: which of them register, what for, and what the tests name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from symgen.check.engine import not_python, read_or_finding
from symgen.check.findings import Finding
from symgen.check.reading.module import FILE_NAME, SymbolicModule
from symgen.check.settings import CheckSettings
from symgen.check.source import Source, UndecodableError, decode
from symgen.check.surroundings import NeighbourRegistration
from symgen.model.location import Location

_REGISTERING = re.compile(rb"onnx_symbolic|register_custom_op_symbolic|\bregistry\.register\b")
_SYMBOLIC_METHOD = re.compile(rb"\bdef symbolic\b")
_TORCH_OP = re.compile(rb"@(?:\w+\.)*torch_op\(")
_SYMBOLIC_FUNCTION = re.compile(rb"@(?:\w+\.)*parse_args\(|\bg\.op\(|\bGraphContext\b|\bsymbolic_helper\b")
_GENERATED_HELPER = re.compile(rb"^# symgen: _\w+ ", re.MULTILINE)
_TEST = re.compile(rb"^(?:@.*\n)*def test_", re.MULTILINE)
_OP_NAME = re.compile(rb"[\"']((?:\w*)::\w+)[\"']")
_COMPUTED_NAME = re.compile(rb"::\{|::[\"'] ?[%+.]")
_WORD = re.compile(rb"\w+::\w+|[A-Za-z_]\w*")
_ANY_OP = ""


def may_be_symbolic(name: str, content: bytes) -> bool:
    """Whether a file's name says that it holds symbolic functions, or its bytes mention what they are made of.

    So does what symgen wrote for such functions to call. It says the same of a file that is broken, which can't be read
    to tell more.
    """
    marks = (_REGISTERING, _SYMBOLIC_METHOD, _TORCH_OP, _SYMBOLIC_FUNCTION)
    if FILE_NAME.fullmatch(name) or any(one.search(content) for one in marks):
        return True
    return holds_generated_helpers(content)


def holds_generated_helpers(content: bytes) -> bool:
    """Whether a file holds what symgen wrote for symbolic functions of other files to call."""
    return bool(_GENERATED_HELPER.search(content)) and not _TEST.search(content)


@dataclass(eq=False)
class Workspace:
    """Remembers what was read of folders and tests while one call checks many files."""

    settings: CheckSettings
    _folders: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    _registrations: dict[str, dict[str, list[NeighbourRegistration]]] = field(default_factory=dict)
    _words: frozenset[bytes] | None = None

    def around(self, module: SymbolicModule) -> FileSurroundings:
        """What stands around one of the files; what is known of the file itself is remembered for its neighbours."""
        self._registrations.setdefault(module.path, _by_op(module))
        return FileSurroundings(self, module.path)

    def beside(self, path: str, op: str) -> Iterator[NeighbourRegistration]:
        """What the other files in a file's folder register for an operator."""
        mentions = self._mentions(os.path.dirname(path))
        for neighbour in (*mentions.get(op, ()), *mentions.get(_ANY_OP, ())):
            if os.path.basename(neighbour) != os.path.basename(path):
                yield from self._registered_in(neighbour).get(op, ())

    def words_of_tests(self) -> frozenset[bytes]:
        """Every word and operator's name in the project's tests, and the beginnings of the names of tests."""
        if self._words is None:
            contents = (path.read_bytes() for path in sorted(self.settings.tests.rglob("*.py")) if _is_test(path))
            words = {word for content in contents for word in _WORD.findall(content)}
            tests = [word for word in words if word.startswith(b"test_")]
            words.update(b"_".join(parts) for test in tests for parts in _beginnings(test.split(b"_")))
            self._words = frozenset(words)
        return self._words

    def scan(self, folder: str) -> None:
        """Reads which operators the files of a folder mention, if that isn't known yet."""
        self._mentions(folder)

    def _mentions(self, folder: str) -> dict[str, list[str]]:
        if folder not in self._folders:
            found: dict[str, list[str]] = {}
            for path, content in _python_files(folder):
                if _REGISTERING.search(content):
                    for op in _ops_in(content):
                        found.setdefault(op, []).append(path)
            self._folders[folder] = found
        return self._folders[folder]

    def _registered_in(self, path: str) -> dict[str, list[NeighbourRegistration]]:
        if path not in self._registrations:
            module = load_module(path)
            self._registrations[path] = {} if isinstance(module, Finding) else _by_op(module)
        return self._registrations[path]


class FileSurroundings(NamedTuple):
    """What stands around one file."""

    workspace: Workspace
    path: str

    def neighbours(self, op: str) -> Sequence[NeighbourRegistration]:
        """What the other files of the folder register for an operator, by opset."""
        return sorted(self.workspace.beside(self.path, op), key=lambda found: (found.opset, found.location))

    def is_tested(self, op: str, function: str) -> bool | None:
        """Whether a test names the operator, its function, or is named after it."""
        words = self.workspace.words_of_tests()
        base = op.partition("::")[2]
        names = (op, base, function, f"test_{base}", f"test_{function}")
        return any(name.encode() in words for name in names)


def load_module(path: str) -> SymbolicModule | Finding:
    """Reads a file from the disk, or gives the finding that it is not Python.

    Raises:
        OSError: where it can't be read.
    """
    try:
        text = decode(Path(path).read_bytes())
    except UndecodableError as error:
        return not_python(path, str(error))
    return read_or_finding(Source(path, text))


def _by_op(module: SymbolicModule) -> dict[str, list[NeighbourRegistration]]:
    """What a file registers whatever the circumstances."""
    found: dict[str, list[NeighbourRegistration]] = {}
    for registration in module.registrations:
        if not registration.branch:
            location = Location(module.path, registration.node.lineno)
            for opset in registration.opsets or ():
                neighbour = NeighbourRegistration(opset, registration.custom, location)
                found.setdefault(registration.op, []).append(neighbour)
    return found


def _ops_in(content: bytes) -> Iterable[str]:
    """The operators that a file's text names; the empty name where it computes some."""
    names = {name.decode("ascii", "replace") for name in _OP_NAME.findall(content)}
    ops = {f"aten{name}" if name.startswith("::") else name for name in names}
    return ops | {_ANY_OP} if _COMPUTED_NAME.search(content) else ops


def _python_files(folder: str) -> Iterator[tuple[str, bytes]]:
    with os.scandir(folder or ".") as entries:
        names = sorted(entry.name for entry in entries if entry.name.endswith(".py"))
    for name in names:
        path = os.path.join(folder, name)
        try:
            yield path, Path(path).read_bytes()
        except OSError:
            continue


def _beginnings(parts: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    """`test_index_add_at_9` is a test of index and of index_add."""
    return (parts[:end] for end in range(2, len(parts) + 1))


def _is_test(path: Path) -> bool:
    return path.name.startswith("test_") or path.stem.endswith("_test")
