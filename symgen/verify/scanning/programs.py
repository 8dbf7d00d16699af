"""Exported programs, which only the dynamo exporter takes: those of a `.pt2`, and those that torch.export makes."""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.export.graph_signature import InputKind, TensorArgument

from symgen.verify.runner import brief
from symgen.verify.scan_jobs import TargetSpec
from symgen.verify.scanning.loading import (
    LoadedModel,
    UnusableError,
    cloned,
    import_package,
    stretched,
    tensors_of,
)

Table = Mapping[Any, Callable[..., Any]]
"""What `torch.onnx.export` takes as its `custom_translation_table`."""


class CaptureError(Exception):
    """torch.export makes no program of a model; the message says why."""


@dataclass(frozen=True)
class LoadedProgram(LoadedModel):
    """A program with inputs for it; `model` is what it is compared with: the module that it was made of, or its own."""

    program: torch.export.ExportedProgram
    table: Table

    def options(self) -> dict[str, Any]:
        """The names of the inputs in an export, which are the program's own, and their dynamic axes."""
        names = [name for name, _ in _inputs_of(self.program)]
        return {"input_names": names, "dynamic_axes": {names[place]: dict(axes) for place, axes in self.axes.items()}}

    def larger(self) -> LoadedProgram:
        """The program with inputs in which every size that it leaves open is another, longer by one where it may be."""
        given = tensors_of(self.args)
        shapes = [shape for _, shape in _inputs_of(self.program)]
        sizes = dict(_further_sizes(self.program, shapes, given))
        more: dict[int, dict[int, int]] = {place: {} for place in self.axes}
        for place, axes in self.axes.items():
            for axis in axes:
                size = int(shapes[place][axis].node.expr.xreplace(sizes))
                more[place][axis] = size - given[place].shape[axis]
        return replace(self, args=stretched(self.args, more))


def as_program(loaded: LoadedModel, table: Table) -> LoadedProgram:
    """The program of a model: its own where it is one, else what torch.export makes of it.

    Raises:
        CaptureError: where torch.export can't.
        UnusableError: where the inputs aren't those of the program, or the exporter isn't whole.
    """
    if importlib.util.find_spec("onnxscript") is None:
        raise UnusableError("the dynamo exporter needs onnxscript")
    if not isinstance(loaded.model, torch.export.ExportedProgram):
        return LoadedProgram(loaded.model, loaded.args, loaded.axes, _captured(loaded), table)
    program = loaded.model
    return LoadedProgram(program.module(), _in_its_order(program, loaded), _free_axes(program), program, table)


def translation_table(target: TargetSpec, opset: int) -> Table:
    """The table of the target's package at an opset; an empty one without a package.

    Raises:
        UnusableError: where the package can't be imported, or has none.
    """
    package = import_package(target)
    if package is None:
        return {}
    make = getattr(package, "translation_table", None)
    if make is None:
        raise UnusableError(f"{target.package} has no translation_table, so that it is no package of --target torchlib")
    table: Table = make(opset)
    return table


def _free_axes(program: torch.export.ExportedProgram) -> dict[int, dict[int, str]]:
    axes = {
        place: {axis: str(size) for axis, size in enumerate(shape) if isinstance(size, torch.SymInt)}
        for place, (_, shape) in enumerate(_inputs_of(program))
    }
    return {place: found for place, found in axes.items() if found}


def _inputs_of(program: torch.export.ExportedProgram) -> Iterator[tuple[str, Any]]:
    """The names and the shapes of the tensors among a program's inputs, as torch.export saw them."""
    shapes = {node.name: node.meta["val"] for node in program.graph.find_nodes(op="placeholder")}
    for spec in program.graph_signature.input_specs:
        if spec.kind is InputKind.USER_INPUT and isinstance(spec.arg, TensorArgument):
            yield spec.arg.name, shapes[spec.arg.name].shape


def _captured(loaded: LoadedModel) -> torch.export.ExportedProgram:
    """What torch.export makes of a module, with the axes free that were named."""
    model = loaded.model
    if not isinstance(model, torch.nn.Module) or loaded.is_scripted:
        raise UnusableError("TorchScript goes through the TorchScript exporter only")
    dims = {name: torch.export.Dim(name) for axes in loaded.axes.values() for name in axes.values()}
    try:
        with torch.no_grad():
            return torch.export.export(
                model,
                cloned(loaded.positional),
                cloned(loaded.keywords),
                dynamic_shapes=_shapes(loaded, dims) if dims else None,
            )
    except Exception as error:
        raise CaptureError(f"torch.export: {brief(error)}") from error


def _shapes(loaded: LoadedModel, dims: Mapping[str, Any]) -> dict[str, Any]:
    """The free axes by the parameters of `forward`, nested as the arguments are."""
    places = iter(range(len(tensors_of(loaded.args))))

    def free(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return {axis: dims[name] for axis, name in loaded.axes.get(next(places), {}).items()}
        if isinstance(value, dict):
            return {key: free(one) for key, one in value.items()}
        return type(value)(map(free, value)) if isinstance(value, tuple | list) else None

    bound = inspect.signature(loaded.model.forward).bind(*loaded.positional, **loaded.keywords)
    return {name: free(value) for name, value in bound.arguments.items()}


def _in_its_order(program: torch.export.ExportedProgram, loaded: LoadedModel) -> tuple[Any, ...]:
    """The arguments of a program, those by name in the order of its inputs."""
    names = list(program.call_spec.in_spec.child(1).context)
    missing = [name for name in names if name not in loaded.keywords]
    if missing and loaded.args:
        raise UnusableError(f"the program takes {', '.join(missing)} by name: --inputs FILE can hold a dictionary")
    keywords = {name: loaded.keywords[name] for name in names if name in loaded.keywords}
    return (*loaded.positional, *([keywords] if keywords else []))


def _further_sizes(
    program: torch.export.ExportedProgram, shapes: list[Any], given: list[torch.Tensor]
) -> Iterator[tuple[Any, int]]:
    """Another value for each size that is free: one more, or one less at the end of its range."""
    for shape, tensor in zip(shapes, given, strict=True):
        for free, size in zip(shape, tensor.shape, strict=True):
            if isinstance(free, torch.SymInt) and (symbol := free.node.expr).is_Symbol:
                limits = program.range_constraints.get(symbol)
                at_end = limits is not None and size + 1 > limits.upper
                yield symbol, size - 1 if at_end else size + 1
