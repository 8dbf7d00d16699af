"""Imports: added where the file has its own, taken out where nothing uses them any more."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby, pairwise, takewhile
from typing import NamedTuple

import libcst as cst
from libcst.codemod import CodemodContext
from libcst.codemod.visitors import AddImportsVisitor

from symgen.merge.sequence import Entry, EntryList, insert_entries, natural_order, remove_entries, sorted_position
from symgen.merge.source import Kind, ModuleSource, Statement
from symgen.merge.splice import LINE_END, Positions, Splice, line_start, newline_before
from symgen.merge.style import FileStyle
from symgen.model.definition import Import

_FUTURE, _STANDARD, _INSTALLED, _RELATIVE = range(4)


def add_imports(source: ModuleSource, wanted: Iterable[Import], style: FileStyle, *, is_own: bool) -> list[Splice]:
    """The splices that add imports which the file lacks.

    A name goes into the `from` import that its module has already, where that changes no line of the user's: in a list
    with a name a line, or in a file that is symgen's own. libcst's visitor writes the statements for the rest, and each
    is put beside its like: future, standard library, installed, relative, in the order that is there.
    """
    missing = sorted(set(wanted))
    extended: dict[int, list[Import]] = {}
    alone = []
    for one in missing:
        index = _statement_for(source, one, is_own)
        if index is None:
            alone.append(one)
        else:
            extended.setdefault(index, []).append(one)
    splices = [splice for index, names in extended.items() for splice in _extend(source, index, names, style)]
    return splices + _insert_statements(source, alone, style)


def remove_imports(source: ModuleSource, names: Collection[str], deletions: Sequence[Splice] = ()) -> list[Splice]:
    """The splices that take the imports of names out of the top level, beside other `deletions` in the file."""
    splices, whole = list[Splice](), list[int]()
    for index, statement in enumerate(source.statements):
        if not statement.is_import or len(statement.tree) != 1 or "#" in statement.text:
            continue
        (node,) = statement.tree
        assert isinstance(node, ast.Import | ast.ImportFrom)
        gone = [i for i, alias in enumerate(node.names) if _bound(alias) in names]
        if len(gone) == len(node.names):
            whole.append(index)
        elif gone:
            splices += [splice.moved(statement.begin) for splice in remove_entries(_names(statement), gone)]
    return [*splices, *_whole_lines(source, whole, deletions)]


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _statement_for(source: ModuleSource, wanted: Import, is_own: bool) -> int | None:
    """The `from` import of the same module that the name can go into."""
    for index, statement in enumerate(source.statements):
        if wanted.name and statement.is_import and len(statement.tree) == 1:
            (node,) = statement.tree
            if not isinstance(node, ast.ImportFrom) or node.names[0].name == "*" or _origin(node) != wanted.module:
                continue
            listing = _names(statement)
            if is_own or (listing.one_per_line and listing.grows_by_lines):
                return index
    return None


def _origin(node: ast.ImportFrom) -> str:
    return "." * node.level + (node.module or "")


def _extend(source: ModuleSource, index: int, wanted: Sequence[Import], style: FileStyle) -> list[Splice]:
    statement = source.statements[index]
    listing = _names(statement)
    keys = [entry.key for entry in listing.entries]
    ordered = sorted(wanted, key=lambda one: natural_order(one.name))
    texts = [(one.name, f"{one.name} as {one.alias}" if one.alias else one.name) for one in ordered]
    additions = [(sorted_position(keys, name), text) for name, text in texts]
    newline = newline_before(source.text, statement.end)
    return [splice.moved(statement.begin) for splice in insert_entries(listing, additions, newline, style)]


def _names(statement: Statement) -> EntryList:
    """The names of an import statement as a list."""
    text, positions = statement.text, Positions(statement.text)
    (node,) = statement.tree
    assert isinstance(node, ast.Import | ast.ImportFrom)
    entries = tuple(Entry(positions.start(alias), positions.end(alias), alias.name) for alias in node.names)
    closing = text.rfind(")", entries[-1].end, positions.end(node))
    if closing < 0:
        return EntryList(text, entries, entries[0].start, entries[-1].end, bracketed=False)
    return EntryList(text, entries, text.rindex("(", 0, entries[0].start) + 1, closing)


class _Place(NamedTuple):
    """What import statements are ordered by: the section, `import` before `from`, the module, the first name."""

    section: int
    is_from: bool
    module: str
    name: str = ""


def _place(node: ast.stmt) -> _Place:
    if isinstance(node, ast.ImportFrom):
        origin = _origin(node)
        return _Place(_section(origin), True, origin.lower(), node.names[0].name)
    assert isinstance(node, ast.Import)
    return _Place(_section(node.names[0].name), False, node.names[0].name.lower())


def _section(module: str) -> int:
    if module == "__future__":
        return _FUTURE
    if module.startswith("."):
        return _RELATIVE
    return _STANDARD if module.partition(".")[0] in sys.stdlib_module_names else _INSTALLED


def _insert_statements(source: ModuleSource, wanted: Sequence[Import], style: FileStyle) -> list[Splice]:
    written = _write_statements(wanted, style)
    run = _import_run(source)
    if not written:
        return []
    if not run:
        return [_first_imports(source, _rows(written, None, None))]
    return [*_insert_between(source, run, written)]


def _write_statements(wanted: Sequence[Import], style: FileStyle) -> list[tuple[_Place, list[str]]]:
    """The lines of the import statements, in their order, as libcst's visitor writes them; what is long is wrapped."""
    context = CodemodContext()
    for one in wanted:
        level = len(one.module) - len(one.module.lstrip("."))
        AddImportsVisitor.add_needed_import(context, one.module[level:], one.name or None, one.alias or None, level)
    module = AddImportsVisitor(context).transform_module(cst.Module(body=[]))
    lines = [_in_order(module.code_for_node(statement).strip()) for statement in module.body]
    return sorted((_place(ast.parse(line).body[0]), _wrapped(line, style)) for line in lines)


