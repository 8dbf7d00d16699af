"""The `__init__.py` of a package of symbolic functions: importing it imports every module, which registers them."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from symgen.merge.exports import add_exports, remove_exports
from symgen.merge.heads import start_file
from symgen.merge.imports import add_imports, remove_imports
from symgen.merge.outcome import Action, DefinitionOutcome, MergeOutcome
from symgen.merge.source import Kind, ModuleSource, Statement, check_syntax
from symgen.merge.splice import apply_splices
from symgen.merge.style import StyleHints, observe_style
from symgen.model.definition import Import


def merge_init(
    before: bytes | None,
    modules: Collection[str],
    *,
    path: str,
    head: str,
    removed: Collection[str] = (),
    hints: StyleHints = StyleHints(),  # noqa: B008 (frozen)
) -> MergeOutcome:
    """Sees to it that importing a package imports its modules.

    A file of the user's own gains one import for each module that it does not import yet in some way.

    Args:
        before: the file's bytes, None where there is no file.
        modules: the modules that the package has, as `symbolic_opset9`.
        path: the file's name, for messages.
        head: what a new file starts with.
        removed: modules that are gone, whose imports go too; one that the user imports in another way is refused.
        hints: what the project's configuration says of its formatting.

    Raises:
        MergeError: where the file can't be changed: it isn't Python, or not byte-exact for libcst.
    """
    source = start_file(before, head, path)
    style = observe_style(source, hints)
    is_own = source.is_new or _is_own(source) or _is_marked(source)
    imported = dict(_imported_modules(source))
    wanted = [Import(".", module) for module in modules if module not in imported]
    splices = add_imports(source, wanted, style, is_own=is_own)
    refused = [_refusal(source, module, imported[module]) for module in removed if imported.get(module)]
    gone = {module for module in removed if module in imported} - {outcome.key for outcome in refused}
    splices += remove_imports(source, gone)
    if is_own:
        splices += [*add_exports(source, modules, style), *remove_exports(source, gone)]
    text = apply_splices(source.text, splices)
    check_syntax(text, source)
    added = [DefinitionOutcome(one.name, one.name, Action.ADDED) for one in wanted]
    taken = [DefinitionOutcome(module, module, Action.REMOVED) for module in sorted(gone)]
    return MergeOutcome(before, source.encode(text), {}, (*added, *taken, *refused))


def _is_own(source: ModuleSource) -> bool:
    """Whether the file holds what symgen writes and nothing else: a docstring, relative imports, `__all__`."""
    return all(
        one.is_docstring or (one.is_import and one.text.startswith("from . import")) or one.text.startswith("__all__")
        for one in source.statements
    )


def _is_marked(source: ModuleSource) -> bool:
    """Whether the file's functions are all symgen's, of which the package for the dynamo exporter has one."""
    functions = [one for one in source.statements if one.kind in (Kind.FUNCTION, Kind.CLASS)]
    return bool(functions) and all(one.marker for one in functions)


def _imported_modules(source: ModuleSource) -> Iterator[tuple[str, int]]:
    """The modules that top-level code imports, by the last part of their names.

    The number is 0 for `from . import module`, which can be taken out, and the line for all other ways.
    """
    for statement in source.statements:
        if statement.kind in (Kind.SIMPLE, Kind.COMPOUND):
            yield from _imported_by(statement)


def _imported_by(statement: Statement) -> Iterator[tuple[str, int]]:
    for root in statement.tree:
        for node in ast.walk(root):
            if isinstance(node, ast.ImportFrom):
                line = 0 if statement.is_import and node.level == 1 and not node.module else statement.line
                yield from ((alias.name, line) for alias in node.names)
                yield (node.module or "").rpartition(".")[2], statement.line
            elif isinstance(node, ast.Import):
                yield from ((alias.name.rpartition(".")[2], statement.line) for alias in node.names)
            elif isinstance(node, ast.Call):
                texts = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
                yield from ((text.rpartition(".")[2], statement.line) for text in texts)


def _refusal(source: ModuleSource, module: str, line: int) -> DefinitionOutcome:
    reason = f"{module} is imported here by the file's own code"
    return DefinitionOutcome(module, module, Action.REFUSED, source.location(line), reason)
