"""What torch declares of an operator: the ATen schema of one overload, and the `def` of a `.pyi` stub."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from symgen.model.location import Location
from symgen.model.names import OpName
from symgen.model.types import BaseType, ListType, Type, declared, innermost, strip_optional


@dataclass(frozen=True)
class Argument:
    """One argument of a schema. `default` is the text of the default, None where there is none."""

    name: str
    type: Type
    default: str | None = None
    keyword_only: bool = False
    alias: str = ""
    """The alias annotation without its parentheses: `a!`, `a -> *`; empty where there is none."""

    @property
    def is_written(self) -> bool:
        """Whether the operator writes into this argument."""
        return "!" in self.alias

    @property
    def default_value(self) -> Any:
        """The default as a value, lists as tuples; an ellipsis where there is none, or it is a name as `Mean`."""
        try:
            value = ... if self.default is None else ast.literal_eval(self.default)
        except (ValueError, SyntaxError):
            return ...
        return tuple(value) if isinstance(value, list) else value

    def __str__(self) -> str:
        default = "" if self.default is None else f"={self.default}"
        return f"{declared(self.type, self.alias)} {self.name}{default}"


@dataclass(frozen=True)
class Return:
    """One result of a schema; most have no name."""

    type: Type
    name: str = ""
    alias: str = ""

    def __str__(self) -> str:
        return f"{declared(self.type, self.alias)} {self.name}".rstrip()


@dataclass(frozen=True)
class AtenSchema:
    """One overload of an operator, as native_functions.yaml (or a loaded library) declares it.

    `str(schema)` is exactly the text that was parsed.
    """

    name: OpName
    arguments: tuple[Argument, ...]
    returns: tuple[Return, ...]
    location: Location
    variants: tuple[str, ...] = ("function",)
    composite_implicit: bool = False
    structured_delegate: str = ""
    returns_in_parentheses: bool = False
    namespace_written: bool = False
    """Whether the text names the namespace; native_functions.yaml leaves `aten::` out."""
    tags: tuple[str, ...] = ()

    def __str__(self) -> str:
        name = str(self.name) if self.namespace_written else str(self.name).removeprefix(f"{self.name.namespace}::")
        arguments = [str(argument) for argument in self.arguments]
        first_keyword = next((i for i, argument in enumerate(self.arguments) if argument.keyword_only), None)
        if first_keyword is not None:
            arguments.insert(first_keyword, "*")
        returns = ", ".join(str(result) for result in self.returns)
        return f"{name}({', '.join(arguments)}) -> " + (f"({returns})" if self.returns_in_parentheses else returns)

    @property
    def out_arguments(self) -> tuple[Argument, ...]:
        """The arguments that receive results: keyword-only ones, and in quantised operators those called `out`."""
        name = "out" if self.name.namespace == "quantized" else None
        return tuple(a for a in self.arguments if a.is_written and (a.keyword_only or a.name == name))

    @property
    def is_out(self) -> bool:
        """Whether this is an `out=` overload, which never reaches the exporter."""
        return bool(self.out_arguments)

    @property
    def is_inplace(self) -> bool:
        """Whether this overload writes into its first argument and returns it."""
        return self.name.base.endswith("_") and bool(self.arguments) and self.arguments[0].is_written

    @property
    def reaches_exporter(self) -> bool:
        """Whether an export can meet this overload: it has no `out=`, no named dimensions, and no list of `Scalar`.

        Tracing refuses such a list, and a script has no literal for it.
        """
        return not self.is_out and not any(
            innermost(argument.type) == BaseType("Dimname") or _is_scalar_list(argument.type)
            for argument in self.arguments
        )

    @property
    def gives_a_number(self) -> bool:
        """Whether the result is a Python value instead of a tensor; a trace takes it for a constant."""
        return bool(self.returns) and all(str(one.type) in {"bool", "int", "SymInt", "float"} for one in self.returns)


def _is_scalar_list(kind: Type) -> bool:
    stripped = strip_optional(kind)
    return isinstance(stripped, ListType) and stripped.element == BaseType("Scalar")


@dataclass(frozen=True)
class StubParameter:
    """One parameter of a `def` in a `.pyi`; annotation and default are source text."""

    name: str
    annotation: str = ""
    default: str | None = None
    kind: str = "positional_or_keyword"
    """`positional_only`, `positional_or_keyword`, `keyword_only`, `var_positional` or `var_keyword`."""

    def __str__(self) -> str:
        stars = {"var_positional": "*", "var_keyword": "**"}.get(self.kind, "")
        annotation = f": {self.annotation}" if self.annotation else ""
        default = "" if self.default is None else f"={self.default}"
        return f"{stars}{self.name}{annotation}{default}"


@dataclass(frozen=True)
class StubSignature:
    """One `def` of a `.pyi` that declares an operator, as a function or as a Tensor method.

    `str(signature)` equals `ast.unparse` of the definition, docstring apart.
    """

    name: str
    parameters: tuple[StubParameter, ...]
    returns: str
    location: Location
    container: str = ""
    """The class around it (`TensorBase`), empty for a function."""
    decorators: tuple[str, ...] = ()

    @property
    def is_method(self) -> bool:
        """Whether it stands in a class."""
        return bool(self.container)

    def __str__(self) -> str:
        decorators = "".join(f"@{decorator}\n" for decorator in self.decorators)
        returns = f" -> {self.returns}" if self.returns else ""
        return f"{decorators}def {self.name}({', '.join(self._parameter_texts())}){returns}:\n    ..."

    def _parameter_texts(self) -> Iterator[str]:
        """The parameters as `ast.unparse` writes them, with `/` and `*` where the kind changes."""
        previous = ""
        for parameter in self.parameters:
            if previous == "positional_only" != parameter.kind:
                yield "/"
            if parameter.kind == "keyword_only" and previous not in {"keyword_only", "var_positional"}:
                yield "*"
            yield str(parameter)
            previous = parameter.kind
        if previous == "positional_only":
            yield "/"


@dataclass(frozen=True)
class Operator:
    """All that torch declares under one name: every overload and every stub."""

    name: OpName
    overloads: tuple[AtenSchema, ...]
    stubs: tuple[StubSignature, ...] = ()
