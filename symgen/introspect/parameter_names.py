"""Names for a schema's arguments: the stub's, position by position, because the stub is what people read."""

from __future__ import annotations

from collections.abc import Sequence

from symgen.model.schema import AtenSchema, StubSignature


def stub_names(schema: AtenSchema, stubs: Sequence[StubSignature]) -> tuple[str, ...]:
    """The names of the schema's arguments as the stub that declares this overload has them.

    Of several stubs the one wins that agrees in most names, and of those the first; a stub with other arguments (a
    dead overload, or a Python function that takes more) does not name this schema's.
    """
    own = tuple(argument.name for argument in schema.arguments if not argument.is_written or not argument.keyword_only)
    candidates = [names for stub in stubs if not stub.is_method and _fits(own, names := _names(stub))]
    return max(candidates, key=lambda names: sum(map(str.__eq__, own, names)), default=own)


def _names(stub: StubSignature) -> tuple[str, ...]:
    """The parameters' names without `out`."""
    return tuple(parameter.name for parameter in stub.parameters if parameter.name != "out")


def _fits(own: Sequence[str], names: Sequence[str]) -> bool:
    """Whether a stub's parameters are this schema's: as many of them, and each shared name in the same place."""
    if len(own) != len(names):
        return False
    return all(a == b or (a not in names and b not in own) for a, b in zip(own, names, strict=True))
