"""SG015: a registration that torch's own takes the place of."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from symgen.check.context import Context
from symgen.check.findings import Edit, Finding
from symgen.check.generated import generated_definitions
from symgen.check.reading.flow import Body
from symgen.check.reading.opsets import ALL
from symgen.check.reading.reach import reach
from symgen.check.reading.registrations import Registration
from symgen.check.rules.rule import Example, Rule

CODE = "SG015"
_OPSET_FILE = re.compile(r"\bsymbolic_opset(\d+)\b")


def check(context: Context) -> Iterator[Finding]:
    """Compares each registration with torch's registrations of the same operator."""
    if context.is_torch_file:
        return
    generated = {node for _, node, _ in generated_definitions(context.module)}
    for registration in context.module.registrations:
        if registration.opsets:
            yield from _replaced(context, registration)
            yield from _shadowed(context, registration, is_generated=registration.definition in generated)


def _replaced(context: Context, registration: Registration) -> Iterator[Finding]:
    """Where torch registers at the very same opset, but later than this file does."""
    own = context.index.registered(registration.op)
    early = context.index.early_opsets | _imported_opsets(context)
    replaced = [opset for opset in registration.opsets or () if opset in own and opset not in early]
    if replaced and registration.custom is False:
        message = (
            f"torch replaces this registration of {registration.op} at opset {replaced[0]} at the first export: "
            "it imports its own later, and custom=True is missing"
        )
        yield context.finding(
            CODE,
            registration.node,
            message,
            fix="register with custom=True",
            edits=_custom_edits(context, registration),
        )


def _imported_opsets(context: Context) -> set[int]:
    """The opsets of torch's files that this file imports itself, so that they come first."""
    meanings = (meaning for found in context.module.imports.meanings.values() for meaning in found)
    return {int(match[1]) for meaning in meanings if (match := _OPSET_FILE.search(meaning))}


def _shadowed(context: Context, registration: Registration, *, is_generated: bool) -> Iterator[Finding]:
    """Where torch has a later version: the registry takes the highest one at or below the export's opset."""
    own = context.index.registered(registration.op)
    newest = context.index.newest_opset
    here = {
        *(
            opset
            for other in context.module.registrations
            if other.op == registration.op
            for opset in other.opsets or ()
        ),
        *(neighbour.opset for neighbour in context.neighbours(registration.op)),
    }
    missing = [
        opset
        for opset in own
        if opset not in here
        and opset <= newest
        and max((mine for mine in here if mine < opset), default=None) in (registration.opsets or ())
    ]
    lowest = min(registration.opsets or (newest,))
    only_later = not any(opset <= lowest for opset in own)
    if not missing or (only_later and is_generated):
        return
    listed = ", ".join(map(str, missing))
    message = f"torch registers its own {registration.op} at {listed}, which is used from opset {missing[0]} on"
    fix = f"register at {listed} too"
    if only_later:
        fix += ", or ignore this where torch's own is meant to take over"
    edits = _opset_edits(context, registration, missing) if _is_opset_free(context, registration) else []
    yield context.finding(CODE, registration.node, message, fix=fix, edits=edits)


def _is_opset_free(context: Context, registration: Registration) -> bool:
    """Whether a function emits the operators of other domains alone: then it is as right at a later opset."""
    if registration.body is None:
        return False
    bodies = reach({registration.body: ALL})
    names = [
        argument.value
        for body in bodies
        for call in body.op_calls
        for argument in call.node.args[:1]
        if isinstance(argument, ast.Constant)
    ]
    foreign = [name for name in names if isinstance(name, str) and "::" in name and not name.startswith("onnx::")]
    every = sum(len(body.op_calls) for body in bodies)
    return 0 < len(foreign) == every and not any(_uses_exporter(context, body) for body in bodies)


def _uses_exporter(context: Context, body: Body) -> bool:
    """Whether something of torch's exporter is called, which may emit anything."""
    meanings = (meaning for name in body.names for meaning in context.module.imports.meanings.get(name, ()))
    return any(meaning.startswith("torch.onnx") for meaning in meanings)


def _custom_edits(context: Context, registration: Registration) -> list[Edit]:
    """Adds `custom=True` to the `functools.partial`, else to the registering call itself."""
    registrar = registration.registrar
    call = registrar.made_by or registration.node
    if registrar.api != "onnx_symbolic" or registrar.wrapper or not hasattr(call, "lineno"):
        return []
    given = next((keyword for keyword in call.keywords if keyword.arg == "custom"), None)
    return [context.replaced(given.value, "True")] if given else [_appended(context, call, "custom=True")]


