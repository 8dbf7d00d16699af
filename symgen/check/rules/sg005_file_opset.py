"""SG005: a registration leaves out the opset in its file's name."""

from __future__ import annotations

from collections.abc import Iterator

from symgen.check.context import Context, opset_range
from symgen.check.findings import Finding
from symgen.check.rules.rule import Example, Rule

CODE = "SG005"


def check(context: Context) -> Iterator[Finding]:
    """Compares each registration's opsets with the file's; several calls for one operator count together."""
    opset = context.module.file_opset
    if opset is None:
        return
    everywhere: dict[str, set[int]] = {}
    for registration in context.module.registrations:
        everywhere.setdefault(registration.op, set()).update(registration.opsets or (opset,))
    for registration in context.module.registrations:
        if registration.opsets and registration.op.startswith("aten::") and opset not in everywhere[registration.op]:
            where = opset_range(registration.opsets)
            message = f"{registration.op} is registered at {where}, in the file of opset {opset}"
            fix = f"register it at {opset}, or move it to symbolic_opset{registration.opsets[0]}.py"
            yield context.finding(CODE, registration.node, message, fix=fix)


RULE = Rule(
    code=CODE,
    name="the decorator's opset is not the file's",
    why="""\
A file `symbolic_opset<N>.py` holds what is new at opset N: readers and later files rely on it. A registration whose
opsets don't include N was most likely copied from another file. Registering at N and at later opsets too
(`opset=[9, 14]`) is right: that is how a function stays in force where torch has its own later version.""",
    check=check,
    wrong=(
        Example(
            """@_onnx_symbolic("aten::trunc", opset=11)  # <- SG005
def trunc(g, self):
    return g.op("Mul", g.op("Sign", self), g.op("Floor", g.op("Abs", self)))
""",
            opset=12,
        ),
    ),
    right=(
        Example("""@_onnx_symbolic("aten::trunc", opset=[9, 11])
def trunc(g, self):
    return g.op("Mul", g.op("Sign", self), g.op("Floor", g.op("Abs", self)))
"""),
    ),
)
