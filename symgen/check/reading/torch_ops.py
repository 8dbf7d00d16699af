"""The functions that a file registers as torchlib does, for the dynamo exporter."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

_DECORATOR = "torch_op"


class TorchOp(NamedTuple):
    """A function under `@torch_op(...)`, and the name of one operator that it is for, with its overload."""

    name: str
    node: ast.FunctionDef

    @property
    def op(self) -> str:
        """The operator without its overload."""
        return self.name.partition(".")[0]

    @property
    def parameters(self) -> list[str] | None:
        """The names of the parameters; None where the function takes any."""
        arguments = self.node.args
        if arguments.vararg or arguments.kwarg:
            return None
        return [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def torch_ops_in(tree: ast.Module) -> Iterator[TorchOp]:
    """The functions in a file's order, one with several names several times."""
    for node in (one for one in tree.body if isinstance(one, ast.FunctionDef)):
        for decorator in node.decorator_list:
            match decorator:
                case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called), args=[first, *_]):
                    names = first.elts if isinstance(first, ast.Tuple) else [first]
                    for name in names if called == _DECORATOR else ():
                        if isinstance(name, ast.Constant) and isinstance(name.value, str):
                            yield TorchOp(name.value, node)