def _opset_edits(context: Context, registration: Registration, missing: Sequence[int]) -> list[Edit]:
    """Adds the opsets to the registration: to its list, or as one more call where the API takes one opset."""
    opsets = registration.opsets or ()
    given = registration.registrar.bound.get("opset")
    call = registration.node
    own = given is not None and call.lineno <= given.node.lineno <= (call.end_lineno or call.lineno)
    if registration.repeated or given is None or registration.registrar.wrapper:
        return []
    listed = f"[{', '.join(map(str, sorted({*opsets, *missing})))}]"
    if registration.registrar.api in ("onnx_symbolic", "custom_onnx_symbolic"):
        if not own:
            return [_appended(context, call, f"opset={listed}")]
        return [context.replaced(given.node, listed)] if isinstance(given.node, (ast.Constant, ast.List)) else []
    return _more_calls(context, call, given.node, missing) if own and isinstance(given.node, ast.Constant) else []


def _more_calls(context: Context, call: ast.Call, opset: ast.expr, missing: Sequence[int]) -> list[Edit]:
    source = context.module.source
    line, last = source.line(call.lineno), source.line(call.end_lineno or call.lineno)
    start, end = source.start(call), source.end(call)
    before = line[: start - source.line_starts[call.lineno - 1]]
    rest = last[end - source.line_starts[(call.end_lineno or call.lineno) - 1] :]
    if before.strip() or rest.split("#")[0].strip():
        return []
    line_end = "\r\n" if last.endswith("\r\n") else "\n"
    number = source.start(opset) - start
    text = source.segment(call)
    copies = [text[:number] + str(wanted) + text[number + len(source.segment(opset)) :] for wanted in missing]
    at = end + len(rest.rstrip("\r\n"))
    return [Edit(at, at, "".join(f"{line_end}{before}{copy}" for copy in copies))]


def _appended(context: Context, call: ast.Call, argument: str) -> Edit:
    """The edit that adds a keyword argument after the last one."""
    arguments: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    at = max(context.module.source.end(node) for node in arguments)
    return Edit(at, at, f", {argument}")


RULE = Rule(
    code=CODE,
    name="a registration that doesn't hold",
    why="""\
For an export at opset T the registry takes the function with the highest opset at or below T. A function registered at
9 is therefore not used from 14 on where torch has a version of its own at 14: register at 14 too
(`opset=[9, 14]`). And torch imports most of its files at the first export only, replacing what was registered without
`custom=True` at the same operator and opset before; only a custom registration stays. Functions that symgen wrote for
opsets below torch's first one are right as they are. `--fix` adds `custom=True`, and later opsets to a function that
emits operators of its own domain only: others may have to be written differently there.""",
    check=check,
    wrong=(
        Example(
            """from torch.onnx import register_custom_op_symbolic


def vendor_hardswish(g, self):
    return g.op("vendor::HSwish", self).setType(self.type())


register_custom_op_symbolic("aten::hardswish", vendor_hardswish, 9)  # <- SG015 torch has its own at 14
""",
            whole=True,
            file_name="vendor_symbolics.py",
            fixed="""from torch.onnx import register_custom_op_symbolic


def vendor_hardswish(g, self):
    return g.op("vendor::HSwish", self).setType(self.type())


register_custom_op_symbolic("aten::hardswish", vendor_hardswish, 9)
register_custom_op_symbolic("aten::hardswish", vendor_hardswish, 14)
""",
        ),
        Example(
            """import functools

from torch.onnx._internal.torchscript_exporter import registration

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=14)


@_onnx_symbolic("aten::hardswish")  # <- SG015 torch replaces it at the first export
def hardswish(g, self):
    return g.op("vendor::HSwish", self)
""",
            whole=True,
            file_name="symbolic_opset14.py",
            fixed="""import functools

from torch.onnx._internal.torchscript_exporter import registration

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=14, custom=True)


@_onnx_symbolic("aten::hardswish")
def hardswish(g, self):
    return g.op("vendor::HSwish", self)
""",
        ),
    ),
    right=(
        Example("""@_onnx_symbolic("aten::hardswish", opset=[9, 14])
def hardswish(g, self):
    return g.op("vendor::HSwish", self)
"""),
    ),
)
