"""Lowers a plan: for every opset the code that is right there, and one `LoweredPlan` per range of equal code."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from symgen.lower.arguments import ArgumentForm
from symgen.lower.emitter import Emitter
from symgen.lower.expressions import Context, Expressions, Used
from symgen.lower.fold import tree_at
from symgen.lower.statements import Statements, comments_above, returns_tuple, write_block
from symgen.lower.torchscript import TORCHSCRIPT
from symgen.lower.values import HelperResult, Kind, Scope, Value
from symgen.lower.versions import NEWEST_OPSET, NotExpressibleError, Schemas
from symgen.model.plan import Ignored, Plan, PlanFunction, PromotionKind

LOWEST_OPSET = 9
_FLOATS = frozenset({"float", "double"})
_INTEGERS = frozenset({"int32", "int64"})


@dataclass(frozen=True)
class LoweredFunction:
    """One function as generated code: its arguments, its body, and what it calls."""

    name: str
    arguments: tuple[ArgumentForm, ...]
    returns: str
    docstring: str
    body: tuple[str, ...]
    helpers: tuple[str, ...]
    runtime: tuple[str, ...]
    operators: tuple[tuple[str, int], ...] = field(compare=False)
    """The ONNX operators that it calls, each with the version in force. Equal code may call several versions."""
    var_positional: str = ""


@dataclass(frozen=True)
class LoweredHelper:
    """A helper as generated code, and what is known of the dtype of its result."""

    function: LoweredFunction
    result: HelperResult


@dataclass(frozen=True)
class LoweredPlan:
    """The code of a plan that holds from opset `first` to opset `last`."""

    plan: Plan
    first: int
    last: int
    function: LoweredFunction
    helpers: tuple[LoweredFunction, ...]

    @property
    def code(self) -> tuple[LoweredFunction, tuple[LoweredFunction, ...]]:
        """What must be equal for two opsets to share one range."""
        return self.function, self.helpers


@dataclass(frozen=True)
class OlderForms:
    """Helpers that say an operator below the opset at which ONNX can; `names` maps the operator to its helper."""

    names: Mapping[str, str]
    functions: Mapping[str, PlanFunction]


def lower_plan(
    plan: Plan,
    schemas: Schemas,
    older_forms: OlderForms,
    lowest: int = LOWEST_OPSET,
    emitter: Emitter = TORCHSCRIPT,
    newest: int = NEWEST_OPSET,
) -> tuple[LoweredPlan, ...]:
    """The plan's code for every opset from the first at which it can be said, in ranges, lowest first.

    Raises:
        NotExpressibleError: where even the newest opset cannot say it.
    """
    ranges: list[LoweredPlan] = []
    for opset in range(max(lowest, plan.since), newest + 1):
        try:
            lowered = lower_at(plan, schemas, older_forms, opset, emitter=emitter)
        except NotExpressibleError:
            if opset == newest:
                raise
            ranges.clear()
            continue
        if ranges and ranges[-1].code == lowered.code:
            ranges[-1] = replace(ranges[-1], last=opset)
        else:
            ranges.append(lowered)
    return tuple(ranges)


def lower_at(
    plan: Plan,
    schemas: Schemas,
    older_forms: OlderForms,
    opset: int,
    *,
    oldest: int | None = None,
    emitter: Emitter = TORCHSCRIPT,
) -> LoweredPlan:
    """The plan's code for one opset; with `oldest`, code that may serve all opsets from that one on.

    Raises:
        NotExpressibleError: where ONNX cannot say it at this opset, or the exporter has no use for it.
    """
    unwanted = emitter.no_use_for(plan)
    if unwanted:
        raise NotExpressibleError(unwanted)
    helpers = {helper.name: helper for helper in plan.helpers} | dict(older_forms.functions)
    context = Context(
        op=str(plan.op),
        opset=opset,
        schemas=schemas,
        computed_in=computed_in(plan),
        helpers=helpers,
        older_forms=older_forms.names,
        constants=dict(plan.body.constants),
        names={p.name: emitter.parameter_name(p) for p in plan.parameters},
        emitter=emitter,
        oldest=oldest,
    )
    lowered: dict[str, LoweredHelper] = {}

    def lower_once(name: str) -> HelperResult:
        if name not in lowered:
            trusted = frozenset(operator for operator, form in older_forms.names.items() if form == name)
            # One file holds one version of a helper, whoever calls it.
            widest = replace(context, computed_in=_FLOATS | _INTEGERS, trusted=trusted, result_of=lower_once)
            lowered[name] = _lower_helper(helpers[name], widest)
        return lowered[name].result

    used = Used()
    function = _lower_entry(plan, replace(context, result_of=lower_once), used)
    pending = list(used.helpers)
    called: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in called:
            called.add(name)
            lower_once(name)
            pending.extend(lowered[name].function.helpers)
    return LoweredPlan(plan, opset, opset, function, tuple(lowered[name].function for name in sorted(called)))


def computed_in(plan: Plan) -> frozenset[str]:
    """The element types in which the plan's body runs, after promotion."""
    if plan.promotion is None:
        return _FLOATS
    if plan.promotion.kind in (PromotionKind.INT_TO_FLOAT, PromotionKind.DOUBLE):
        return _FLOATS
    return _FLOATS | _INTEGERS


