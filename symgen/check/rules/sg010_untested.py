"""SG010: no round-trip test names the function."""

from __future__ import annotations

from collections.abc import Iterator

from symgen.check.context import Context
from symgen.check.findings import Finding
from symgen.check.rules.rule import Example, Rule

CODE = "SG010"


def check(context: Context) -> Iterator[Finding]:
    """Asks the surroundings for a test of each operator."""
    if context.is_torch_file:
        return
    asked: set[str] = set()
    for registration in context.module.registrations:
        if registration.op in asked:
            continue
        asked.add(registration.op)
        name = registration.definition.name if registration.definition else registration.op.partition("::")[2]
        if context.surroundings.is_tested(registration.op, name) is False:
            message = f"no test in {context.settings.tests} names {registration.op}"
            fix = f"symgen new {registration.op} writes one, or write a round trip of your own"
            yield context.finding(CODE, registration.node, message, fix=fix)
    for function in context.module.torch_ops:
        if function.op not in asked and context.surroundings.is_tested(function.op, function.node.name) is False:
            asked.add(function.op)
            message = f"no test in {context.settings.tests} names {function.op}"
            fix = f"symgen new {function.op} --target torchlib writes one"
            yield context.finding(CODE, function.node, message, fix=fix)


RULE = Rule(
    code=CODE,
    name="no round-trip test",
    why="""\
Only an export and a run tell whether a symbolic function is right. An operator counts as tested where a `test_*.py` in
the folder of tests (`--tests`, or `tests` in `[tool.symgen]`) names it: as `aten::hypot`, as the function's name, or in
the name of a test. `symgen new` writes a test with each function. torch's own files are not asked for tests here.""",
    check=check,
    wrong=(
        Example("""@_onnx_symbolic("aten::deg2rad")  # <- SG010 tests/ has no test of deg2rad
def deg2rad(g, self):
    return _times(g, self, 0.017453292519943295)
"""),
    ),
    right=(
        Example("""@_onnx_symbolic("aten::rad2deg")
def rad2deg(g, self):
    return _times(g, self, 57.29577951308232)
"""),
    ),
)
