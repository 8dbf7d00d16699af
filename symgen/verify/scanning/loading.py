"""Loads a user's model and the inputs for it; what can't be used is said in a sentence, with the user's own line."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import torch
from torch.utils import _pytree as pytree

from symgen.model.inputs import InputSpec
from symgen.model.scan import Place
from symgen.verify.runner import brief
from symgen.verify.scan_jobs import TargetSpec
from symgen.verify.scanning.places import SERIALIZED, blame, user_line

_INPUTS = "inputs"
_INTERPRETER = "The following operation failed in the TorchScript interpreter."
NO_INPUTS = "there are no inputs for it; say --input 'float32[1,3,224,224]' once for each, or --inputs FILE"


class UnusableError(Exception):
    """The model or its inputs can't be used; the message says why."""


@dataclass(frozen=True)
class LoadedModel:
    """A model with inputs for it."""

    model: Any
    args: tuple[Any, ...]
    """By position; keyword arguments are a dictionary at the end."""
    axes: Mapping[int, Mapping[int, str]]
    """The dynamic axes of the tensors among the inputs, by their places."""

    @property
    def positional(self) -> tuple[Any, ...]:
        """The arguments by position."""
        return self.args[:-1] if self.args and isinstance(self.args[-1], dict) else self.args

    @property
    def keywords(self) -> dict[str, Any]:
        """The arguments by name."""
        return self.args[-1] if self.args and isinstance(self.args[-1], dict) else {}

    @property
    def is_scripted(self) -> bool:
        """Whether it is TorchScript already, so that nothing is traced."""
        return isinstance(self.model, torch.jit.ScriptModule | torch.jit.ScriptFunction)

    def run(self, args: tuple[Any, ...] | None = None) -> Any:
        """Calls the model, with its own inputs or others; both are left as they are.

        Raises:
            UnusableError: where the model raises.
        """
        loaded = self if args is None else replace(self, args=args)
        try:
            with torch.no_grad():
                return self.model(*cloned(loaded.positional), **cloned(loaded.keywords))
        except Exception as error:
            place, why = _cause(error)
            given = ", ".join(described(value) for value in loaded.args)
            raise UnusableError(
                f"the model itself fails{f' at {place}' if place else ''}: {why} (its inputs: {given})"
            ) from error

    def options(self) -> dict[str, Any]:
        """The names of the inputs and their dynamic axes, as `torch.onnx.export` takes them."""
        names = input_names(self)
        axes = {names[place]: dict(found) for place, found in self.axes.items() if place < len(names) and found}
        return {"input_names": names, "dynamic_axes": axes or None}

    def larger(self) -> LoadedModel:
        """The model with inputs in which every dynamic axis is longer by one; axes of one name stay equal."""
        sizes = {place: dict.fromkeys(axes, 1) for place, axes in self.axes.items()}
        return replace(self, args=stretched(self.args, sizes))


def stretched(args: tuple[Any, ...], more: Mapping[int, Mapping[int, int]]) -> tuple[Any, ...]:
    """The arguments with some axes of their tensors longer, by the tensors' places; what is there is repeated."""
    leaves, tree = pytree.tree_flatten(args)
    place = -1
    for number, leaf in enumerate(leaves):
        if isinstance(leaf, torch.Tensor):
            place += 1
            for axis, count in more.get(place, {}).items():
                size = leaf.shape[axis]
                leaf = leaf.index_select(axis, torch.arange(size + count) % max(size, 1))
            leaves[number] = leaf
    stretched: tuple[Any, ...] = pytree.tree_unflatten(leaves, tree)
    return stretched


def load_model(target: TargetSpec) -> LoadedModel:
    """Loads a model and its inputs, and brings the model into evaluation mode.

    Raises:
        UnusableError: where that can't be done.
    """
    import_package(target)
    if target.trust:
        _find_modules_in(os.getcwd())  # a pickle names the modules of its classes
    for name in target.imports:
        _import(os.getcwd(), name)
    try:
        model, inputs = _from_file(target) if target.path else _from_module(target)
    except UnusableError:
        raise
    except Exception as error:
        place = blame(error).source
        raise UnusableError(f"cannot be loaded{f' ({place})' if place else ''}: {brief(error)}") from error
    if target.inputs:
        inputs = tuple(make_tensor(spec, seed) for seed, spec in enumerate(target.inputs))
    elif target.inputs_path:
        inputs = _load_inputs(target)
    if inputs is None:
        raise UnusableError(NO_INPUTS)
    if isinstance(model, torch.nn.Module):
        model.eval()
    axes = {place: spec.axes for place, spec in enumerate(target.inputs) if spec.axes}
    return LoadedModel(model, as_args(inputs), axes)


def import_package(target: TargetSpec) -> ModuleType | None:
    """The package of functions, which registers them when it is imported; None where there is none.

    Raises:
        UnusableError: where it can't be imported.
    """
    return _import(*os.path.split(os.path.abspath(target.package))) if target.package else None


def as_args(inputs: Any) -> tuple[Any, ...]:
    """Inputs as people give them: a tensor, a row of arguments, or a dictionary of keyword arguments."""
    return tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)


