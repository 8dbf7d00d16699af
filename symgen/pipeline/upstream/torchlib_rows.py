"""The table of torchlib's suite: a row says which function OpInfo's samples of an operator are for."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_TABLE = "TESTED_TORCHLIB_OPS"
_ROW = "TorchLibOpInfo"


def add_row(text: str, info: str, module: str, function: str, *, is_free: bool = False) -> str:
    """The file with a row behind that of the operator before it in the alphabet; as it is where it has or lacks one.

    Args:
        text: the file.
        info: what OpInfo calls the operator.
        module: the file of the function, without its ending.
        function: its name.
        is_free: whether its values are random, so that shapes alone are compared.
    """
    tree = ast.parse(text)
    rows = list(_rows(tree))
    alias = _alias(tree, module)
    if not rows or not alias or any(name == info and not _is_complex(row) for name, row in rows):
        return text
    above = max((row for row in rows if row[0] <= info), key=lambda row: (row[0], row[1].lineno), default=None)
    lines = text.splitlines(keepends=True)
    element = above[1] if above else rows[0][1]
    indent = " " * (len(lines[element.lineno - 1]) - len(lines[element.lineno - 1].lstrip(" ")))
    at = (element.end_lineno or element.lineno) if above else element.lineno - 1
    more = ", nondeterministic=True" if is_free else ""
    lines.insert(at, f'{indent}{_ROW}("{info}", {alias}.{function}{more}),\n')
    return "".join(lines)


def _rows(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """The names in the table with the whole of their rows, the calls of `skip` and `xfail` on them as well."""
    for node in tree.body:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Tuple(elts=elements)) if name == _TABLE:
                yield from ((info, element) for element in elements if (info := _info(element)))
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Tuple(elts=elements)) if name == _TABLE:
                yield from ((info, element) for element in elements if (info := _info(element)))


def _info(row: ast.expr) -> str:
    """The name in `TorchLibOpInfo("name", ...).skip(...)`; empty for anything else."""
    call = _first_call(row)
    match call:
        case ast.Call(args=[ast.Constant(value=str(info)), *_]):
            return info
        case _:
            return ""


def _is_complex(row: ast.expr) -> bool:
    """Whether a row is about complex numbers, which come again without them."""
    call = _first_call(row)
    return call is not None and any(one.arg == "complex" for one in call.keywords)


def _first_call(row: ast.expr) -> ast.Call | None:
    """The call that makes a row, under those that say what is to be skipped."""
    while isinstance(row, ast.Call) and isinstance(row.func, ast.Attribute):
        row = row.func.value
    return row if isinstance(row, ast.Call) else None


def _alias(tree: ast.Module, module: str) -> str:
    """What the file calls one of torchlib's modules; empty where it imports none of that name."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").endswith("torch_lib.ops"):
            for one in node.names:
                if one.name == module:
                    return one.asname or one.name
    return ""
