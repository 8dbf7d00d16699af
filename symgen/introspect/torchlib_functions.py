"""The operators that torchlib has functions for, read from its text; onnxscript is found and not imported."""

from __future__ import annotations

import ast
import functools
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from symgen.model.names import OpName, parse_op_name

_FOLDER = Path("function_libs", "torch_lib", "ops")
_DECORATOR = "torch_op"


def torchlib_folder() -> Path | None:
    """The folder of the installed torchlib's functions; None where onnxscript is not installed."""
    found = importlib.util.find_spec("onnxscript")
    return Path(found.origin).parent / _FOLDER if found is not None and found.origin is not None else None


@functools.cache
def load_torchlib_names() -> frozenset[str]:
    """The names without overloads (`aten::max`); none where onnxscript is not installed."""
    folder = torchlib_folder()
    files = sorted(folder.glob("*.py")) if folder else []
    texts = (path.read_text("utf-8") for path in files)
    return frozenset(one.op.qualified for text in texts for one in parse_torch_ops(text))


@dataclass(frozen=True)
class TorchOp:
    """A function that a file registers as torchlib does: for one overload, from an opset on."""

    op: OpName
    function: str
    line: int
    since: int | None = None
    """The number in `registry=REGISTRIES[18]`, where the decorator has it."""


def parse_torch_ops(text: str) -> Iterator[TorchOp]:
    """The functions under registering decorators, each once for every name.

    Raises:
        SyntaxError: where the text is no Python.
    """
    for node in ast.parse(text).body:
        if not isinstance(node, ast.FunctionDef):
            continue
        for decorator in node.decorator_list:
            match decorator:
                case ast.Call(func=ast.Name(id=name), args=[first, *_], keywords=keywords) if name == _DECORATOR:
                    listed = first.elts if isinstance(first, ast.Tuple) else [first]
                    names = [str(one.value) for one in listed if isinstance(one, ast.Constant)]
                    since = next((_number(one.value) for one in keywords if one.arg == "registry"), None)
                    yield from (TorchOp(parse_op_name(one), node.name, node.lineno, since) for one in names)


def _number(registry: ast.expr) -> int | None:
    match registry:
        case ast.Subscript(slice=ast.Constant(value=int(since))):
            return since
        case _:
            return None
