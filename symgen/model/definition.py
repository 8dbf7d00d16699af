"""What the render stage hands to the merge stage: the definitions that a file is to hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Import:
    """`import module`, `import module as alias`, `from module import name` or `from module import name as alias`."""

    module: str
    name: str = ""
    alias: str = ""

    @property
    def bound(self) -> str:
        """The name that the import binds in the file."""
        return self.alias or self.name or self.module.partition(".")[0]

    def __str__(self) -> str:
        tail = f" as {self.alias}" if self.alias else ""
        return f"from {self.module} import {self.name}{tail}" if self.name else f"import {self.module}{tail}"


@dataclass(frozen=True)
class Registration:
    """A function serves `op` (`aten::hypot`) from each of `opsets` on, until a higher registration takes over."""

    op: str
    opsets: tuple[int, ...]


@dataclass(frozen=True)
class Definition:
    """One top-level function of a generated file, or one method that goes into a class of the user's.

    `source` is the `def` with its inner decorators (`@symbolic_helper.parse_args(...)`), without the registering
    decorators and without the marker line: the merge stage writes both as the target file has them.
    """

    name: str
    source: str
    registrations: tuple[Registration, ...] = ()
    requires: tuple[str, ...] = ()
    """Names of other generated definitions (helpers) that this one calls; they must stand in the same file."""
    imports: tuple[Import, ...] = ()
    exported: bool = True
    """Whether the name belongs into `__all__`; helpers don't."""
    calls: tuple[str, ...] = ()
    """Functions of the file itself that it calls although they have the names of builtins."""
    shared: bool = False
    """Whether other files import it, so that it keeps its name; a helper that is not gives way to the file's own."""
    container: str = ""
    """The class that it is a method of (`Clip`, `Outer.Clip`), empty for a function of the module."""

    @property
    def key(self) -> str:
        """What its marker line and its kept text are found by: the operator, else the name."""
        return self.registrations[0].op if self.registrations else self.called

    @property
    def is_helper(self) -> bool:
        """Whether it is there for other definitions only."""
        return not (self.registrations or self.exported or self.container)

    @property
    def called(self) -> str:
        """The name that other definitions of the file know it by."""
        return f"{self.container}.{self.name}" if self.container else self.name


@dataclass(frozen=True)
class ModuleText:
    """A file as it should be, for one opset: the head of a new file, and the definitions in it."""

    head: str
    """What a new, empty file starts with: docstring, imports, `__all__`, `_onnx_symbolic`."""
    definitions: tuple[Definition, ...]


def together(modules: Sequence[ModuleText]) -> ModuleText:
    """Several texts for one file, under the head of the first; what they share stands there once."""
    definitions = dict.fromkeys(definition for module in modules for definition in module.definitions)
    return ModuleText(modules[0].head, tuple(definitions))
