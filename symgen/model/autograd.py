"""An autograd.Function of the user's, as far as its text tells: what `forward` takes and gives."""

from __future__ import annotations

import ast
import enum
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from symgen.model.location import Location

LOCALS = "<locals>"
"""Stands in the qualified name of a class between the function that makes it and its own name."""


class ParameterKind(enum.StrEnum):
    """What a parameter of `forward` is, where the text says it."""

    TENSOR = "tensor"
    OPTION = "option"
    """A number, a string, or a list of them."""
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class ForwardParameter:
    """One parameter of `forward`, the context left out."""

    name: str
    kind: ParameterKind = ParameterKind.UNKNOWN
    attribute: str = ""
    """What the exporter calls the type of the attribute: `i`, `f` or `s`; empty where only the value tells."""
    default: str | None = None
    """Source text, None where the parameter is required."""
    is_variadic: bool = False
    is_declared: bool = False
    """Whether an annotation says the kind."""
    is_optional: bool = False
    """Whether None may come in its place."""
    refusal: str = ""
    """Why no node can carry it, as the end of a sentence; empty where one can."""

    @property
    def default_value(self) -> Any:
        """The default where it is a literal, lists as tuples; an ellipsis where there is none or it is none."""
        try:
            value = ... if self.default is None else ast.literal_eval(self.default)
        except (ValueError, SyntaxError):
            return ...
        return tuple(value) if isinstance(value, list) else value

    @property
    def is_certain(self) -> bool:
        """Whether it is always there, and always a tensor or always an attribute of one type."""
        if self.is_variadic or self.is_optional:
            return False
        return self.kind is ParameterKind.TENSOR or (self.is_declared and bool(self.attribute))


@dataclass(frozen=True)
class FunctionClass:
    """A class `module:qualname`; `location` is that of its class statement."""

    module: str
    qualname: str
    location: Location
    parameters: tuple[ForwardParameter, ...]
    outputs: int | None
    """How many results `forward` returns, None where its text doesn't tell."""
    forward: str = ""
    """The text of `forward`, its indentation taken off; it is translated where no domain is given."""
    imports: tuple[tuple[str, str], ...] = ()
    """What the names stand for that the module of `forward` imports: (`F`, `torch.nn.functional`)."""
    imports_torch: bool = False
    """Whether its file binds the name `torch` to torch."""
    is_script: bool = False
    """Whether its file is run by itself too, where the class is one of `__main__`."""
    symbolic: Location | None = None
    """Where it has a `symbolic` already, its own or an inherited one."""
    symbolic_owner: str = ""
    """The class that has it."""
    is_written: bool = False
    """Whether it has one that symgen wrote, which may be written again."""

    @property
    def name(self) -> str:
        """The class's own name, which a node of its own gets."""
        return self.qualname.rpartition(".")[2]

    @property
    def is_local(self) -> bool:
        """Whether a function makes it when it runs, so that no import finds it."""
        return LOCALS in self.qualname

    @property
    def is_out_of_reach(self) -> bool:
        """Whether an import of its module may miss the class that a model calls."""
        return self.is_local or self.is_script

    @property
    def identifier(self) -> str:
        """What its function is called in the package: `Outer_Inner`."""
        return self.qualname.replace(f".{LOCALS}", "").replace(".", "_")

    @property
    def path(self) -> Path:
        """The file that the class stands in."""
        return Path(self.location.path)

    @property
    def spelled(self) -> str:
        """`package.module:ClassName`."""
        return f"{self.module}:{self.qualname}"
