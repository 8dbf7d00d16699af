"""A file as the merge sees it: its text, and where each top-level statement begins and ends."""

from __future__ import annotations

import ast
import enum
import re
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import libcst as cst

from symgen.errors import MergeError
from symgen.merge.splice import LINE_END, line_start
from symgen.model.location import Location
from symgen.model.ownership import Marker, parse_marker

_PLAIN_COMMENT = re.compile(r"#(?!!)(?!.*coding[:=])")
"""A comment that means nothing to Python or to the system, as `#!/usr/bin/python` does."""


class Kind(enum.Enum):
    """What sort of statement one is."""

    FUNCTION = "function"
    CLASS = "class"
    SIMPLE = "simple"
    COMPOUND = "compound"


@dataclass(frozen=True)
class Statement:
    """One statement of a module or of a class body, as offsets into the file's text."""

    kind: Kind
    name: str
    """Of a function or class; empty for others."""
    start: int
    """Where the blank lines and comments above it begin."""
    begin: int
    """Where its first own line begins: the first decorator's, for a decorated function."""
    end: int
    """After its last line end."""
    line: int
    """The number of its first own line."""
    leading: str
    text: str
    indent: str = ""
    """The indentation of its body, for a function or class that has one."""

    @cached_property
    def marker(self) -> Marker | None:
        """The marker nearest above the statement."""
        if "# symgen: " not in self.leading:
            return None
        markers = (parse_marker(line) for line in LINE_END.split(self.leading))
        return next((marker for marker in reversed([*markers]) if marker), None)

    @property
    def marker_offset(self) -> int:
        """Where the text of the marker begins; only for a statement that has one."""
        return self.start + self.leading.rindex(str(self.marker))

    @cached_property
    def tree(self) -> list[ast.stmt]:
        """The statement parsed by itself; line numbers count from its first line."""
        return ast.parse(self.text).body

    @property
    def is_import(self) -> bool:
        """Whether the line holds imports and nothing else."""
        if self.kind is not Kind.SIMPLE or not self.text.lstrip(" \t\f").startswith(("import", "from")):
            return False
        return all(isinstance(node, ast.Import | ast.ImportFrom) for node in self.tree)

    @property
    def is_docstring(self) -> bool:
        """Whether it is a string and nothing else."""
        if self.kind is not Kind.SIMPLE or len(self.tree) != 1:
            return False
        node = self.tree[0]
        return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


@dataclass(frozen=True)
class ModuleSource:
    """A Python file, decoded and cut into statements."""

    path: str
    text: str
    """Without a byte order mark, with the line ends that it has."""
    encoding: str
    statements: tuple[Statement, ...]
    is_new: bool = False
    """Whether it holds nothing of the user's yet: the head of a generated file, and comments at most."""

    def location(self, line: int) -> Location:
        """A place in this file."""
        return Location(self.path, line)

    @property
    def top(self) -> int:
        """Where code can stand above all other: below the comments that begin the file and are on no function."""
        if not self.statements:
            return len(self.text)
        first = self.statements[0]
        at = first.begin
        while first.kind in (Kind.FUNCTION, Kind.CLASS) and at:
            above = _last_line(self.text, at)
            if not _PLAIN_COMMENT.match(self.text, above):
                break
            at = above
        return at

    def encode(self, text: str) -> bytes:
        """The bytes of a text that takes this one's place."""
        return text.encode(self.encoding)

    def encodable(self, text: str) -> str:
        """The text with escapes for what the file's encoding lacks: the same string where it stands in a literal."""
        encoding = self.encoding.removesuffix("-sig")
        return text.encode(encoding, "backslashreplace").decode(encoding)


def parse_source(content: bytes, path: str) -> ModuleSource:
    """Decodes a file and finds its statements.

    Raises:
        MergeError: where it has a syntax error or bytes that aren't text, with the line; and where libcst does not give
            back exactly these bytes, which happens with lone carriage returns and misplaced form feeds.
    """
    try:
        module = cst.parse_module(content)
    except (cst.ParserSyntaxError, SyntaxError, ValueError, RecursionError) as error:
        raise _unreadable(content, path, error) from None
    text = content.decode(module.encoding)
    statements = _cut(module, text, path)
    if text.encode(module.encoding) != content:
        raise _inexact(path, 0)
    return ModuleSource(path, text, module.encoding, statements)