def _lower_entry(plan: Plan, context: Context, used: Used) -> LoweredFunction:
    tree = _tree_of(plan.body, context)
    promoted = plan.promotion.parameters if plan.promotion else ()
    graph_values = {*promoted, *plan.graph_values}
    emitter = context.emitter
    told = (p for p in plan.parameters if not isinstance(plan.dispositions[p.name], Ignored))
    anchor = next(map(emitter.parameter_name, told), "")
    context = replace(context, anchor=anchor)
    forms, scope = [], Scope()
    for parameter in plan.parameters:
        disposition = plan.dispositions[parameter.name]
        form = emitter.argument_form(
            parameter, disposition, is_graph=parameter.name in graph_values, op=str(plan.op), anchor=anchor
        )
        forms.append(form)
        scope.variables[parameter.name] = Value(
            ast.Name(form.name, ast.Load()), form.kind, "", form.name if form.kind is Kind.GRAPH else ""
        )
    if tree.args.vararg is not None:
        name = tree.args.vararg.arg
        scope.variables[name] = Value(ast.Name(name, ast.Load()), Kind.LIST)
    if _asks_for_outputs(tree):
        # The exporter hands this over where the caller unpacks a list at once.
        forms.append(ArgumentForm("_outputs", "i", "int | None", "None", Kind.STATIC))
    used.runtime.update(dict.fromkeys(name for form in forms for name in form.uses))
    body = _body_lines(tree, plan.body, Statements(context, scope, used))
    return LoweredFunction(
        name=plan.op.identifier,
        arguments=tuple(forms),
        returns=_returns(plan, emitter.value_type),
        docstring=_docstring(plan),
        body=body,
        helpers=tuple(used.helpers),
        runtime=tuple(used.runtime),
        operators=tuple(sorted(used.operators.items())),
        var_positional=tree.args.vararg.arg if tree.args.vararg else "",
    )


def _tree_of(function: PlanFunction, context: Context) -> ast.FunctionDef:
    emitter = context.emitter
    return tree_at(
        function,
        context.opset,
        takes_complex=emitter.takes_complex,
        knows_outputs=emitter.knows_outputs,
        is_captured=emitter.is_captured,
    )


