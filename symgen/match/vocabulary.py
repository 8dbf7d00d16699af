"""What a function in the plan language may name beside its own variables: an entry is a plan and nothing else."""

from __future__ import annotations

import ast
import functools
from collections.abc import Collection, Iterator

from symgen.model.plan import PlanFunction, names_read

PYTHON = frozenset(
    {"abs", "all", "any", "bool", "enumerate", "float", "int", "isinstance", "len", "list", "max", "min"}
    | {"range", "reversed", "round", "set", "sorted", "str", "sum", "tuple", "zip"}
)
"""The functions of Python that run at export time."""
MODULES = frozenset({"math", "torch"})


def foreign_names(function: PlanFunction, helpers: Collection[str]) -> tuple[str, ...]:
    """Names that are neither variables of the function nor helpers, constants or part of the language; sorted."""
    free, forbidden = _foreign(function)
    return tuple(sorted((free - set(helpers)) | forbidden))


@functools.cache
def _foreign(function: PlanFunction) -> tuple[frozenset[str], frozenset[str]]:
    """Names that only a helper may have, and those that nothing may; a helper is asked for by many entries."""
    tree = function.tree()
    known = {*_bound(tree), *(name for name, _ in function.constants), *PYTHON, *MODULES}
    private = (n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute) and n.attr.startswith("_"))
    imported = (alias.name for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom) for alias in n.names)
    return names_read(_without_annotations(tree)) - known, frozenset((*private, *imported))


def _bound(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.Name(id=name, ctx=ast.Store()):
                yield name


def _without_annotations(tree: ast.FunctionDef) -> ast.AST:
    """The bodies and defaults of a function: annotations are for the reader."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns, node.decorator_list = None, []
        elif isinstance(node, ast.arg):
            node.annotation = None
    return tree
