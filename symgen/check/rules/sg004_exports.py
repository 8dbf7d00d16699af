"""SG004: `__all__` names what isn't there, misses a registered function, or names something twice."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from symgen.check.context import Context
from symgen.check.findings import Edit, Finding
from symgen.check.reading.flow import Body
from symgen.check.rules.exports_edits import added, removed
from symgen.check.rules.rule import Example, Rule

CODE = "SG004"
_DYNAMIC = frozenset({"globals", "setattr", "exec", "vars", "locals", "__getattr__"})
"""A module that reads one of these may define names that its text doesn't show."""


def check(context: Context) -> Iterator[Finding]:
    """Compares the entries with what the module defines and registers."""
    exports = context.module.exports
    if exports.written:
        yield from _unknown(context)
        yield from _repeated(context)
    if exports.entries and exports.complete and not _grows_later(context.module.body):
        yield from _missing(context)


def _unknown(context: Context) -> Iterator[Finding]:
    module = context.module
    if module.imports.stars or _may_define_more(module.body):
        return
    for entry in module.exports.entries:
        if entry.value not in module.defined:
            message = f"__all__ names {entry.value!s}, which the file doesn't define"
            yield context.finding(CODE, entry, message, fix="remove it", edits=_removal(context, entry))


def _repeated(context: Context) -> Iterator[Finding]:
    seen: set[object] = set()
    for entry in context.module.exports.entries:
        if entry.value in seen:
            message = f"__all__ names {entry.value!s} twice"
            yield context.finding(CODE, entry, message, fix="remove one", edits=_removal(context, entry))
        seen.add(entry.value)


def _missing(context: Context) -> Iterator[Finding]:
    exports, module = context.module.exports, context.module
    reported: set[str] = set()
    for registration in module.registrations:
        node = registration.definition
        if (
            node is None
            or registration.branch
            or registration.body is None
            or registration.body.parent is not module.body
        ):
            continue
        if node.name.startswith("_") or node.name in exports.names or node.name in reported:
            continue
        reported.add(node.name)
        edits = [added(module.source, exports.display, node.name)] if exports.display else []
        message = f"{node.name} is registered, but __all__ doesn't name it"
        yield context.finding(CODE, node, message, fix=f'add "{node.name}" to __all__', edits=edits)


def _removal(context: Context, entry: ast.Constant) -> list[Edit]:
    display = context.module.exports.display
    return [removed(context.module.source, display, entry)] if display and entry in display.elts else []


def _may_define_more(module: Body) -> bool:
    bodies = (module, *module.functions)
    return "__getattr__" in module.nested or any(not _DYNAMIC.isdisjoint(body.names) for body in bodies)


def _grows_later(module: Body) -> bool:
    """Whether a function that changes `__all__` is used anywhere."""
    changing = {name for name, bodies in module.nested.items() if any(_names_all(body) for body in bodies)}
    used = set().union(module.names, *(body.names for body in module.functions)) if changing else set()
    return not changing.isdisjoint(used)


def _names_all(body: Body) -> bool:
    return "__all__" in body.names or any("__all__" in inner.names for inner in body.functions)


RULE = Rule(
    code=CODE,
    name="__all__ disagrees with the file",
    why="""\
`from symbolic_opset9 import *` takes what `__all__` lists, and fails on a name that isn't there. Every public function
that the file registers belongs into it once. A computed `__all__` (`sorted(table)`), and one that the file changes in a
way that can't be followed, is left alone; so are names that `globals()` or a star import may define. `--fix` adds,
removes, and keeps the list's order and style.""",
    check=check,
    wrong=(
        Example(
            """__all__ = ["deg2rad", "gone"]  # <- SG004 gone


@_onnx_symbolic("aten::deg2rad")
def deg2rad(g, self):
    return _times(g, self, torch.pi / 180)


@_onnx_symbolic("aten::rad2deg")
def rad2deg(g, self):  # <- SG004 not in the list
    return _times(g, self, 180 / torch.pi)
""",
            fixed="""__all__ = ["deg2rad", "rad2deg"]


@_onnx_symbolic("aten::deg2rad")
def deg2rad(g, self):
    return _times(g, self, torch.pi / 180)


@_onnx_symbolic("aten::rad2deg")
def rad2deg(g, self):
    return _times(g, self, 180 / torch.pi)
""",
        ),
        Example(
            """__all__ = [
    "deg2rad",
    "zeta",
    "zeta",  # <- SG004 twice
]


@_onnx_symbolic("aten::deg2rad")
def deg2rad(g, self):
    return _times(g, self, torch.pi / 180)


@_onnx_symbolic("aten::rad2deg")
def rad2deg(g, self):  # <- SG004 not in the list
    return _times(g, self, 180 / torch.pi)


zeta = None
""",
        ),
    ),
    right=(
        Example("""_UNARY = {"sinh": "Sinh", "cosh": "Cosh"}


def _make(name):
    def symbolic(g, self):
        return g.op(name, self)

    return symbolic


for _aten, _onnx in _UNARY.items():
    globals()[_aten] = _onnx_symbolic(f"aten::{_aten}")(_make(_onnx))

__all__ = sorted(_UNARY)
"""),
        Example("""__all__ = ["logaddexp", "logaddexp2"]


def _logaddexp(g, self, other):
    return g.op("Log", g.op("Add", g.op("Exp", self), g.op("Exp", other)))


logaddexp = logaddexp2 = _logaddexp
_onnx_symbolic("aten::logaddexp")(_logaddexp)
"""),
    ),
)
