"""SG007: an ONNX operator, input or attribute that does not exist at an opset which the function serves."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from symgen.check.context import LOWEST_OPSET, Context, opset_range
from symgen.check.findings import Edit, Finding
from symgen.check.onnx_calls import CallPart, OnnxCall, Problem, onnx_call, problems
from symgen.check.reading.flow import Body, OpCall, all_arguments
from symgen.check.reading.opsets import ALIVE, ALL, OpsetMask, mask_between, opsets_in
from symgen.check.rules.rule import Example, Rule

CODE = "SG007"


def check(context: Context) -> Iterator[Finding]:
    """Looks at each `g.op` with a constant name, at the opsets at which it is reached."""
    everywhere = mask_between(LOWEST_OPSET, context.index.newest_opset)
    for body in context.module.body.functions:
        reached = context.reached.get(body, 0)
        for call in body.op_calls:
            readable = onnx_call(call.node)
            if readable is None or not (reached or _is_graph(body, call)):
                continue
            # Where a condition can't be told, any of the function's opsets may lead to the call.
            possible = (reached or everywhere) & (ALL if call.reached == ALIVE else call.reached)
            is_certain = bool(reached) and call.reached != ALIVE
            for problem, where in _problems(context, readable, possible):
                if is_certain or where == possible:
                    yield _finding(context, problem, where)


def _problems(context: Context, call: OnnxCall, opsets: OpsetMask) -> Iterable[tuple[Problem, OpsetMask]]:
    """Each problem that a call has at some of the opsets, with those at which it has it."""
    versions = context.index.onnx(call.name)
    if not opsets or not versions:
        return [(_unknown(context, call), opsets)] if opsets else []
    found: dict[tuple[CallPart, str], tuple[Problem, OpsetMask]] = {}
    earlier = opsets & mask_between(0, versions[0][0].since - 1)
    held = [([_not_yet(call, versions[0][0].since)], earlier)] if earlier else []
    held += [(problems(call, version), opsets & at) for version, at in versions if opsets & at]
    for here, where in held:
        for problem in here:
            key = (problem.node, problem.message)
            first, before = found.get(key, (problem, 0))
            found[key] = (first, before | where)
    return found.values()


def _unknown(context: Context, call: OnnxCall) -> Problem:
    import difflib

    nearest = difflib.get_close_matches(call.name, context.index.onnx_names, n=1)
    message = f"ONNX has no operator {call.name}"
    return Problem(call.node.args[0], message, f"did you mean {nearest[0]}?" if nearest else "")


def _not_yet(call: OnnxCall, since: int) -> Problem:
    return Problem(call.node.args[0], f"{call.name} exists from opset {since} on, but is reached {{where}}")


def _finding(context: Context, problem: Problem, opsets: OpsetMask) -> Finding:
    where = f"at {opset_range(list(opsets_in(opsets)))}"
    edits: list[Edit] = []
    if problem.rename and isinstance(problem.node, ast.keyword) and problem.node.arg:
        start = context.module.source.start(problem.node)
        edits = [Edit(start, start + len(problem.node.arg), problem.rename)]
    message, fix = problem.message.format(where=where), problem.fix.format(where=where)
    return context.finding(CODE, problem.node, message, fix=fix, edits=edits)


def _is_graph(body: Body, call: OpCall) -> bool:
    """Whether `x` in `x.op(...)` is the graph that a symbolic function is given."""
    function = call.node.func
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
        return False
    scope: Body | None = body
    while scope is not None:
        if isinstance(scope.node, (ast.FunctionDef, ast.Lambda)):
            for argument in all_arguments(scope.node.args):
                if argument.arg == function.value.id:
                    annotation = ast.unparse(argument.annotation) if argument.annotation else ""
                    return argument.arg == "g" or "Graph" in annotation
        scope = scope.parent
    return False


RULE = Rule(
    code=CODE,
    name="ONNX does not have it at an opset that is served",
    why="""\
`g.op` writes whatever it is told; only the checker or the runtime refuses the model later. Each call with a constant
name is compared with the schema of its operator at every opset at which an export can reach it: those that the
function serves (from its own opset until another registration of the operator takes over, in this file, beside it, or
in torch itself), narrowed by the tests of `g.opset` on the way, through the functions of the file that it calls.
Reported are operators, inputs, outputs and attributes that don't exist there, required ones that are missing,
attributes without a type suffix (`axis_i`) or with that of another type, and None as an input.""",
    check=check,
    wrong=(
        Example("""@_onnx_symbolic("aten::nansum")
def nansum(g, self, dim, keepdim, dtype):
    known = g.op("Where", g.op("IsNaN", self), g.op("Sub", self, self), self)
    return _total(g, known)


def _total(g, self):
    return g.op("ReduceSum", self, axes_i=[0], keepdims_i=0)  # <- SG007 axes is an input from 13 on
"""),
        Example(
            """@_onnx_symbolic("aten::hardsigmoid")
def hardsigmoid(g, self):
    return g.op("HardSigmoid", self, alpha_i=1, beta_f=0.5)  # <- SG007 alpha is a float


@_onnx_symbolic("aten::leaky_relu")
@symbolic_helper.parse_args("v", "f")
def leaky_relu(g, self, negative_slope=0.01):
    return g.op("LeakyRelu", self, alpha=negative_slope)  # <- SG007 the suffix is missing
""",
            opset=10,
            fixed="""@_onnx_symbolic("aten::hardsigmoid")
def hardsigmoid(g, self):
    return g.op("HardSigmoid", self, alpha_f=1, beta_f=0.5)


@_onnx_symbolic("aten::leaky_relu")
@symbolic_helper.parse_args("v", "f")
def leaky_relu(g, self, negative_slope=0.01):
    return g.op("LeakyRelu", self, alpha_f=negative_slope)
""",
        ),
        Example("""@_onnx_symbolic("aten::isposinf")
def isposinf(g, self):
    return g.op("IsInf", self, detect_negative_i=0)  # <- SG007 since opset 10
"""),
    ),
    right=(
        Example("""@_onnx_symbolic("aten::vdot")
def vdot(g, self, other):
    product = g.op("Mul", self, other)
    if g.opset < 13:
        return g.op("ReduceSum", product, axes_i=[0], keepdims_i=0)
    axes = g.op("Constant", value_t=torch.tensor([0]))
    return g.op("ReduceSum", product, axes, keepdims_i=0)
"""),
        Example("""@_onnx_symbolic("aten::vendor_norm")
def vendor_norm(g, self, *rest, **settings):
    return g.op("vendor::Norm", self, *rest, power_f=2.0, **settings)
"""),
    ),
)
