"""The body of a class in a user's file, into which a method goes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from symgen.merge.locate import Claim
from symgen.merge.source import Kind, ModuleSource, Statement
from symgen.merge.splice import LINE_END, Positions, Splice, line_end, line_start, newline_before
from symgen.merge.style import FileStyle


@dataclass(frozen=True)
class ClassBody:
    """A class: its members, and how they are indented."""

    name: str
    line: int
    outer: str
    """What the class statement itself is indented by."""
    indent: str
    """What its members are indented by."""
    members: tuple[Statement, ...]

    @property
    def unit(self) -> str:
        """One step of indentation."""
        return self.indent.removeprefix(self.outer) or self.indent

    def find(self, name: str, key: str) -> Statement | Claim | None:
        """The member of a name where symgen wrote it under the key; where the user wrote it, the line."""
        for member in self.members:
            if member.marker is not None and member.marker.key == key and name in (member.name, *_bound(member)):
                return member
            if name in (member.name, *_bound(member)):
                return Claim(member.line, f"{self.name}.{name} is the file's own here")
        return None

    def insertion(self, source: ModuleSource, text: str) -> Splice:
        """Puts a member, laid out, behind all others and in front of a comment that ends the class."""
        at = self.members[-1].end
        newline = newline_before(source.text, at)
        code = LINE_END.sub(lambda _: newline, f"\n{text}")
        if source.text[at - 1] not in "\r\n":
            code = newline + code.removesuffix(newline)
        return Splice(at, at, code)


def find_class(source: ModuleSource, dotted: str) -> ClassBody | Claim:
    """The class of a name (a nested one: `Outer.Inner`); where it can't take a method, the line and why."""
    first, *inner = dotted.split(".")
    statement = next((one for one in source.statements if one.kind is Kind.CLASS and one.name == first), None)
    if statement is None:
        return Claim(0, f"there is no class {first} at the top level")
    node = statement.tree[0]
    for name in inner:
        body = node.body if isinstance(node, ast.ClassDef) else []
        found = next((child for child in body if isinstance(child, ast.ClassDef) and child.name == name), None)
        if found is None:
            return Claim(statement.line, f"the class {first} has no class {name} in it")
        node = found
    assert isinstance(node, ast.ClassDef)
    return _class_body(source, statement, node, dotted)


def method_style(body: ClassBody, style: FileStyle) -> FileStyle:
    """The style of a file, with the indentation of one class."""
    return FileStyle(style.line_length, style.quote, body.unit, style.blank_lines)


def _class_body(source: ModuleSource, statement: Statement, node: ast.ClassDef, dotted: str) -> ClassBody | Claim:
    text, positions = source.text, Positions(statement.text)
    start = statement.begin + positions.start(node)
    first = statement.begin + positions.start(node.body[0])
    indent = text[line_start(text, first) : first]
    if indent.strip():
        return Claim(
            statement.line + node.lineno - 1, f"the body of {dotted} stands on the line of the class statement"
        )
    members = tuple(_members(source, statement, node, positions))
    outer = text[line_start(text, start) : start]
    return ClassBody(dotted, statement.line + node.lineno - 1, outer, indent, members)


def _members(
    source: ModuleSource, statement: Statement, node: ast.ClassDef, positions: Positions
) -> Iterator[Statement]:
    text, end = source.text, statement.begin + positions.start(node.body[0])
    end = line_start(text, end)
    for child in node.body:
        decorators = getattr(child, "decorator_list", [])
        begin = line_start(text, statement.begin + min(positions.start(one) for one in (child, *decorators)))
        start, end = min(end, begin), line_end(text, statement.begin + positions.end(child))
        kind = {ast.FunctionDef: Kind.FUNCTION, ast.ClassDef: Kind.CLASS}.get(type(child), Kind.SIMPLE)
        first_line = min([child.lineno, *(one.lineno for one in decorators)])
        yield Statement(
            kind,
            getattr(child, "name", ""),
            start=start,
            begin=begin,
            end=end,
            line=statement.line + first_line - 1,
            leading=text[start:begin],
            text=text[begin:end],
        )


def _bound(member: Statement) -> list[str]:
    """The names that a plain statement of a class body assigns."""
    if member.kind is not Kind.SIMPLE:
        return []
    tree = ast.parse(f"if 1:\n{member.text}")
    return [n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