def check_syntax(text: str, source: ModuleSource) -> None:
    """Makes sure that what is about to be written is Python.

    Raises:
        MergeError: where it isn't because the file wasn't before, or because of what stands around the new code.
    """
    try:
        ast.parse(text)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 0
        message = f"the merged file would not be valid Python: {getattr(error, 'msg', error)}"
        try:
            ast.parse(source.text)
        except (SyntaxError, ValueError) as own:
            line = getattr(own, "lineno", None) or 0
            message = f"not valid Python: {getattr(own, 'msg', own)}"
        raise MergeError(message, location=source.location(line)) from None


def _cut(module: cst.Module, text: str, path: str) -> tuple[Statement, ...]:
    """Writes statement by statement: that gives the offsets, and shows whether libcst kept every byte."""
    codes = ["".join(map(module.code_for_node, module.header)), *map(module.code_for_node, module.body)]
    codes.append("".join(map(module.code_for_node, module.footer)))
    if not module.has_trailing_newline:
        last = max((index for index, code in enumerate(codes) if code), default=0)
        codes[last] = codes[last].removesuffix(module.default_newline)
    offsets = [0]
    for code in codes:
        if not text.startswith(code, offsets[-1]):
            raise _inexact(path, _first_difference(text, code, offsets[-1]))
        offsets.append(offsets[-1] + len(code))
    if offsets[-1] != len(text):
        raise _inexact(path, len(LINE_END.findall(text, 0, offsets[-1])) + 1)
    statements = list[Statement]()
    above, line = 0, 1
    for node, (start, end) in zip(module.body, pairwise(offsets[1:-1]), strict=True):
        begin = _skip_lines(text, start, len(getattr(node, "leading_lines", ())))
        line += len(LINE_END.findall(text, above, begin))
        statements.append(_statement(module, node, text, (above, begin, _own_end(text, begin, end)), line))
        above = statements[-1].end
        line += len(LINE_END.findall(text, begin, above))
    return tuple(statements)


def _skip_lines(text: str, position: int, count: int) -> int:
    for _ in range(count):
        match = LINE_END.search(text, position)
        assert match is not None
        position = match.end()
    return position


def _own_end(text: str, begin: int, end: int) -> int:
    """A statement's end without the blank lines and unindented comments that libcst may count to its block."""
    while (last := _last_line(text, end)) > begin and (text.startswith("#", last) or not text[last:end].strip()):
        end = last
    return end


def _last_line(text: str, end: int) -> int:
    """Where the line begins that ends at a position, with its line end or without."""
    return line_start(text, max(end - 1 - text.endswith("\r\n", 0, end), 0))


def _statement(
    module: cst.Module, node: cst.BaseStatement, text: str, offsets: tuple[int, int, int], line: int
) -> Statement:
    start, begin, end = offsets
    kind, name, indent = Kind.COMPOUND, "", ""
    if isinstance(node, cst.FunctionDef | cst.ClassDef):
        kind, name = Kind.FUNCTION if isinstance(node, cst.FunctionDef) else Kind.CLASS, node.name.value
        if isinstance(node.body, cst.IndentedBlock):
            indent = module.default_indent if node.body.indent is None else node.body.indent
    elif isinstance(node, cst.SimpleStatementLine):
        kind = Kind.SIMPLE
    return Statement(kind, name, start, begin, end, line, text[start:begin], text[begin:end], indent)


def _unreadable(content: bytes, path: str, error: Exception) -> MergeError:
    """The parser's error with the line that Python itself names; libcst's is wrong for some."""
    line, message = getattr(error, "raw_line", 0) or 0, getattr(error, "message", str(error))
    if isinstance(error, UnicodeDecodeError):
        line = content.count(b"\n", 0, error.start) + 1
    try:
        compile(content, path, "exec", dont_inherit=True)
    except SyntaxError as own:
        line, message = own.lineno or 0, own.msg
    except (ValueError, RecursionError, MemoryError) as own:
        message = str(own)
    else:
        message = f"libcst cannot read it: {message}"
    return MergeError(f"not valid Python: {message}", location=Location(path, line), hint="mend it and try again")


def _inexact(path: str, line: int) -> MergeError:
    message = "this file cannot be changed without touching other bytes of it"
    hint = "look for lone carriage returns, or form feeds before indented lines"
    return MergeError(message, location=Location(path, line), hint=hint)


def _first_difference(text: str, code: str, start: int) -> int:
    same = next((i for i, char in enumerate(code) if text[start + i : start + i + 1] != char), len(code))
    return len(LINE_END.findall(text, 0, start + same)) + 1
