"""Where torch's moved and removed names are now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from symgen.check.index.model import CheckIndex

NEW_HOME = "torch.onnx._internal.torchscript_exporter"
"""The package into which the TorchScript exporter moved in torch 2.9."""
_SUCCESSORS: Mapping[str, str] = {
    "torch.onnx.symbolic_registry": f"{NEW_HOME}.registration.registry",
    "torch.onnx.symbolic_registry.is_registered_op": f"{NEW_HOME}.registration.registry.is_registered_op",
    "torch.onnx.symbolic_registry.get_registered_op": f"{NEW_HOME}.registration.registry.get_function_group",
    "torch.onnx.symbolic_registry.register_op": "torch.onnx.register_custom_op_symbolic",
    "torch.onnx.symbolic_registry.register_version": f"{NEW_HOME}.registration.registry",
    "torch.onnx.symbolic_registry.unregister_op": "torch.onnx.unregister_custom_op_symbolic",
    "torch.onnx.SymbolicContext": f"{NEW_HOME}.jit_utils.GraphContext",
    "torch.onnx._exporter_states.SymbolicContext": f"{NEW_HOME}.jit_utils.GraphContext",
    "torch.onnx.symbolic_helper._export_onnx_opset_version": f"{NEW_HOME}._globals.GLOBALS.export_onnx_opset_version",
    "torch.onnx.symbolic_helper._set_opset_version": f"{NEW_HOME}._globals.GLOBALS.export_onnx_opset_version",
    "torch.onnx.symbolic_helper._operator_export_type": f"{NEW_HOME}._globals.GLOBALS.operator_export_type",
    "torch.onnx.symbolic_helper._training_mode": f"{NEW_HOME}._globals.GLOBALS.training_mode",
    "torch.onnx.symbolic_caffe2": "",
    "torch.onnx.CheckerError": "torch.onnx.errors.OnnxExporterError",
    "torch.onnx.errors.CheckerError": "torch.onnx.errors.OnnxExporterError",
    "torch.onnx.ExportTypes": "",
    "torch.onnx.dynamo_export": "torch.onnx.export",
}
"""Names that are gone, whatever their module, and what does their work; empty where nothing does."""


class Gone(NamedTuple):
    """A name that can't be imported any more. `path` is the moved or removed part of what was asked for."""

    path: str
    successor: str = ""
    moved: bool = False
    """Whether the very same thing stands at `successor`, so that the path may simply be replaced."""

    @property
    def message(self) -> str:
        """One line about it."""
        return f"{self.path} was moved" if self.moved else f"{self.path} was removed"

    @property
    def fix(self) -> str:
        """What to write in its place."""
        return f"use {self.successor}" if self.successor else ""


def find_gone(path: str, index: CheckIndex) -> Gone | None:
    """What is wrong with a dotted path below `torch.onnx` under this torch; None where nothing is, or can't be told."""
    if path.startswith(NEW_HOME):
        return None
    parts = path.split(".")
    for end in range(3, len(parts) + 1):
        name = ".".join(parts[:end])
        if index.has_module(name):
            continue
        return _gone(".".join(parts[: end - 1]), parts[end - 1], parts[end:], index)
    return None


def _gone(module: str, name: str, rest: list[str], index: CheckIndex) -> Gone | None:
    """Judges a name that is no module, inside a module that exists."""
    full = f"{module}.{name}"
    for known in (".".join([full, *rest]), ".".join([full, *rest[:1]]), full):
        if known in _SUCCESSORS:
            return Gone(full, _SUCCESSORS[known])
    shim = index.shim(module)
    if shim is not None and name not in shim.shown:
        return Gone(full, f"{shim.actual}.{name}", moved=True) if name in shim.hidden else Gone(full)
    if module in ("torch.onnx", "torch.onnx._internal") and index.has_module(f"{NEW_HOME}.{name}"):
        return Gone(full, f"{NEW_HOME}.{name}", moved=True)
    return None
