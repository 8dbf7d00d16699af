"""The imports that generated code needs, found from the names that it reads."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from symgen.model.definition import Import

EXPORTER = "torch.onnx._internal.torchscript_exporter"
"""The package with the exporter that calls symbolic functions, since torch 2.9."""
IMPORTS: Mapping[str, Import] = {
    found.bound: found
    for found in (
        Import("contextlib"),
        Import("dataclasses"),
        Import("functools"),
        Import("inspect"),
        Import("itertools"),
        Import("math"),
        Import("onnx"),
        Import("re"),
        Import("sys"),
        Import("torch"),
        Import("torch", "_C"),
        Import("torch", "_prims_common"),
        Import("torch._subclasses.fake_tensor", "FakeTensorMode"),
        Import("torch.onnx", "errors"),
        Import("types"),
        Import("typing", "Any"),
        Import("typing", "NoReturn"),
        Import("collections.abc", "Callable"),
        Import("collections.abc", "Sequence"),
        Import(EXPORTER, "_globals"),
        Import(EXPORTER, "_type_utils"),
        Import(EXPORTER, "jit_utils"),
        Import(EXPORTER, "registration"),
        Import(EXPORTER, "symbolic_helper"),
        Import(EXPORTER, "utils"),
    )
}

_ELEMENT_TYPES = (
    "BFLOAT16", "BOOL", "DOUBLE", "FLOAT", "FLOAT16", "INT16", "INT32", "INT64", "INT8", "UINT8",
)  # fmt: skip
_TYPING = "onnxscript.function_libs.torch_lib.tensor_typing"
TORCHLIB_IMPORTS: Mapping[str, Import] = {
    found.bound: found
    for found in (
        *(Import(name) for name in ("functools", "inspect", "itertools", "math", "onnx", "re", "torch", "types")),
        *(Import("collections.abc", name) for name in ("Callable", "Iterable", "Sequence")),
        *(Import("onnxscript", name) for name in _ELEMENT_TYPES),
        Import("onnxscript", "ir"),
        *(Import(_TYPING, name) for name in ("TFloat", "TInt", "TReal", "TRealOrUInt8", "TTensor", "TTensor2")),
        *(Import("onnxscript.onnx_opset", f"opset{opset}") for opset in range(19, 26)),
        Import("onnxscript", "evaluator"),
        Import("onnxscript.function_libs.torch_lib.registration", "torch_op"),
        Import("onnxscript.onnx_opset", "opset18", "op"),
        Import("torch", "_prims_common"),
        Import("torch.onnx", "_constants"),
        Import("torch.onnx._internal.exporter", "_registration"),
        Import("torch.onnx._internal.exporter._building", "OpRecorder"),
        Import("typing", "Any"),
        Import("typing", "NoReturn"),
    )
}
"""The same for code of the torchlib target, which has other names of its own."""


def imports_for(source: str, known: Mapping[str, Import] = IMPORTS) -> tuple[Import, ...]:
    """The imports that the source of a definition needs, sorted."""
    return tuple(sorted(known[name] for name in names_in(source) if name in known))


def names_in(source: str) -> frozenset[str]:
    """The names that a piece of code uses."""
    return frozenset(node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name))
