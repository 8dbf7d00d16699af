"""SG016: a function for the dynamo exporter whose parameters are not those of the overload."""

from __future__ import annotations

from collections.abc import Iterator

from symgen.check.context import Context
from symgen.check.findings import Finding
from symgen.check.reading.torch_ops import TorchOp
from symgen.check.rules.rule import Example, Rule

CODE = "SG016"


def check(context: Context) -> Iterator[Finding]:
    """Compares each function under `@torch_op(...)` with the schema of its overload."""
    for function in context.module.torch_ops:
        message = _complaint(context, function)
        if message:
            yield context.finding(CODE, function.node, message)


def _complaint(context: Context, function: TorchOp) -> str:
    declared = context.index.op(function.op)
    if declared is None:
        return "" if not function.op.startswith("aten::") else f"torch has no operator {function.op}"
    overload = function.name.partition(".")[2]
    found = next((one for one in declared.overloads if one.name == overload), None)
    if found is None or function.parameters is None:
        return ""  # overloads that no exporter meets have no schema here
    wanted, written = list(found.names), [name.removesuffix("_") for name in function.parameters]
    if written == [name.removesuffix("_") for name in wanted]:
        return ""
    return f"the parameters are ({', '.join(function.parameters)}), but {function.name} has ({', '.join(wanted)})"


_HEAD = """import collections

from onnxscript.function_libs.torch_lib.registration import Registry, torch_op
from onnxscript.onnx_opset import opset18 as op

REGISTRIES = collections.defaultdict(Registry)


"""

RULE = Rule(
    code=CODE,
    name="not the parameters of the overload",
    why="""\
The dynamo exporter calls the function of an overload with the arguments of its schema: by position, or by name where
they are keyword-only or follow one that was left out. A parameter of another name or in another place gets the wrong
argument, or the export fails.""",
    check=check,
    wrong=(
        Example(
            f"""{_HEAD}@torch_op("aten::hypot", registry=REGISTRIES[18], trace_only=True)
def aten_hypot(other, self):  # <- SG016
    return op.Sqrt(op.Add(op.Mul(self, self), op.Mul(other, other)))
""",
            whole=True,
            file_name="aten_pointwise.py",
        ),
    ),
    right=(
        Example(
            f"""{_HEAD}@torch_op("aten::hypot", registry=REGISTRIES[18], trace_only=True)
def aten_hypot(self, other):
    return op.Sqrt(op.Add(op.Mul(self, self), op.Mul(other, other)))
""",
            whole=True,
            file_name="aten_pointwise.py",
        ),
    ),
)