def make_tensor(spec: InputSpec, seed: int) -> torch.Tensor:
    """An example tensor: normally distributed, or zeros and ones that any table of embeddings has, or within limits."""
    generator = torch.Generator().manual_seed(seed)
    dtype = getattr(torch, spec.dtype)
    if spec.low is not None and spec.high is not None:
        values = spec.low + (spec.high - spec.low) * torch.rand(spec.shape, generator=generator, dtype=torch.float64)
        return (values if dtype.is_floating_point else values.round()).to(dtype)
    if dtype.is_floating_point:
        return torch.randn(spec.shape, generator=generator).to(dtype)
    return torch.randint(0, 2, spec.shape, generator=generator).to(dtype)


def cloned(values: Any) -> Any:
    """The same values, with tensors of their own."""
    return pytree.tree_map_only(torch.Tensor, lambda tensor: tensor.clone(), values)


def tensors_of(values: Any) -> list[torch.Tensor]:
    """The tensors in any nesting, in order."""
    return [leaf for leaf in pytree.tree_leaves(values) if isinstance(leaf, torch.Tensor)]


def described(value: Any) -> str:
    """A value as an error shows it: `float32[1,3]`."""
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}[{','.join(map(str, value.shape))}]"
    if isinstance(value, tuple | list):
        return f"({', '.join(map(described, value))})"
    if isinstance(value, dict):
        return ", ".join(f"{name}={described(one)}" for name, one in value.items())
    return repr(value)[:40]


def input_names(loaded: LoadedModel) -> list[str]:
    """The names of the model's inputs: those of the parameters of `forward`, or x0, x1 and so on."""
    count = len(tensors_of(loaded.args))
    try:
        forward = loaded.model.forward if isinstance(loaded.model, torch.nn.Module) else loaded.model
        bound = inspect.signature(forward).bind(*loaded.positional, **loaded.keywords)
    except (TypeError, ValueError):
        return [f"x{place}" for place in range(count)]
    names = [name for parameter, value in bound.arguments.items() for name in _names(parameter, value)]
    return names if len(names) == count == len(set(names)) else [f"x{place}" for place in range(count)]


def _names(parameter: str, value: Any) -> Iterator[str]:
    if isinstance(value, torch.Tensor):
        yield parameter
        return
    yield from (f"{parameter}_{place}" for place, _ in enumerate(tensors_of(value)))


def _cause(error: Exception) -> tuple[str, str]:
    """Where a model failed, and why; TorchScript says so in the lines of its message, the reason last."""
    text = str(error)
    if not text.startswith(_INTERPRETER):
        return blame(error).source, brief(error)
    path, line = user_line(text, last=True)
    place = "" if path.startswith(SERIALIZED) else Place("", path, line).source
    return place, text.strip().splitlines()[-1]


def _find_modules_in(folder: str) -> None:
    if folder not in sys.path:
        sys.path.insert(0, folder)


def _import(folder: str, name: str) -> ModuleType:
    """Imports a module, with a folder on the path."""
    _find_modules_in(folder)
    try:
        return importlib.import_module(name)
    except Exception as error:
        place = blame(error).source
        raise UnusableError(f"{name} cannot be imported{f' ({place})' if place else ''}: {brief(error)}") from error


def _from_module(target: TargetSpec) -> tuple[Any, Any]:
    module = _import(os.getcwd(), target.module)
    found: Any = module
    for part in target.name.split("."):
        if not hasattr(found, part):
            raise UnusableError(f"{target.module} has no {target.name}")
        found = getattr(found, part)
    inputs = getattr(module, _INPUTS, None)
    inputs = inputs() if callable(inputs) else inputs
    if not _is_model(found) and callable(found):
        found = found()
    if isinstance(found, tuple) and len(found) == len(("model", "inputs")) and _is_model(found[0]):
        found, inputs = found
    if not _is_model(found):
        raise UnusableError(f"{target.name} is no torch.nn.Module, nor a function that returns one: {described(found)}")
    return found, inputs


def _is_model(value: Any) -> bool:
    return isinstance(value, torch.nn.Module | torch.jit.ScriptFunction)


def _from_file(target: TargetSpec) -> tuple[Any, Any]:
    if target.is_program:
        program = torch.export.load(target.path)
        args, keywords = program.example_inputs or ((), {})
        return program, (*args, *([keywords] if keywords else []))
    if not target.is_pickle:
        model = torch.jit.load(target.path, map_location="cpu")  # type: ignore[no-untyped-call]
        return model, _traced_inputs(model)
    found = torch.load(target.path, map_location="cpu", weights_only=not target.trust)
    if _is_model(found):
        return found, None
    raise UnusableError(f"holds no model: {type(found).__name__}")


def _traced_inputs(model: Any) -> Any:
    """The inputs that a traced model was traced with, which its file remembers; None where it doesn't."""
    try:
        return model._c._retrieve_traced_inputs()["forward"]
    except (AttributeError, KeyError, RuntimeError):
        return None


def _load_inputs(target: TargetSpec) -> Any:
    try:
        return torch.load(target.inputs_path, map_location="cpu", weights_only=not target.trust)
    except Exception as error:
        raise UnusableError(f"the inputs in {target.inputs_path} cannot be loaded: {brief(error)}") from error
