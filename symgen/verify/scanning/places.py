"""Where a node of a traced or scripted graph comes from: the path of its module, and the user's line of source."""

from __future__ import annotations

import dis
import os
import re
import sys
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any

import torch

from symgen.model.scan import Place

_SCRIPTED = re.compile(r'File "(?P<path>[^"]+)", line (?P<line>\d+)')
_TRACED = re.compile(r"^(?P<path>.+)\((?P<line>\d+)\): ", re.MULTILINE)
SERIALIZED = "code/"
"""Where the code of a TorchScript file stands in it; nobody knows its lines."""
_TORCH = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_INDEXING = frozenset({"BINARY_SUBSCR", "STORE_SUBSCR", "DELETE_SUBSCR", "BINARY_SLICE", "STORE_SLICE"})
"""The instructions of Python for it."""
_LIBRARY = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
_OURS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep


def place_of(node: Any) -> Place:
    """The place of a node; the innermost line that isn't torch's own."""
    path, line = user_line(node.sourceRange())
    return Place(module_path(node.scopeName()), path, line)


def module_path(scope: str) -> str:
    """`pkg.Net::/pkg.Block::blocks.0/torch.nn.Linear::proj` -> `blocks.0.proj`."""
    return ".".join(filter(None, (part.rpartition("::")[2] for part in scope.split("/"))))


def place_here(names: Mapping[int, str]) -> Place:
    """The place in the user's code that is running; `names` are the paths of the modules by their ids."""
    source: tuple[str, int] | None = None
    module: str | None = None
    for frame in _frames(sys._getframe(1)):
        if source is None and not _is_foreign(frame.f_code.co_filename):
            source = (_short(frame.f_code.co_filename), frame.f_lineno)
        owner = frame.f_locals.get("self") if frame.f_code.co_name == "forward" else None
        if module is None and isinstance(owner, torch.nn.Module):
            module = names.get(id(owner))
        if source is not None and module is not None:
            break
    return Place(module or "", *(source or ("", 0)))


def is_called_by_torch() -> bool:
    """Whether the code that is running was called by torch's own library, straight away."""
    return _caller().f_code.co_filename.startswith(_TORCH)


def is_indexing() -> bool:
    """Whether the code that is running was called by an expression like `x[:n]`."""
    caller = _caller()
    return dis.opname[caller.f_code.co_code[caller.f_lasti]] in _INDEXING


def _caller() -> FrameType:
    """The innermost frame outside of this folder."""
    return next(frame for frame in _frames(sys._getframe(1)) if not frame.f_code.co_filename.startswith(_HERE))


def blame(error: BaseException) -> Place:
    """The innermost line of the user's that an error came through."""
    found = Place()
    trace = error.__traceback__
    while trace is not None:
        path = trace.tb_frame.f_code.co_filename
        if not _is_foreign(path):
            found = Place("", _short(path), trace.tb_lineno)
        trace = trace.tb_next
    return found


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _is_foreign(path: str) -> bool:
    """Whether a line is torch's, symgen's, or of Python's own library."""
    if path.startswith((_TORCH, _OURS, "<", SERIALIZED)):
        return True
    return path.startswith(_LIBRARY) and "-packages" + os.sep not in path


def user_line(text: str, *, last: bool = False) -> tuple[str, int]:
    """The first line in a trace of calls (or its last) that is the user's; the first of all where none is."""
    found = [(match["path"], int(match["line"])) for match in _SCRIPTED.finditer(text)]
    found = found or [(match["path"], int(match["line"])) for match in _TRACED.finditer(text)]
    users = [one for one in found if not _is_foreign(one[0])] or found
    if not users:
        return "", 0
    path, line = users[-1 if last else 0]
    return _short(path), line


def _short(path: str) -> str:
    """The path from the current folder on, where it is inside."""
    folder = os.getcwd() + os.sep
    return path.removeprefix(folder)
