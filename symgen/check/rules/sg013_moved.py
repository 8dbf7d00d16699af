"""SG013: a name of torch's that was moved or removed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from symgen.check.context import Context
from symgen.check.findings import Edit, Finding
from symgen.check.moved import NEW_HOME, Gone, find_gone
from symgen.check.reading.flow import Body
from symgen.check.reading.imports import imported_path
from symgen.check.rules.rule import Example, Rule

CODE = "SG013"
_PACKAGE = "torch.onnx"
_FROM = re.compile(r"from[ \t]+([\w.]+)")


def check(context: Context) -> Iterator[Finding]:
    """Looks at the imports of `torch.onnx` that nothing guards, then at attributes of it."""
    imports = context.module.imports
    for statement in imports.statements:
        if statement in imports.guarded:
            continue
        if isinstance(statement, ast.Import):
            yield from _plain_import(context, statement)
        elif not statement.level and (statement.module or "").startswith(_PACKAGE):
            yield from _from_import(context, statement)
    roots = {name: meanings[0] for name, meanings in imports.meanings.items() if _may_lead_there(meanings)}
    for body in (context.module.body, *context.module.body.functions):
        yield from _attributes(context, body, roots)


def _plain_import(context: Context, statement: ast.Import) -> Iterator[Finding]:
    for alias in statement.names:
        gone = find_gone(alias.name, context.index)
        if gone:
            text = f"{alias.name.replace(gone.path, gone.successor)} as {alias.asname}"
            edits = [context.replaced(alias, text)] if gone.moved and alias.asname else []
            yield context.finding(CODE, statement, gone.message, fix=gone.fix, edits=edits)


def _from_import(context: Context, statement: ast.ImportFrom) -> Iterator[Finding]:
    """One finding for each thing that is gone: the module itself, or some of the names."""
    found: dict[str, Gone] = {}
    by_alias = [(alias, find_gone(imported_path(statement, alias), context.index)) for alias in statement.names]
    for _, gone in by_alias:
        if gone:
            found.setdefault(gone.path, gone)
    edits = _from_edits(context, statement, by_alias) if found else []
    for gone in found.values():
        yield context.finding(CODE, statement, gone.message, fix=gone.fix, edits=edits)
        edits = []  # one edit of the statement mends them all


def _from_edits(
    context: Context, statement: ast.ImportFrom, by_alias: list[tuple[ast.alias, Gone | None]]
) -> list[Edit]:
    """Writes the statement anew, one for each module that holds the names now; nothing where one is gone for good."""
    source = context.module.source
    segment = source.segment(statement)
    if any(gone and not gone.moved for _, gone in by_alias) or "#" in segment:
        return []
    assert statement.module is not None
    homes: dict[str, list[ast.alias]] = {}
    for alias, gone in by_alias:
        path = imported_path(statement, alias)
        home = path.replace(gone.path, gone.successor, 1).rpartition(".")[0] if gone else statement.module
        homes.setdefault(home, []).append(alias)
    if len(homes) == 1:
        match = _FROM.match(segment)
        start = source.start(statement)
        return [Edit(start + match.start(1), start + match.end(1), *homes)] if match else []
    indentation = source.line(statement.lineno)[: statement.col_offset]
    line_end = "\r\n" if source.line(statement.lineno).endswith("\r\n") else "\n"
    texts = [ast.unparse(ast.ImportFrom(module, names, 0)) for module, names in sorted(homes.items())]
    return [context.replaced(statement, f"{line_end}{indentation}".join(texts))]


def _attributes(context: Context, body: Body, roots: Mapping[str, str]) -> Iterator[Finding]:
    for node in body.attributes:
        root = _root(node)
        meaning = roots.get(root.id) if root else None
        if meaning is None:
            continue
        (path,) = context.module.imports.resolve(node)
        gone = find_gone(path, context.index) if path.startswith(f"{_PACKAGE}.") else None
        if gone and not _is_below(meaning, gone.path) and not _is_imported(context, gone.path):
            yield context.finding(CODE, node, gone.message, fix=gone.fix)


def _may_lead_there(meanings: Sequence[str]) -> bool:
    """Whether an imported name has one meaning, and something old of the exporter may be below it."""
    is_old = meanings[0] == "torch" or (_is_below(meanings[0], _PACKAGE) and not _is_below(meanings[0], NEW_HOME))
    return len(meanings) == 1 and is_old


def _root(node: ast.expr) -> ast.Name | None:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node if isinstance(node, ast.Name) else None


def _is_imported(context: Context, path: str) -> bool:
    """Whether an `import` statement names what is gone: that statement is reported, or guarded."""
    plain = [statement for statement in context.module.imports.statements if isinstance(statement, ast.Import)]
    return any(_is_below(alias.name, path) for statement in plain for alias in statement.names)


def _is_below(path: str, package: str) -> bool:
    return path == package or path.startswith(f"{package}.")


RULE = Rule(
    code=CODE,
    name="a moved or removed name of torch's",
    why="""\
The TorchScript exporter moved to `torch.onnx._internal.torchscript_exporter` in torch 2.9; older names were removed
long before (`symbolic_registry` in 1.13, `SymbolicContext` later). What the installed torch still has under its old
name (`torch.onnx.symbolic_helper`, `torch.onnx.symbolic_opset9`, `torch.onnx.register_custom_op_symbolic`) is not
reported, nor is an import that a condition or `except ImportError` guards. `--fix` writes the new path where the same
thing stands there.""",
    check=check,
    wrong=(
        Example(
            """from torch.onnx._internal import jit_utils, registration  # <- SG013


def hypot(g: jit_utils.GraphContext, self, other):
    return g.op("Add", self, other)


registration.custom_onnx_symbolic("aten::hypot", 9)(hypot)
""",
            whole=True,
            fixed="""from torch.onnx._internal.torchscript_exporter import jit_utils, registration


def hypot(g: jit_utils.GraphContext, self, other):
    return g.op("Add", self, other)


registration.custom_onnx_symbolic("aten::hypot", 9)(hypot)
""",
        ),
        Example(
            """import torch
from torch.onnx.symbolic_registry import is_registered_op  # <- SG013 removed in 1.13


def opset():
    return torch.onnx.symbolic_helper._export_onnx_opset_version  # <- SG013 removed in 1.13
""",
            whole=True,
        ),
    ),
    right=(
        Example(
            """from torch.onnx import register_custom_op_symbolic, symbolic_helper, symbolic_opset9
from torch.onnx.symbolic_helper import parse_args

try:
    from torch.onnx._internal.torchscript_exporter import registration
except ImportError:
    from torch.onnx._internal import registration
""",
            whole=True,
        ),
    ),
)
