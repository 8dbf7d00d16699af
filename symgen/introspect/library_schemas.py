"""Schemas of operators that only C++ declares (`quantized::add`), read out of torch's compiled library as text."""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from symgen.introspect.cache import cached
from symgen.introspect.torch_install import TorchInstall

_LIBRARIES = ("libtorch_cpu.so", "libtorch_cpu.dylib", "torch_cpu.dll")
_SCHEMA = re.compile(rb"(?P<call>\w+::\w+(?:\.\w+)?\([ -~]*\))\s*->\s*(?P<returns>[ -~]+)")


def library_file(install: TorchInstall) -> Path | None:
    """The library that registers torch's operators; its name depends on the platform. None where there is none."""
    candidates = (install.root / "lib" / name for name in _LIBRARIES)
    return next((path for path in candidates if path.is_file()), None)


@cache
def load_library_schemas(install: TorchInstall, namespace: str) -> Mapping[str, tuple[str, ...]]:
    """The texts of the schemas that torch's library registers in a namespace, by base name.

    The texts stand in the library as the C++ macros had them. Empty where there is no library.
    """
    path = library_file(install)
    if path is None:
        return {}
    name = f"library-{namespace}-{install.version}"
    rows = cached(name, [install.version], [path], lambda: read_library_schemas(path, namespace))
    return {base: tuple(texts) for base, texts in rows.items()}


def read_library_schemas(path: Path, namespace: str) -> Mapping[str, tuple[str, ...]]:
    """Reads them out of a file; where one overload stands there twice, the spelling that sorts last counts."""
    prefix = f"{namespace}::"
    found: dict[str, dict[str, str]] = {}
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        for text in sorted(_schemas(content, prefix.encode())):
            name = text.removeprefix(prefix).partition("(")[0]
            found.setdefault(name.partition(".")[0], {})[name] = text
    return {base: tuple(overloads.values()) for base, overloads in found.items()}


def _schemas(content: mmap.mmap, prefix: bytes) -> Iterator[str]:
    """The NUL-terminated strings that start with the prefix and are schemas."""
    position = content.find(prefix)
    while position != -1:
        end = content.find(b"\0", position)
        if match := _SCHEMA.fullmatch(content[position:end]):
            yield f"{match['call'].decode()} -> {match['returns'].decode().strip()}"
        position = content.find(prefix, end)
