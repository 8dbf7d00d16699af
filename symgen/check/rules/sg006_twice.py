"""SG006: one operator is registered twice at one opset."""

from __future__ import annotations

from collections.abc import Iterator

from symgen.check.context import Context
from symgen.check.findings import Finding
from symgen.check.reading.registrations import Registration
from symgen.check.rules.rule import Example, Rule

CODE = "SG006"


def check(context: Context) -> Iterator[Finding]:
    """Looks for a second registration in the file, then in its neighbours."""
    seen: dict[tuple[str, int, bool | None], Registration] = {}
    for registration in context.module.registrations:
        for opset in registration.opsets or ():
            key = (registration.op, opset, registration.custom)
            first = seen.setdefault(key, registration)
            if first is not registration and first.branch == registration.branch:
                yield _finding(context, registration, opset, f"first {_described(first)}")
                break
    if not context.is_torch_file:
        yield from _beside(context)


def _described(registration: Registration) -> str:
    line = f"in line {registration.node.lineno}"
    return f"on {registration.definition.name}, {line}" if registration.definition else line


def _beside(context: Context) -> Iterator[Finding]:
    for registration in context.module.registrations:
        if registration.branch or registration.opsets is None:
            continue
        for neighbour in context.neighbours(registration.op):
            if neighbour.opset in registration.opsets and neighbour.custom == registration.custom:
                where = f"{neighbour.location.path}:{neighbour.location.line}"
                yield _finding(context, registration, neighbour.opset, f"also in {where}")
                break


def _finding(context: Context, registration: Registration, opset: int, other: str) -> Finding:
    message = f"{registration.op} is registered twice at opset {opset} ({other})"
    return context.finding(CODE, registration.node, message, fix="register each operator once at each opset")


RULE = Rule(
    code=CODE,
    name="registered twice at one opset",
    why="""\
The registry holds one function for an operator and an opset; a second registration replaces the first, with no more
than a warning at import. Mostly a decorator was copied and its name left as it was: the operator then exports with the
wrong function, and another one is not registered at all. Other files of the same folder are looked at too: which of
two files wins depends on the order of their imports. Two arms of a condition don't count as two.""",
    check=check,
    wrong=(
        Example("""@_onnx_symbolic("aten::deg2rad")
def deg2rad(g, self):
    return _times(g, self, torch.pi / 180)


@_onnx_symbolic("aten::deg2rad")  # <- SG006 meant is aten::rad2deg
def rad2deg(g, self):
    return _times(g, self, 180 / torch.pi)
"""),
    ),
    right=(
        Example("""if torch.__version__ >= "2.10":

    @_onnx_symbolic("aten::deg2rad")
    def deg2rad(g, self):
        return _times(g, self, torch.pi / 180)

else:

    @_onnx_symbolic("aten::deg2rad")
    def deg2rad(g, self):
        return _divided(g, self, 180 / torch.pi)
"""),
    ),
)
