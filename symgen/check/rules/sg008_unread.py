"""SG008: a function never reads one of its parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from symgen.check.context import Context
from symgen.check.findings import Finding
from symgen.check.index.model import PYTHON_ONLY
from symgen.check.reading.flow import Body
from symgen.check.reading.functions import Parameter
from symgen.check.reading.module import Served
from symgen.check.rules.rule import Example, Rule

CODE = "SG008"
WITHOUT_MEANING_TYPES = ("Device", "Layout", "MemoryFormat", "Generator")
"""Types of arguments that say nothing about an ONNX graph."""
WITHOUT_MEANING = PYTHON_ONLY | {
    "layout", "device", "pin_memory", "memory_format", "generator", "non_blocking", "copy", "implicit",
    "sparse", "scale_grad_by_freq", "sparse_grad", "benchmark", "deterministic", "cudnn_enable", "cudnn_enabled",
    "allow_tf32",
}  # fmt: skip
"""Arguments about storage, gradients or speed, whatever their type."""
_RAISING = ("_unimplemented", "_onnx_unsupported", "_onnx_opset_unsupported", "_onnx_opset_unsupported_detailed")


def check(context: Context) -> Iterator[Finding]:
    """Looks for parameters that matter and are neither read nor declared unused."""
    for served in context.module.served:
        function = served.function
        if _only_raises(function.body):
            continue
        for index, parameter in enumerate(function.parameters):
            if not _is_excused(context, served, index, parameter):
                message = f"{function.name} never reads {parameter.name}"
                fix = "use it, refuse the values that matter, or give it the descriptor 'none'"
                yield context.finding(CODE, parameter.node, message, fix=fix, scope=served.scope)


def _is_excused(context: Context, served: Served, index: int, parameter: Parameter) -> bool:
    body, name = served.function.body, parameter.name
    return (
        body.reads(name)
        or name in body.deleted
        or name.startswith("_")
        or name in WITHOUT_MEANING
        or served.function.descriptor(index) == "none"
        or any(kind.startswith(WITHOUT_MEANING_TYPES) for kind in _types(context, served, index))
    )


def _types(context: Context, served: Served, index: int) -> Iterator[str]:
    for declared in filter(None, map(context.index.op, served.ops)):
        for overload in declared.overloads:
            if index < len(overload.types):
                yield overload.types[index]


def _only_raises(body: Body) -> bool:
    """Whether a function gives no result: it refuses whatever it is given."""
    return not isinstance(body.node, ast.Lambda) and not any(_gives_result(node.value) for node in body.returns)


def _gives_result(value: ast.expr | None) -> bool:
    match value:
        case None | ast.Constant(value=None):
            return False
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            return name not in _RAISING
    return True


RULE = Rule(
    code=CODE,
    name="a parameter is never read",
    why="""\
An argument that a function ignores is exported as if it had its default: the model's numbers differ as soon as somebody
uses it, and nothing says so. Use the argument, or refuse the values that would matter with
`symbolic_helper._unimplemented` or `errors.SymbolicValueError`. Where it truly does not matter, say so: with the
descriptor `none` in `parse_args`, a name that begins with an underscore, `del name`, or a comment
`# symgen: ignore[SG008] reason`. Arguments about devices, layouts, gradients and random generators, which no graph can
hold, are not reported, nor those of functions that only raise.""",
    check=check,
    wrong=(
        Example("""@_onnx_symbolic("aten::softshrink")
@symbolic_helper.parse_args("v", "f")
def softshrink(g, self, lambd=0.5):  # <- SG008 lambd is ignored
    return g.op("Shrink", self, bias_f=0.5, lambd_f=0.5)
"""),
    ),
    right=(
        Example("""@_onnx_symbolic("aten::softshrink")
@symbolic_helper.parse_args("v", "f")
def softshrink(g, self, lambd=0.5):
    return g.op("Shrink", self, bias_f=lambd, lambd_f=lambd)
"""),
        Example("""@_onnx_symbolic("aten::alpha_dropout")
@symbolic_helper.parse_args("v", "none", "b")
def alpha_dropout(g, input, p, train):
    return symbolic_helper._unimplemented("alpha_dropout", "training", input) if train else input
"""),
        Example("""@_onnx_symbolic("aten::softshrink")
def softshrink(g, self, lambd=0.5):  # symgen: ignore[SG008] only ever called with 0.5 here
    return g.op("Shrink", self, bias_f=0.5, lambd_f=0.5)
"""),
    ),
)
