"""The domain of a user's own ONNX operators, and its version."""

from __future__ import annotations

import re
from dataclasses import dataclass

from symgen.errors import UsageError

_DOMAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:[.-][A-Za-z0-9_]+)*", re.ASCII)
_TAKEN = frozenset({"ai.onnx", "ai.onnx.ml", "ai.onnx.training", "ai.onnx.preview.training", "onnx", "aten", "prim"})
_HIGHEST_VERSION = 2**31 - 1


@dataclass(frozen=True)
class Domain:
    """A domain as `custom_opsets={name: version}` has it."""

    name: str
    version: int = 1

    @property
    def custom_opsets(self) -> str:
        """The argument of `torch.onnx.export`, as code."""
        return f'custom_opsets={{"{self.name}": {self.version}}}'


def parse_domain(name: str, version: int = 1) -> Domain:
    """Reads a domain as it is typed; what passes is safe to stand in a string of generated code.

    Raises:
        UsageError: where it is no usable domain, or one that belongs to ONNX or to the exporter.
    """
    if not _DOMAIN.fullmatch(name):
        hint = "letters, digits and underscores, in parts that dots separate"
        raise UsageError(f"{name!r} is not the name of a domain", hint=hint)
    if name in _TAKEN:
        raise UsageError(f"the domain {name} is not free for your own operators", hint="choose another, as my.domain")
    if not 1 <= version <= _HIGHEST_VERSION:
        raise UsageError(f"{version} is not the version of a domain", hint="versions are whole numbers from 1 on")
    return Domain(name, version)
