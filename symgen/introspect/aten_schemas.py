"""Reads the text of an ATen schema: `hypot.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from symgen.errors import ParseError
from symgen.model.location import Location
from symgen.model.names import OpName
from symgen.model.schema import Argument, AtenSchema, Return
from symgen.model.types import BASE_TYPES, BaseType, ClassType, ListType, OptionalType, Type

_NAME = re.compile(r"(?:(?P<namespace>\w+)::)?(?P<base>\w+)(?:\.(?P<overload>\w+))?")
_TYPE_NAME = re.compile(r"__torch__(?:\.\w+)+|\w+")
_ALIAS = re.compile(r"\((?P<alias>[^()]*)\)")
_LIST_SIZE = re.compile(r"\[(?P<size>\d*)\]")
_ARGUMENT_NAME = re.compile(r" (?P<name>\w+)")
_DEFAULT = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\[[^\]]*\]|[^,()\s'"\[\]]+""")


def parse_schema(text: str, location: Location | None = None, *, default_namespace: str = "aten") -> AtenSchema:
    """Reads a schema, from native_functions.yaml (without a namespace) or as a loaded library registers it (with one).

    Raises:
        ParseError: where the text is no schema or names a type outside the closed tree; the location says where.
    """
    return _Reader(text, location or Location("<schema>")).schema(default_namespace)


@dataclass(frozen=True)
class _Annotated:
    """A type together with the alias annotation that stood inside it."""

    type: Type
    alias: str = ""


class _Reader:
    """A cursor over the text; each method reads one construct and moves past it."""

    def __init__(self, text: str, location: Location) -> None:
        self._text = text
        self._location = location
        self._position = 0

    def schema(self, default_namespace: str) -> AtenSchema:
        name = self._match(_NAME, "an operator's name")
        self._expect("(")
        arguments = self._arguments()
        self._expect(") -> ")
        in_parentheses = self._accept("(")
        returns = self._returns() if not (in_parentheses and self._accept(")")) else ()
        if in_parentheses and returns:
            self._expect(")")
        if self._position != len(self._text):
            raise self._error("the schema goes on where it should end")
        return AtenSchema(
            name=OpName(name["namespace"] or default_namespace, name["base"], name["overload"] or ""),
            arguments=arguments,
            returns=returns,
            location=self._location,
            returns_in_parentheses=in_parentheses,
            namespace_written=name["namespace"] is not None,
        )

    def _arguments(self) -> tuple[Argument, ...]:
        arguments: list[Argument] = []
        keyword_only = False
        if self._text.startswith(")", self._position):
            return ()
        while True:
            if self._accept("*"):
                keyword_only = True
            else:
                arguments.append(self._argument(keyword_only))
            if not self._accept(", "):
                return tuple(arguments)

    def _argument(self, keyword_only: bool) -> Argument:
        annotated = self._type()
        name = self._match(_ARGUMENT_NAME, "an argument's name")["name"]
        # Some that are registered by hand, in no file, have spaces there.
        has_default = self._accept("=") or self._accept(" = ")
        default = self._match(_DEFAULT, "a default")[0] if has_default else None
        return Argument(name, annotated.type, default, keyword_only, annotated.alias)

    def _returns(self) -> tuple[Return, ...]:
        returns = [self._return()]
        while self._accept(", "):
            returns.append(self._return())
        return tuple(returns)

    def _return(self) -> Return:
        annotated = self._type()
        name = _ARGUMENT_NAME.match(self._text, self._position)
        if name:
            self._position = name.end()
        return Return(annotated.type, name["name"] if name else "", annotated.alias)

    def _type(self) -> _Annotated:
        start = self._position
        name = self._match(_TYPE_NAME, "a type")[0]
        kind: Type
        if name.startswith("__torch__."):
            kind = ClassType(name)
        elif name in BASE_TYPES:
            kind = BaseType(name)
        else:
            self._position = start
            raise self._error(f"unknown type {name!r}")
        alias = _ALIAS.match(self._text, self._position)
        if alias:
            self._position = alias.end()
        while True:
            if self._accept("?"):
                kind = OptionalType(kind)
            elif size := _LIST_SIZE.match(self._text, self._position):
                self._position = size.end()
                kind = ListType(kind, int(size["size"]) if size["size"] else None)
            else:
                return _Annotated(kind, alias["alias"] if alias else "")

    def _match(self, pattern: re.Pattern[str], what: str) -> re.Match[str]:
        match = pattern.match(self._text, self._position)
        if match is None:
            raise self._error(f"{what} is missing")
        self._position = match.end()
        return match

    def _accept(self, text: str) -> bool:
        if not self._text.startswith(text, self._position):
            return False
        self._position += len(text)
        return True

    def _expect(self, text: str) -> None:
        if not self._accept(text):
            raise self._error(f"{text.strip()!r} is missing")

    def _error(self, message: str) -> ParseError:
        shown = self._text[self._position : self._position + 40]
        where = f"before {shown!r}" if shown else "at the end"
        return ParseError(f"{message} {where} in the schema {self._text!r}", location=self._location)
