"""PyTorch's own test suite: a method beside its like, and a row in the table of consistent operators."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from symgen.merge.layout import format_method
from symgen.merge.place import family_index
from symgen.merge.style import FileStyle

RUNTIME_TESTS = "test/onnx/test_pytorch_onnx_onnxruntime.py"
CONSISTENCY_TESTS = "test/onnx/test_op_consistency.py"
MIN_OPSET = "skipIfUnsupportedMinOpsetVersion"
_COMMENTED = re.compile(r"""\s*# ["']([\w.]+)["'],""")
"""A row that waits for something."""
_TABLE, _EXPECTED = "TESTED_OPS", "EXPECTED_SKIPS_OR_FAILS"


def test_methods(text: str) -> tuple[str, ...]:
    """The names of the test methods in the class that calls `self.run_test` most."""
    found = _suite_class(ast.parse(text))
    return tuple(method.name for method in _tests(found)) if found else ()


def binds(text: str, name: str) -> bool:
    """Whether a file has a name to call."""
    return re.search(rf"\b{name}\b", text) is not None


def add_test(text: str, name: str, method: str, style: FileStyle) -> str:
    """The file with a test method behind the one that is most like it, or behind the last; as it is without a class."""
    found = _suite_class(ast.parse(text))
    if found is None:
        return text
    tests = list(_tests(found))
    names = [test.name.removeprefix("test_") for test in tests]
    neighbour = tests[max(family_index(names, name.removeprefix("test_")), 1) - 1]
    lines = text.splitlines(keepends=True)
    at = neighbour.end_lineno or neighbour.lineno
    lines.insert(at, "\n" + format_method(method, "", style))
    return "".join(lines)


def add_row(text: str, name: str, first_opset: int) -> str:
    """The file with an operator in the table, in its alphabetical place; as it is where the table lacks or has it.

    Where the operator is served from a later opset than the table tests, with the row that says so.
    """
    tree = ast.parse(text)
    rows = _rows(tree)
    if not rows or name in {row.value for row in rows}:
        return text
    lines = text.splitlines(keepends=True)
    line, indent = _place([(str(row.value), row) for row in rows], name)
    while (commented := _COMMENTED.match(lines[line - 1])) and commented[1] > name:
        line -= 1
    insertions = [((line, indent), f'"{name}",\n')]
    expected = list(_expectations(tree))
    if first_opset > 9 and expected and binds(text, "opsets_before"):
        before = f"opsets=[onnx_test_common.opsets_before({first_opset})]"
        skip = f'skip("{name}", {before}, reason="Needs opset {first_opset}."),\n'
        insertions.append((_place(expected, name), skip))
    for (line, indent), row in sorted(insertions, reverse=True):
        lines.insert(line, indent + row)
    return "".join(lines)


def _suite_class(tree: ast.Module) -> ast.ClassDef | None:
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and list(_tests(node))]
    calling = {node: sum(_runs_test(method) for method in _tests(node)) for node in classes}
    return max(calling, key=lambda node: calling[node]) if any(calling.values()) else None


def _tests(node: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    return (child for child in node.body if isinstance(child, ast.FunctionDef) and child.name.startswith("test_"))


def _runs_test(method: ast.FunctionDef) -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr == "run_test" for node in ast.walk(method))


def _rows(tree: ast.Module) -> list[ast.Constant]:
    for value in _assigned(tree, _TABLE):
        for node in ast.walk(value):
            if isinstance(node, ast.List | ast.Tuple | ast.Set):
                return [element for element in node.elts if isinstance(element, ast.Constant)]
    return []


def _expectations(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """The rows `skip("name", ...)` and `xfail("name", ...)`."""
    for value in _assigned(tree, _EXPECTED):
        for element in value.elts if isinstance(value, ast.List | ast.Tuple) else []:
            match element:
                case ast.Call(args=[ast.Constant(value=str(name)), *_]):
                    yield name, element


def _assigned(tree: ast.Module, name: str) -> Iterator[ast.expr]:
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                yield value
            case ast.AnnAssign(target=ast.Name(id=target), value=ast.expr() as value) if target == name:
                yield value


def _place(rows: Sequence[tuple[str, ast.expr]], name: str) -> tuple[int, str]:
    """The line before which a row goes, and its indentation."""
    indent = " " * rows[0][1].col_offset
    later = next((row for other, row in rows if other > name), None)
    last = rows[-1][1]
    return ((later.lineno - 1) if later else (last.end_lineno or last.lineno)), indent
