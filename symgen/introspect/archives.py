"""What a file with a model in it is, told from its bytes: nothing of it is loaded, and no pickle in it is run."""

from __future__ import annotations

import enum
import io
import json
import pickletools
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from symgen.errors import ParseError
from symgen.model.location import Location
from symgen.model.sample import DTYPES

_PICKLE = b"\x80"
_ZIP = b"PK\x03\x04"
_HARMLESS_MODULES = frozenset({"torch._utils", "torch.storage", "torch.jit._pickle", "torch.serialization"})
_HARMLESS = frozenset(
    {
        "collections OrderedDict", "builtins set", "__builtin__ set", "torch Size", "torch device", "torch dtype",
        "torch._tensor _rebuild_from_type_v2", "torch.nn.parameter Parameter", "torch Tensor", "_codecs encode",
        "builtins complex", "__builtin__ complex", "builtins bytearray", "__builtin__ bytearray",
    }
)  # fmt: skip
"""What weights and tensors are pickled with; `torch.load(weights_only=True)` takes these too."""
_DTYPES = frozenset({*DTYPES, "complex64", "complex128"})
_STRINGS = frozenset({"SHORT_BINUNICODE", "BINUNICODE", "UNICODE", "BINUNICODE8"})


class FileKind(enum.Enum):
    """What a file holds."""

    TORCHSCRIPT = "TorchScript"
    PROGRAM = "an exported program"
    PICKLE = "a pickle"


@dataclass(frozen=True)
class ModelFile:
    """A file, and what its pickles name."""

    path: Path
    kind: FileKind
    code: tuple[str, ...] = ()
    """The classes and functions that loading it would call, beyond those of plain tensors; sorted."""


def read_model_file(path: Path) -> ModelFile:
    """Looks into a file.

    Raises:
        ParseError: where it can't be read, is cut off, or holds no model.
    """
    try:
        with path.open("rb") as file:
            start = file.read(4)
            if start == _ZIP:
                return _read_archive(path)
            if start[:1] == _PICKLE:
                file.seek(0)
                return ModelFile(path, FileKind.PICKLE, tuple(sorted(set(_legacy_code(file.read())))))
    except (OSError, zipfile.BadZipFile, EOFError, ValueError, RuntimeError) as error:
        raise ParseError(f"cannot be read, it may be cut off: {error}", location=Location(str(path))) from None
    hint = "symgen scan takes a TorchScript .pt, an exported .pt2, or package.module:NAME"
    raise ParseError("is neither an archive of torch's nor a pickle", location=Location(str(path)), hint=hint)


def _read_archive(path: Path) -> ModelFile:
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        parts = {name.partition("/")[2] for name in names}
        if "archive_format" in parts or "serialized_exported_program.json" in names:
            code = _code_in(archive, _pickles_of_program(archive, names))
            return ModelFile(path, FileKind.PROGRAM, tuple(sorted(set(code))))
        if any(part.startswith("code/") for part in parts) and "constants.pkl" in parts:
            return ModelFile(path, FileKind.TORCHSCRIPT)
        if "data.pkl" in parts:
            pickles = [name for name in names if name.endswith("/data.pkl")]
            return ModelFile(path, FileKind.PICKLE, tuple(sorted(set(_code_in(archive, pickles)))))
    raise ParseError("is an archive without a model", location=Location(str(path)))


def _code_in(archive: zipfile.ZipFile, names: list[str]) -> Iterator[str]:
    """What the pickles among the members of an archive name, those of archives inside it too."""
    for name in names:
        with archive.open(name) as member:
            start = member.read(4)
            if start == _ZIP:
                with zipfile.ZipFile(io.BytesIO(start + member.read())) as inner:
                    yield from _code_in(inner, [one for one in inner.namelist() if one.endswith(".pkl")])
            elif start[:1] == _PICKLE:
                yield from pickled_names(start + member.read())


def _pickles_of_program(archive: zipfile.ZipFile, names: list[str]) -> list[str]:
    """The members that `torch.export.load` unpickles or may unpickle: all but those declared to be plain bytes."""
    plain: set[str] = set()
    for name in (name for name in names if name.endswith("_config.json")):
        table = json.loads(archive.read(name)).get("config") or {}
        entries = [entry for entry in table.values() if isinstance(entry, dict) and not entry.get("use_pickle", True)]
        plain |= {f"{name.rpartition('/')[0]}/{entry.get('path_name')}" for entry in entries}
    return [name for name in names if name not in plain]


def _legacy_code(content: bytes) -> Iterator[str]:
    """What a file of several pickles in a row names: torch's format before it wrote archives."""
    file = io.BytesIO(content)
    while file.tell() < len(content) and content[file.tell() : file.tell() + 1] == _PICKLE:
        yield from _names(file)


def pickled_names(content: bytes) -> Iterator[str]:
    """The names that unpickling would import, as `module name`, without those that plain tensors need.

    Raises:
        ValueError: where it is no pickle, or is cut off.
    """
    return _names(io.BytesIO(content))


def _names(file: io.BytesIO) -> Iterator[str]:
    texts: list[str] = []
    for opcode, argument, _ in pickletools.genops(file):
        if opcode.name in _STRINGS:
            texts.append(str(argument))
        found = ""
        if opcode.name in {"GLOBAL", "INST"}:
            found = str(argument)
        elif opcode.name == "STACK_GLOBAL":
            found = " ".join(texts[-2:])
        if found and not _is_harmless(found):
            yield found.replace(" ", ".")


def _is_harmless(name: str) -> bool:
    module, _, attribute = name.partition(" ")
    if name in _HARMLESS or (module == "torch" and attribute.endswith(("Storage", "Tensor"))):
        return True
    if module == "torch" and attribute in _DTYPES:
        return True
    return module in _HARMLESS_MODULES and attribute.startswith(("_rebuild", "build_", "restore_", "_get"))
