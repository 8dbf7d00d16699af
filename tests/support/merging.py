"""Definitions to merge into files, as the render stage makes them, and a short way to merge them."""

from __future__ import annotations

from collections.abc import Mapping

from symgen.merge.apply import merge_module
from symgen.merge.outcome import MergeOptions, MergeOutcome, Policy
from symgen.model.definition import Definition, Import, ModuleText, Registration

EXPORTER = "torch.onnx._internal.torchscript_exporter"
JIT_UTILS, VALUE = Import(EXPORTER, "jit_utils"), Import("torch", "_C")

HEAD = '''\
"""ONNX symbolic functions from opset 9 on."""

from __future__ import annotations

import functools

from torch.onnx._internal.torchscript_exporter import registration

__all__ = []

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9, custom=True)
'''

PROMOTED = Definition(
    "_promoted",
    '''\
def _promoted(*names: str):
    """Casts the named arguments to the dtype that torch computes with."""

    def decorator(function):
        @functools.wraps(function)
        def wrapper(g: jit_utils.GraphContext, *args: _C.Value):
            return _largest(function, max(len(args), len(names)))(g, *args)

        return wrapper

    return decorator
''',
    requires=("_largest",),
    imports=(Import("functools"), JIT_UTILS, VALUE),
    exported=False,
)
LARGEST = Definition(
    "_largest",
    '''\
def _largest(function, count: int):
    """The function itself, which takes `count` arguments at most."""
    assert count >= 0
    return function
''',
    exported=False,
)


def operator(name: str, *parameters: str, opsets: tuple[int, ...] = (9,), body: str = "") -> Definition:
    """The symbolic function of an operator on tensors."""
    arguments = "".join(f", {parameter}: _C.Value" for parameter in parameters)
    source = f'''\
@_promoted({", ".join(f'"{parameter}"' for parameter in parameters)})
def {name}(g: jit_utils.GraphContext{arguments}) -> _C.Value:
    """{name}({", ".join(f"Tensor {parameter}" for parameter in parameters)}) -> Tensor"""
    squares = [g.op("Mul", each, each) for each in ({parameters[0]}, {parameters[-1]})]
    scale = g.op("Constant", value_t=torch.tensor(1.0))
{body}    return g.op("Sqrt", g.op("Mul", scale, g.op("Add", *squares)))
'''
    imports = (Import("torch"), JIT_UTILS, VALUE)
    return Definition(name, source, (Registration(f"aten::{name}", opsets),), ("_promoted",), imports)


def method(container: str, *parameters: str) -> Definition:
    """The `symbolic` of an autograd.Function, as one node of a domain of its own."""
    source = f'''\
@staticmethod
def symbolic(g, {", ".join(parameters)}):
    """One node `my.ops::{container}`."""
    return g.op("my.ops::{container}", {parameters[0]}).setType({parameters[0]}.type())
'''
    return Definition("symbolic", source, container=container, exported=False)


HYPOT = operator("hypot", "input", "other")


def module(*definitions: Definition, head: str = HEAD) -> ModuleText:
    """A module with these definitions and the helpers that they need."""
    return ModuleText(head, (LARGEST, PROMOTED, *definitions))


def merge(
    before: bytes | None,
    *definitions: Definition,
    policy: Policy = Policy.SAFE,
    bases: Mapping[str, str] | None = None,
    path: str = "symbolics/symbolic_opset9.py",
) -> MergeOutcome:
    """Merges definitions and their helpers into a file."""
    return merge_module(before, module(*definitions), path=path, options=MergeOptions(policy), bases=bases)
