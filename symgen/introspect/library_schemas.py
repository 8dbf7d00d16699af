"""Schemas of operators that only C++ declares (`quantized::add`), read out of torch's compiled library as text."""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator
from pathlib import Path

from symgen.introspect.torch_install import TorchInstall

_LIBRARIES = ("libtorch_cpu.so", "libtorch_cpu.dylib", "torch_cpu.dll")
_SCHEMA = re.compile(rb"(?P<call>\w+::\w+(?:\.\w+)?\([ -~]*\))\s*->\s*(?P<returns>[ -~]+)")


def library_file(install: TorchInstall) -> Path | None:
    """The library that registers torch's operators; its name depends on the platform. None where there is none."""
    candidates = (install.root / "lib" / name for name in _LIBRARIES)
    return next((path for path in candidates if path.is_file()), None)


def load_library_schemas(install: TorchInstall, namespace: str) -> dict[str, tuple[str, ...]]:
    """The texts of the schemas that torch's library registers in a namespace, by qualified name without overload.

    The texts stand in the library as the C++ macros had them. Empty where the library cannot be read.
    """
    path = library_file(install)
    if path is None:
        return {}
    found: dict[str, dict[str, str]] = {}
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        for text in sorted(_schemas(content, f"{namespace}::".encode())):
            name = text.partition("(")[0]
            found.setdefault(name.partition(".")[0], {})[name] = text
    return {name: tuple(overloads.values()) for name, overloads in found.items()}


def _schemas(content: mmap.mmap, prefix: bytes) -> Iterator[str]:
    """The NUL-terminated strings that start with the prefix and are schemas."""
    position = content.find(prefix)
    while position != -1:
        end = content.find(b"\0", position)
        if match := _SCHEMA.fullmatch(content[position:end]):
            yield f"{match['call'].decode()} -> {match['returns'].decode().strip()}"
        position = content.find(prefix, end)
