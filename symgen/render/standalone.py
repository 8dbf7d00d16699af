"""Puts a module's parts together as one standalone text, for verification before anything is merged or written."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Sequence

from symgen.model.definition import Definition, ModuleText


def standalone_source(module: ModuleText) -> str:
    """A text that registers its functions when it is executed; laid out for the machine, not for people."""
    imports = sorted({str(found) for definition in module.definitions for found in definition.imports})
    head, mark, rest = module.head.partition("from __future__ import annotations\n")
    parts = [head, mark, *(f"{line}\n" for line in imports), rest]
    parts.extend(_with_registrations(definition) for definition in module.definitions)
    parts.extend(f"\n\ndel {name}\n" for name in _hiding(module.definitions))
    return "".join(parts)


def _hiding(definitions: Sequence[Definition]) -> Iterator[str]:
    """The registered functions that hide a builtin from the others, and that nothing calls by their names."""
    called = {name for definition in definitions for name in (*definition.calls, *definition.requires)}
    for definition in definitions:
        if definition.registrations and hasattr(builtins, definition.name) and definition.name not in called:
            yield definition.name


def shown_source(module: ModuleText) -> str:
    """The definitions as people read them: the operators' functions first, then the helpers that they call."""
    ordered = sorted(module.definitions, key=lambda definition: definition.is_helper)
    return "".join(map(_with_registrations, ordered)).strip()


def _with_registrations(definition: Definition) -> str:
    lines = []
    for registration in definition.registrations:
        opsets = list(registration.opsets)
        opset = f", opset={opsets}" if len(opsets) > 1 else ""
        lines.append(f'@_onnx_symbolic("{registration.op}"{opset})\n')
    return f"\n\n{''.join(lines)}{definition.source}"
