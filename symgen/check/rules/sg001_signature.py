"""SG001: a parameter's name, order or default differs from every declaration of the operator."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Iterator

from symgen.check.context import Context
from symgen.check.findings import Finding
from symgen.check.index.model import PYTHON_ONLY, DeclaredOp, plain_name, plain_names
from symgen.check.reading.functions import Parameter
from symgen.check.reading.module import Served
from symgen.check.reading.static import UNKNOWN, evaluate
from symgen.check.rules.rule import Example, Rule

CODE = "SG001"
_NAMED_DEFAULTS = {"Mean": 1, "Sum": 2, "None": None}
"""Constants that schemas use by name; others are left alone."""


def check(context: Context) -> Iterator[Finding]:
    """Compares each function with the schemas and stubs of all the operators that it serves."""
    for served in context.module.served:
        declared = [op for name in served.ops if (op := context.index.op(name))]
        if len(declared) == len(served.ops):
            yield from _names(context, served, declared)
            yield from _defaults(context, served, declared)


def _names(context: Context, served: Served, declared: list[DeclaredOp]) -> Iterator[Finding]:
    parameters = [p for p in served.function.parameters if p.name not in PYTHON_ONLY]
    names = [plain_name(parameter.name) for parameter in parameters]
    wrong = [index for index, name in enumerate(names) if not _fits(declared, index, name)]
    if not wrong:
        return
    schemas = [plain_names(overload.names) for op in declared for overload in op.overloads]
    anywhere = {name for op in declared for position in op.positions for name in position}
    right = _reordered(names, schemas) if anywhere.issuperset(names[index] for index in wrong) else None
    if right:
        yield _order_finding(context, served, parameters, right)
        return
    for index in wrong:
        expected = list(dict.fromkeys(schema[index] for schema in schemas if index < len(schema)))
        if len(expected) == 1 and not _is_taken(expected[0]):
            # Where overloads disagree, a function that serves them all has no one right name.
            yield _name_finding(context, served, parameters[index], expected[0])
        elif not expected and names[index] not in anywhere:
            message = f"{_ops(served)} has no argument {parameters[index].name}"
            yield context.finding(CODE, parameters[index].node, message, scope=served.scope)


def _fits(declared: list[DeclaredOp], index: int, name: str) -> bool:
    """Whether any declaration has the name at that position, or the name says that it stands for nothing declared."""
    return name.startswith("_") or any(index < len(op.positions) and name in op.positions[index] for op in declared)


def _is_taken(name: str) -> bool:
    """Whether a parameter can't have that name: Python keeps it, or the graph does."""
    return keyword.iskeyword(name) or name == "g"


def _reordered(names: list[str], schemas: list[list[str]]) -> list[str] | None:
    """The schema of which these names are another order."""
    beginnings = (schema[: len(names)] for schema in schemas)
    return next((right for right in beginnings if right != names and sorted(right) == sorted(names)), None)


def _order_finding(context: Context, served: Served, parameters: list[Parameter], right: list[str]) -> Finding:
    is_input = any(parameter.name == "input" for parameter in parameters)
    wanted = ", ".join("input" if is_input and name == "self" else name for name in right)
    written = ", ".join(parameter.name for parameter in parameters)
    message = f"the parameters are ({written}), but {_ops(served)} passes ({wanted})"
    fix = f"put them into the order ({wanted})"
    return context.finding(CODE, served.function.node, message, fix=fix, scope=served.scope)


def _name_finding(context: Context, served: Served, parameter: Parameter, expected: str) -> Finding:
    wanted = "self or input" if expected == "self" else expected
    message = f"{_ops(served)} calls this argument {wanted}, not {parameter.name}"
    return context.finding(CODE, parameter.node, message, fix=f"rename it to {wanted}", scope=served.scope)


def _defaults(context: Context, served: Served, declared: list[DeclaredOp]) -> Iterator[Finding]:
    for parameter in served.function.parameters:
        value = _comparable(evaluate(parameter.default, {})) if parameter.default else None
        if value is None or value is UNKNOWN:
            continue  # None marks an argument as absent, whatever the operator's own default
        given = [text for op in declared for text in op.defaults.get(plain_name(parameter.name), ())]
        defaults = [_value(text) for text in given]
        if given and not any(default is UNKNOWN or default == value for default in defaults):
            assert parameter.default is not None
            written = context.module.source.segment(parameter.default)
            message = f"the default of {parameter.name} is {written}, but {_ops(served)} has {given[0]}"
            fix = f"write {parameter.name}={given[0]}"
            yield context.finding(CODE, parameter.node, message, fix=fix, scope=served.scope)


def _value(text: str) -> object:
    """The value of a default as a schema or a stub writes it; `UNKNOWN` for constants of torch's."""
    if text in _NAMED_DEFAULTS:
        return _NAMED_DEFAULTS[text]
    try:
        return _comparable(evaluate(ast.parse(text, mode="eval").body, {}))
    except SyntaxError:
        return UNKNOWN


def _comparable(value: object) -> object:
    """A default for comparison: tuples and lists are the same."""
    return list(value) if isinstance(value, tuple) else value


def _ops(served: Served) -> str:
    return " and ".join(served.ops)


RULE = Rule(
    code=CODE,
    name="parameters differ from the declaration",
    why="""\
The exporter passes an operator's arguments by position, in the order of its schema. A symbolic function whose
parameters stand in another order gets the wrong values without a word, and one whose names or defaults differ misleads
its readers. Each parameter is compared with every declaration of the operator: the function stubs and Tensor methods in
torch's .pyi files, and the schema of each overload. `self` and `input` are the same; parameters that only Python has
(`out`, `inplace`), the exporter's `_outputs`, and names that have to stand for several overloads' arguments are left
alone, and so is a default of None, which marks an argument as absent.""",
    check=check,
    wrong=(
        Example("""@_onnx_symbolic("aten::lerp")
def lerp(g, self, weight, end):  # <- SG001 the order is (self, end, weight)
    return g.op("Add", self, g.op("Mul", weight, g.op("Sub", end, self)))
"""),
        Example("""@_onnx_symbolic("aten::logit")
def logit(g, self, epsilon=None):  # <- SG001 the schema has eps
    return _logit(g, self, epsilon)
"""),
        Example("""@_onnx_symbolic("aten::celu")
@symbolic_helper.parse_args("v", "f")
def celu(g, self, alpha=2.0):  # <- SG001 the default is 1.0
    return _celu(g, self, alpha)
"""),
    ),
    right=(
        Example("""@_onnx_symbolic("aten::lerp")
def lerp(g, self, end, weight):
    return g.op("Add", self, g.op("Mul", weight, g.op("Sub", end, self)))
"""),
        Example("""@_onnx_symbolic("aten::max")
def max(g, input, dim_or_other=None, keepdim=None):
    return _max(g, input, dim_or_other, keepdim)
"""),
        Example("""@_onnx_symbolic("aten::unbind")
def unbind(g, self, dim=0, _outputs=None):
    return _unbind(g, self, dim, _outputs)
"""),
    ),
)
