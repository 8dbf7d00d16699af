"""SG003: the descriptors of `parse_args` disagree with the schema's types, or with the number of parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from symgen.check.context import Context
from symgen.check.findings import Finding
from symgen.check.reading.flow import all_arguments
from symgen.check.reading.functions import OUTPUTS, Descriptors
from symgen.check.reading.module import Served
from symgen.check.rules.rule import Example, Rule
from symgen.check.wording import counted

CODE = "SG003"
_ANY = frozenset({"v", "none"})
_FITTING: Mapping[str, tuple[str, ...]] = {
    # The first of each is what `--fix` writes; `v` and `none` fit everything.
    "Tensor": ("v", "t"),
    "Tensor[]": ("v",),
    "Scalar": ("f", "t"),
    "int": ("i", "t"),
    "bool": ("b", "i"),
    "float": ("f", "t"),
    "str": ("s",),
    "int[]": ("is", "t"),
    "float[]": ("fs",),
    "ScalarType": ("i",),
    "Layout": ("i",),
    "MemoryFormat": ("i",),
}
_LIST_SIZE = re.compile(r"\[\d+\]")


def check(context: Context) -> Iterator[Finding]:
    """Compares the descriptors of each function with the types that its operators' overloads pass."""
    for served in context.module.served:
        descriptors = served.function.descriptors
        if descriptors:
            yield from _count(context, served, descriptors)
            yield from _types(context, served, descriptors)


def _count(context: Context, served: Served, descriptors: Descriptors) -> Iterator[Finding]:
    function = served.function
    given, wanted = len(descriptors.values), len(function.parameters)
    with_outputs = any(argument.arg == OUTPUTS for argument in all_arguments(function.node.args))
    if function.takes_rest or given == wanted or (with_outputs and given == wanted + 1):
        return
    message = f"parse_args has {counted(given, 'descriptor')}, {function.name} takes {counted(wanted, 'argument')}"
    fix = "give one descriptor for each parameter after g"
    yield context.finding(CODE, descriptors.call, message, fix=fix, scope=served.scope)


def _types(context: Context, served: Served, descriptors: Descriptors) -> Iterator[Finding]:
    for index, (descriptor, node) in enumerate(zip(descriptors.values, descriptors.call.args, strict=True)):
        types = _types_at(context, served, index)
        if not types or descriptor in _ANY or any(descriptor in _fitting(kind) for kind in types):
            continue
        right = _fitting(types[0])[0]
        name = served.function.parameters[index].name if index < len(served.function.parameters) else f"{index + 1}"
        message = f"descriptor '{descriptor}' for {name}, which is {' or '.join(types)} in {served.ops[0]}"
        quote = context.module.source.segment(node)[0]
        edits = [context.replaced(node, f"{quote}{right}{quote}")] if len({_plain(kind) for kind in types}) == 1 else []
        yield context.finding(CODE, node, message, fix=f"write '{right}'", edits=edits, scope=served.scope)


def _types_at(context: Context, served: Served, index: int) -> list[str]:
    """The types that the overloads of all the operators have at a position; none where an operator isn't declared."""
    found: dict[str, None] = {}
    for op in served.ops:
        declared = context.index.op(op)
        if declared is None:
            return []
        for overload in declared.overloads:
            if index < len(overload.types):
                found[overload.types[index]] = None
    return list(found)


def _plain(kind: str) -> str:
    """A type without what does not matter here: `SymInt[2]?` is `int[]`."""
    return _LIST_SIZE.sub("[]", kind.rstrip("?")).replace("SymInt", "int").replace("SymBool", "bool")


def _fitting(kind: str) -> tuple[str, ...]:
    plain = _plain(kind)
    # What isn't in the table (Device, Generator, Tensor?[]) is handed on as it is.
    return _FITTING.get(plain, ("v",) if plain.endswith("[]") else ("v", "i", "is", "f", "fs", "b", "s", "t"))


RULE = Rule(
    code=CODE,
    name="parse_args disagrees with the schema",
    why="""\
`parse_args` turns each argument into a Python value by its descriptor: v (left as it is), i, is, f, fs, b, s, t, none
(not used). A wrong one is seldom an error: `i` for a float argument truncates 0.1 to 0 without a word. One that fits no
overload at its position is reported, and so is a number of descriptors other than that of the parameters: the exporter
stops where there are too few. A bool may be read with `i`, a number with `t`, and `_outputs` may have a descriptor.""",
    check=check,
    wrong=(
        Example(
            """@_onnx_symbolic("aten::logit")
@symbolic_helper.parse_args("v", "i")  # <- SG003 eps is float?
def logit(g, self, eps=None):
    return _logit(g, self, eps)
""",
            fixed="""@_onnx_symbolic("aten::logit")
@symbolic_helper.parse_args("v", "f")
def logit(g, self, eps=None):
    return _logit(g, self, eps)
""",
        ),
        Example("""@_onnx_symbolic("aten::celu")
@symbolic_helper.parse_args("v")  # <- SG003 alpha has none
def celu(g, self, alpha=1.0):
    return _celu(g, self, alpha)
"""),
    ),
    right=(
        Example("""@_onnx_symbolic("aten::logit")
@symbolic_helper.parse_args("v", "f")
def logit(g, self, eps=None):
    return _logit(g, self, eps)
"""),
        Example("""@_onnx_symbolic("aten::unbind")
@symbolic_helper.parse_args("v", "i", "none")
def unbind(g, self, dim=0, _outputs=None):
    return _unbind(g, self, dim, _outputs)
"""),
    ),
)