def _wrapped(line: str, style: FileStyle) -> list[str]:
    """The statement as it is, or with a name a line in parentheses where it is too long and a `from` import."""
    origin, parted, names = line.partition(" import ")
    if len(line) <= style.line_length or not parted:
        return [line]
    return [f"{origin} import (", *(f"{style.indent}{name}," for name in names.split(", ")), ")"]


def _in_order(line: str) -> str:
    """The statement with its names in the order of the linters, in which 9 comes before 13."""
    origin, parted, names = line.partition(" import ")
    return f"{origin}{parted}{', '.join(sorted(names.split(', '), key=natural_order))}" if parted else line


def _import_run(source: ModuleSource) -> list[Statement]:
    """The longest row of import statements above the first definition."""
    above = takewhile(lambda statement: statement.kind not in (Kind.FUNCTION, Kind.CLASS), source.statements)
    runs = [[*group] for is_import, group in groupby(above, key=lambda statement: statement.is_import) if is_import]
    return max(runs, key=len, default=[])


def _position(places: Sequence[_Place], place: _Place) -> int:
    """How many of the row's statements come before a new one."""
    if all(one <= other for one, other in pairwise(places)):
        return sum(one <= place for one in places)
    return max((i for i, other in enumerate(places, 1) if other.section <= place.section), default=0)


def _insert_between(
    source: ModuleSource, run: Sequence[Statement], written: Sequence[tuple[_Place, list[str]]]
) -> Iterator[Splice]:
    """Puts lines into a row of statements, each with its section, and blank lines where sections meet."""
    places = [_place(statement.tree[0]) for statement in run]
    parts_sections = _parts_sections(run, places)
    for (at, above, below), group in groupby(written, key=lambda pair: _gap(run, places, pair[0])):
        pairs = [*group]
        rows = _rows(pairs, above, below) if parts_sections else [line for _, lines in pairs for line in lines]
        newline = newline_before(source.text, at)
        yield Splice(at, at, _unended(source, at, newline) + "".join(f"{row}{newline}" for row in rows))


