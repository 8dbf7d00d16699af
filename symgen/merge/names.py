"""The names that a generated definition takes from its module, and how they are exchanged for others."""

from __future__ import annotations

import builtins
import re
import symtable
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import libcst as cst
from libcst.metadata import Access, BuiltinScope, GlobalScope, MetadataWrapper, ScopeProvider

BUILTINS = frozenset(dir(builtins))
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class FreeNames:
    """The names that a definition uses and does not bind itself."""

    at_definition: frozenset[str]
    """Those that its decorators, defaults and annotations need when the `def` runs."""
    in_body: frozenset[str]

    @property
    def all(self) -> frozenset[str]:
        """Both together."""
        return self.at_definition | self.in_body


def free_names(source: str) -> FreeNames:
    """Reads the free names of one definition, which may be indented as a whole."""
    block = f"if 1:\n{source}" if source[:1] in (" ", "\t", "\f") else source
    table = symtable.symtable(block, "<definition>", "exec")
    own = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    used = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced()}
    inner = {name for child in table.get_children() for name in _globals(child)}
    return FreeNames(frozenset(used - own), frozenset(inner - own))


def _globals(table: symtable.SymbolTable) -> Iterator[str]:
    yield from (s.get_name() for s in table.get_symbols() if s.is_global() and s.is_referenced())
    for child in table.get_children():
        yield from _globals(child)


def rename_free(source: str, names: Mapping[str, str]) -> str:
    """The definition with other names (or dotted names) for some that it takes from its module."""
    if not names.keys() & {match[0] for match in _WORD.finditer(source)}:
        return source
    wrapper = MetadataWrapper(cst.parse_module(source), unsafe_skip_copy=True)
    scopes = {scope for scope in wrapper.resolve(ScopeProvider).values() if scope is not None}
    used = [_root(access.node) for scope in scopes for access in scope.accesses if not _is_local(access)]
    own = [node.name for node in wrapper.module.body if isinstance(node, cst.FunctionDef | cst.ClassDef)]
    nodes = [node for node in (*used, *own) if isinstance(node, cst.Name) and node.value in names]
    return wrapper.module.visit(_Renamer({id(node): names[node.value] for node in nodes})).code


class _Renamer(cst.CSTTransformer):
    def __init__(self, new: Mapping[int, str]) -> None:
        super().__init__()
        self._new = new

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        new = self._new.get(id(original_node))
        if new is None:
            return updated_node
        return updated_node.with_changes(value=new) if new.isidentifier() else cst.parse_expression(new)


def _is_local(access: Access) -> bool:
    """Whether a function inside the definition binds the name that is accessed."""
    return any(not isinstance(referent.scope, GlobalScope | BuiltinScope) for referent in access.referents)


def _root(node: cst.CSTNode) -> cst.CSTNode:
    while isinstance(node, cst.Attribute):
        node = node.value
    return node
