"""SG011: a registration under a name that torch doesn't look up."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from symgen.check.context import Context
from symgen.check.findings import Edit, Finding
from symgen.check.reading.registrations import Registration
from symgen.check.rules.rule import Example, Rule

CODE = "SG011"
_LONGEST_SLIP = 2
"""How many letters a slip adds or leaves out at most."""
_SAME_ENDS = len("aten::xx")
"""A slip leaves either the first two letters or the last three as they are."""


def check(context: Context) -> Iterator[Finding]:
    """Looks each `aten` name up; other namespaces are not torch's to know."""
    for registration in context.module.registrations:
        op = registration.op
        if not op.startswith("aten::") or op in context.index.op_names:
            continue
        stripped = op.removesuffix("_")
        if stripped != op and stripped in context.index.op_names:
            message = f"{op} is never looked up: the exporter strips the underscore and asks for {stripped}"
            edits = _renaming(context, registration, stripped)
            yield context.finding(CODE, registration.node, message, fix=f"register {stripped}", edits=edits)
        else:
            nearest = _nearest(context, op)
            fix = f"did you mean {nearest}?" if nearest else ""
            yield context.finding(CODE, registration.node, f"torch has no operator {op}", fix=fix)


def _nearest(context: Context, op: str) -> str:
    import difflib

    candidates = (
        name
        for name in context.index.op_names
        if abs(len(name) - len(op)) <= _LONGEST_SLIP and (name[:_SAME_ENDS] == op[:_SAME_ENDS] or name[-3:] == op[-3:])
    )
    found = difflib.get_close_matches(op, sorted(candidates), n=1, cutoff=0.85)
    return found[0] if found else ""


def _renaming(context: Context, registration: Registration, name: str) -> list[Edit]:
    node = registration.registrar.bound["name"].node
    if registration.repeated or not isinstance(node, ast.Constant) or registration.registrar.wrapper:
        return []
    quote = context.module.source.segment(node)[-1]
    return [context.replaced(node, f"{quote}{name}{quote}")]


RULE = Rule(
    code=CODE,
    name="a name that torch doesn't have",
    why="""\
The exporter looks functions up by the operator's name, without its overload and without one trailing underscore
(`aten::relu_` is looked up as `aten::relu`, `aten::__rshift__` as `aten::__rshift_`). A function under any other name
is never called: the export fails as if it weren't there. Names in `aten` are compared with torch's declarations and
with those that only TorchScript's runtime has; the nearest one is named.""",
    check=check,
    wrong=(
        Example("""@_onnx_symbolic("aten::hypott")  # <- SG011 aten::hypot
def hypot(g, self, other):
    return g.op("Sqrt", g.op("Add", g.op("Mul", self, self), g.op("Mul", other, other)))
"""),
        Example(
            """@_onnx_symbolic("aten::index_add_")  # <- SG011 looked up as aten::index_add
def index_add(g, self, dim, index, source, alpha=None):
    return _index_add(g, self, dim, index, source, alpha)
""",
            fixed="""@_onnx_symbolic("aten::index_add")
def index_add(g, self, dim, index, source, alpha=None):
    return _index_add(g, self, dim, index, source, alpha)
""",
        ),
    ),
    right=(
        Example("""@_onnx_symbolic("aten::__rshift_")
def __rshift_(g, self, other):
    return _shift(g, self, other)


@_onnx_symbolic("vendor::anything")
def anything(g, self):
    return g.op("vendor::Anything", self)
"""),
    ),
)
