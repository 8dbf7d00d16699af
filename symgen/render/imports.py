"""The imports that generated code needs, found from the names that it reads."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from symgen.model.definition import Import

_EXPORTER = "torch.onnx._internal.torchscript_exporter"
_IMPORTS: Mapping[str, Import] = {
    found.bound: found
    for found in (
        Import("contextlib"),
        Import("dataclasses"),
        Import("functools"),
        Import("inspect"),
        Import("itertools"),
        Import("math"),
        Import("re"),
        Import("torch"),
        Import("torch", "_C"),
        Import("torch", "_prims_common"),
        Import("torch._subclasses.fake_tensor", "FakeTensorMode"),
        Import("torch.onnx", "errors"),
        Import("typing", "Any"),
        Import("typing", "NoReturn"),
        Import("collections.abc", "Callable"),
        Import("collections.abc", "Sequence"),
        Import(_EXPORTER, "_type_utils"),
        Import(_EXPORTER, "jit_utils"),
        Import(_EXPORTER, "registration"),
        Import(_EXPORTER, "symbolic_helper"),
        Import(_EXPORTER, "utils"),
    )
}


def imports_for(source: str) -> tuple[Import, ...]:
    """The imports that the source of a definition needs, sorted."""
    names = {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
    return tuple(sorted(_IMPORTS[name] for name in names if name in _IMPORTS))