def _lower_helper(helper: PlanFunction, context: Context) -> LoweredHelper:
    tree = _tree_of(helper, context)
    scope, forms, value = Scope(), [], context.emitter.value_type
    arguments = tree.args.args[1:]
    defaults = [None] * (len(arguments) - len(tree.args.defaults)) + list(tree.args.defaults)
    anchor = next((a.arg for a in arguments if a.annotation is None), "")
    for argument, default in zip(arguments, defaults, strict=True):
        annotation = ast.unparse(argument.annotation) if argument.annotation else value
        kind = Kind.GRAPH if argument.annotation is None else Kind.LIST if annotation == "Values" else Kind.STATIC
        shown = f"Sequence[{value}]" if annotation == "Values" else annotation
        forms.append(ArgumentForm(argument.arg, "", shown, ast.unparse(default) if default else None, kind))
        like = argument.arg if kind is Kind.GRAPH else ""
        scope.variables[argument.arg] = Value(ast.Name(argument.arg, ast.Load()), kind, "", like, like)
    used = Used()
    context = replace(context, constants=dict(helper.constants), names={}, anchor=anchor)
    statements = Statements(context, scope, used)
    body = _body_lines(tree, helper, statements)
    if context.oldest is not None and helper.name in context.older_forms.values():
        body = (*_newer_form(helper, replace(context, trusted=frozenset()), scope, used), *body)
    returns = ast.unparse(tree.returns) if tree.returns else (f"tuple[{value}, ...]" if returns_tuple(tree) else value)
    function = LoweredFunction(
        name=f"_{helper.name}",
        arguments=tuple(forms),
        returns=f"list[{value}]" if returns == "Values" else returns,
        docstring=ast.get_docstring(tree) or "",
        body=body,
        helpers=tuple(used.helpers),
        runtime=tuple(used.runtime),
        operators=tuple(sorted(used.operators.items())),
    )
    return LoweredHelper(function, _result_of(statements.returned, [argument.arg for argument in arguments]))


def _newer_form(helper: PlanFunction, context: Context, scope: Scope, used: Used) -> tuple[str, ...]:
    """The lines with which an older form gives way to the operator itself, from its first opset on."""
    operator = next(name for name, form in context.older_forms.items() if form == helper.name)
    parameters = helper.shared_tree.args.args[1:]
    inputs = [Value(ast.Name(a.arg, ast.Load()), Kind.GRAPH) for a in parameters if a.annotation is None]
    attributes = {a.arg: Value(ast.Name(a.arg, ast.Load())) for a in parameters if a.annotation is not None}
    for opset in range(LOWEST_OPSET, NEWEST_OPSET + 1):
        alone = replace(context, opset=opset, oldest=None, older_forms={})
        try:
            call = Expressions(alone, scope, Used()).call(operator, inputs, attributes)
        except NotExpressibleError:
            continue
        used.operators[operator] = opset
        return (f"    if g.opset >= {opset}:", f"        return {ast.unparse(call.node)}")
    return ()


def _result_of(returned: Sequence[Value], arguments: Sequence[str]) -> HelperResult:
    """What all returned values have in common: an element type, or the dtype of one argument."""
    elements = {value.element for value in returned}
    if len(elements) == 1 and "" not in elements:
        return HelperResult(elements.pop())
    origins = {value.origin for value in returned}
    if len(origins) == 1 and "" not in origins and elements == {""}:
        return HelperResult(argument=arguments.index(origins.pop()))
    return HelperResult()


def _body_lines(tree: ast.FunctionDef, function: PlanFunction, statements: Statements) -> tuple[str, ...]:
    body = tree.body[1:] if ast.get_docstring(tree) else tree.body
    return tuple(write_block(statements.lower_block(body), comments_above(function.source)))


def _returns(plan: Plan, value: str) -> str:
    returns = plan.overloads[0].returns
    counts = {len(schema.returns) for schema in plan.overloads}
    if counts == {1}:
        return f"list[{value}] | {value}" if plan.returns_list and str(returns[0].type) == "Tensor[]" else value
    several = f"tuple[{value}, ...]"
    return several if 1 not in counts else f"{value} | {several}"


def _docstring(plan: Plan) -> str:
    schemas = "\n".join(str(schema) for schema in plan.overloads)
    return f"{schemas}\n\n{plan.summary}" if plan.summary else schemas


def _asks_for_outputs(tree: ast.FunctionDef) -> bool:
    return any(isinstance(node, ast.Attribute) and ast.unparse(node) == "op.outputs" for node in ast.walk(tree))
