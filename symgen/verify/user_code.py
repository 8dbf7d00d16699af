"""What a child process does with the user's own modules: imports them, calls and exports what they hold."""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import torch

from symgen.model.autograd import LOCALS
from symgen.verify.class_nodes import export_class, is_inlined, round_trip_class
from symgen.verify.class_samples import find_calls, like_parameter
from symgen.verify.decomposing import trace_operator
from symgen.verify.decomposition_jobs import TraceJob
from symgen.verify.operator_nodes import export_operator
from symgen.verify.user_jobs import (
    ClassJob,
    ClassNodeJob,
    ClassSeen,
    ClassTripJob,
    OperatorNodeJob,
    SchemaJob,
    Schemas,
    UserAnswer,
    UserJob,
)


def answer(job: UserJob[Any]) -> UserAnswer:
    """Does a job; what the user's code raises on import comes through."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        match job:
            case SchemaJob(imports, namespace):
                for name in imports:
                    import_module(name)
                return Schemas(registered_schemas(namespace))
            case ClassJob(owner):
                try:
                    function = import_class(owner.module, owner.qualname)
                except LookupError:
                    return ClassSeen()
                return _seen(job, function)
            case ClassNodeJob(owner=owner):
                return export_class(job, import_class(owner.module, owner.qualname))
            case ClassTripJob(owner=owner):
                return round_trip_class(job, import_class(owner.module, owner.qualname))
            case OperatorNodeJob(imports=imports):
                for name in imports:
                    import_module(name)
                return export_operator(job)
            case TraceJob():
                return trace_operator(job)
            case _:
                raise TypeError(f"no such job: {job}")


def import_module(name: str) -> ModuleType:
    """Imports a module, with the current folder first on the path."""
    folder = os.getcwd()
    if sys.path[0] != folder:
        sys.path.insert(0, folder)
    return importlib.import_module(name)


def import_class(module: str, qualname: str) -> Any:
    """Imports a class; one that a function makes is found where the import has it made.

    Raises:
        TypeError: where it is no autograd.Function after all.
        LookupError: where nothing has made it.
    """
    found: Any = import_module(module)
    if LOCALS in qualname:
        return _made(module, qualname)
    for part in qualname.split("."):
        found = getattr(found, part)
    if not (isinstance(found, type) and issubclass(found, torch.autograd.Function)):
        raise TypeError(f"{qualname} is no torch.autograd.Function")
    return found


def _made(module: str, qualname: str) -> Any:
    """The class of that name among all that exist; the last one made, where a function has made several."""
    pending, found = [torch.autograd.Function], None
    while pending:
        for one in pending.pop().__subclasses__():
            pending.append(one)
            if (one.__module__, one.__qualname__) == (module, qualname):
                found = one
    if found is None:
        raise LookupError(f"importing {module} makes no {qualname}")
    return found


def registered_schemas(namespace: str) -> tuple[str, ...]:
    """The schemas that are registered in a namespace."""
    schemas = torch._C._jit_get_all_schemas()
    return tuple(sorted(str(schema) for schema in schemas if schema.name.startswith(f"{namespace}::")))


def _seen(job: ClassJob, function: Any) -> ClassSeen:
    calls = find_calls(job.owner, function)
    return ClassSeen(
        samples=tuple(call.sample for call in calls),
        outputs=len(calls[0].results) if calls else None,
        like=like_parameter(job.owner, calls),
        branch=_branch_around(sys.modules[job.owner.module], function),
        is_inlined=is_inlined(function, calls),
    )


def _branch_around(module: ModuleType, function: Any) -> str:
    """The name of a scripted object of the module that calls the class inside a branch or a loop; empty for none."""
    for name, value in vars(module).items():
        for graph in _graphs(value):
            if any(_calls(node, function) for node in _nodes_in_blocks(graph)):
                return name
    return ""


def _graphs(value: Any) -> Iterator[Any]:
    """The graphs of a scripted function or module, and of the scripted modules inside a module."""
    if isinstance(value, torch.jit.ScriptFunction):
        yield value.inlined_graph
    elif isinstance(value, torch.nn.Module):
        for module in value.modules():
            if isinstance(module, torch.jit.ScriptModule):
                try:
                    yield module.inlined_graph
                except (RuntimeError, AttributeError):
                    continue


def _nodes_in_blocks(block: Any, *, inside: bool = False) -> Iterator[Any]:
    for node in block.nodes():
        if inside:
            yield node
        for inner in node.blocks():
            yield from _nodes_in_blocks(inner, inside=inside or node.kind() in ("prim::If", "prim::Loop"))


def _calls(node: Any, function: Any) -> bool:
    return node.kind() == "prim::PythonOp" and getattr(node.pyobj(), "__self__", None) is function