def _gap(run: Sequence[Statement], places: Sequence[_Place], place: _Place) -> tuple[int, int | None, int | None]:
    """Where a line goes, and the sections that it touches there; None where a blank line is between."""
    position = _position(places, place)
    above = places[position - 1].section if position else None
    if position == len(run):
        return run[-1].end, above, None
    below, leading = places[position].section, run[position].leading
    if not position or (below == place.section != above and not leading.strip()):
        return run[position].begin, None, below
    return run[position - 1].end, above, None if LINE_END.match(leading) else below


def _rows(written: Sequence[tuple[_Place, list[str]]], above: int | None, below: int | None) -> list[str]:
    """The lines, parted by blank ones where a section ends; `above` and `below` are the sections around them."""
    rows = list[str]()
    for place, lines in written:
        rows += ["", *lines] if above not in (None, place.section) else lines
        above = place.section
    return [*rows, ""] if below not in (None, above) else rows


def _parts_sections(run: Sequence[Statement], places: Sequence[_Place]) -> bool:
    """Whether blank lines part the sections of a row; also where it has but one section."""
    pairs = zip(pairwise(places), run[1:], strict=True)
    return all(LINE_END.match(after.leading) for (one, other), after in pairs if one.section != other.section)


def _first_imports(source: ModuleSource, lines: Sequence[str]) -> Splice:
    """The first imports of a file: below its docstring, above everything else."""
    below_docstring = bool(source.statements) and source.statements[0].is_docstring
    at = source.statements[0].end if below_docstring else source.top
    newline = newline_before(source.text, at)
    above = _unended(source, at, newline) + (newline if below_docstring else "")
    below = newline if source.text[at : at + 1].strip() else ""
    return Splice(at, at, above + "".join(f"{line}{newline}" for line in lines) + below)


def _unended(source: ModuleSource, at: int, newline: str) -> str:
    """The line end that the text lacks before a position at its end."""
    return newline if at and source.text[at - 1] not in "\r\n" else ""


def _whole_lines(source: ModuleSource, indexes: Sequence[int], deletions: Sequence[Splice]) -> Iterator[Splice]:
    """Takes statements out; of the blank lines around each row of them, and in it, one place keeps its own."""
    for row in _rows_of(source, indexes):
        statements = [source.statements[index] for index in row]
        yield from (Splice(one.begin, one.end, "") for one in statements)
        blanks = [_blank_above(source, row[0]), *(LINE_END.match(source.text, one.end) for one in statements[:-1])]
        below = _behind(statements[-1].end, deletions)
        blanks.append(LINE_END.match(source.text, below))
        kept = False
        for blank in blanks:
            if isinstance(blank, re.Match) and kept:
                yield Splice(*blank.span(), "")
            kept = kept or bool(blank)


def _rows_of(source: ModuleSource, indexes: Sequence[int]) -> Iterator[list[int]]:
    """The statements in rows between which there is nothing but blank lines."""
    row = list[int]()
    for index in indexes:
        if row and (index - 1 != row[-1] or source.statements[index].leading.strip()):
            yield row
            row = []
        row.append(index)
    if row:
        yield row


def _blank_above(source: ModuleSource, index: int) -> bool:
    """Whether a statement stands below a blank line, or is the first import of a row."""
    begin = source.statements[index].begin
    above = source.text[line_start(source.text, max(begin - 1, 0)) : begin]
    return not above.strip() or not index or not source.statements[index - 1].is_import


def _behind(position: int, deletions: Sequence[Splice]) -> int:
    """The first character behind a position that is not deleted."""
    for splice in sorted(deletions, key=lambda splice: splice.start):
        if splice.start <= position < splice.end:
            position = splice.end
    return position
