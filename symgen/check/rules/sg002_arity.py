"""SG002: a function does not take the arguments of every overload that reaches it."""

from __future__ import annotations

from collections.abc import Iterator

from symgen.check.context import Context
from symgen.check.findings import Finding
from symgen.check.index.model import Overload
from symgen.check.reading.functions import SymbolicFunction
from symgen.check.rules.rule import Example, Rule

CODE = "SG002"


def check(context: Context) -> Iterator[Finding]:
    """Counts the arguments of each overload against the parameters of the function."""
    for served in context.module.served:
        function = served.function
        for op in served.ops:
            declared = context.index.op(op)
            refused = [o for o in declared.overloads if not _takes(function, len(o.names))] if declared else []
            if refused:
                yield context.finding(CODE, function.node, _message(op, function, refused), scope=served.scope)


def _takes(function: SymbolicFunction, count: int) -> bool:
    return function.required <= count and (function.takes_rest or count <= len(function.parameters))


def _message(op: str, function: SymbolicFunction, refused: list[Overload]) -> str:
    shown = " and ".join(f"{_full_name(op, overload)} ({_arguments(overload)})" for overload in refused[:2])
    more = f" and {len(refused) - 2} more overloads" if len(refused) > 2 else ""
    return f"{function.name} takes {_counts(function)}, but must also serve {shown}{more}"


def _full_name(op: str, overload: Overload) -> str:
    return f"{op}.{overload.name}" if overload.name else op


def _arguments(overload: Overload) -> str:
    pairs = zip(overload.types, overload.names, strict=True)
    return ", ".join(f"{kind} {name}" for kind, name in pairs) or "no argument"


def _counts(function: SymbolicFunction) -> str:
    least, most = function.required, len(function.parameters)
    if function.takes_rest:
        return f"at least {least} arguments"
    if least == most:
        return f"{most} argument{'' if most == 1 else 's'}"
    return f"{least} to {most} arguments"


RULE = Rule(
    code=CODE,
    name="an overload has another number of arguments",
    why="""\
The exporter looks a symbolic function up by the operator's name without its overload, and passes all arguments of the
schema by position, those with a default too. A function that takes fewer (or insists on more) than one of the overloads
has stops the export with a TypeError. Overloads with `out=` or named dimensions never reach the exporter and don't
count. Let the function take what the longest overload passes, with defaults for what the shorter ones lack; or take
`*args` and tell the overloads apart by their number.""",
    check=check,
    wrong=(
        Example("""@_onnx_symbolic("aten::count_nonzero")
def count_nonzero(g, self):  # <- SG002 dim is always passed, even as None
    return symbolic_helper._reducesum_helper(g, g.op("Cast", self, to_i=7), keepdims_i=0)
"""),
    ),
    right=(
        Example("""@_onnx_symbolic("aten::count_nonzero")
def count_nonzero(g, self, dim=None):
    return _count(g, self, dim)
"""),
        Example("""@_onnx_symbolic("aten::div")
def div(g, self, other, *args):
    return _div(g, self, other, *args)
"""),
    ),
)
