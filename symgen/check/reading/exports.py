"""What a module says that it exports: `__all__`."""

from __future__ import annotations

import ast
from typing import Final, NamedTuple

_NAME = "__all__"
_ADDING = frozenset({"append", "extend"})


class Exports(NamedTuple):
    """The entries of `__all__` as far as they are written out."""

    entries: tuple[ast.Constant, ...] = ()
    display: ast.List | ast.Tuple | None = None
    """The list or tuple that was assigned last."""
    complete: bool = True
    """Whether the entries are all: nothing is computed, conditional or added elsewhere."""
    written: bool = False
    """Whether the module has an `__all__` at all."""

    @property
    def names(self) -> frozenset[str]:
        """The exported names."""
        return frozenset(str(entry.value) for entry in self.entries)


NO_EXPORTS: Final = Exports()


def after_statement(exports: Exports, statement: ast.stmt, *, conditional: bool) -> Exports:
    """The exports once a statement has run; the same object where it has nothing to do with them."""
    match statement:
        case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
            new = _added(Exports(written=True), value)
        case ast.AnnAssign(target=ast.Name(id="__all__"), value=ast.expr() as value):
            new = _added(Exports(written=True), value)
        case ast.AugAssign(target=ast.Name(id="__all__"), op=ast.Add(), value=value):
            new = _added(exports, value)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="__all__"), attr=method), args=[value])):
            listed = ast.List([value], ast.Load()) if method == "append" else value
            new = _added(exports, listed) if method in _ADDING else exports._replace(complete=False)
        case _ if _mentions(statement):
            new = exports._replace(complete=False)
        case _:
            return exports
    return new._replace(complete=new.complete and not conditional, written=True)


def _added(exports: Exports, value: ast.expr) -> Exports:
    if not isinstance(value, (ast.List, ast.Tuple)):
        return exports._replace(complete=False)
    entries = [item for item in value.elts if isinstance(item, ast.Constant) and isinstance(item.value, str)]
    return Exports(
        entries=(*exports.entries, *entries),
        display=value if hasattr(value, "lineno") else exports.display,
        complete=exports.complete and len(entries) == len(value.elts),
        written=True,
    )


def _mentions(statement: ast.stmt) -> bool:
    """Whether a simple statement names `__all__`; blocks are looked into by themselves."""
    if isinstance(statement, (ast.Assign, ast.AugAssign, ast.Expr, ast.Delete)):
        return any(isinstance(node, ast.Name) and node.id == _NAME for node in ast.walk(statement))
    return False
