"""Rewrites generated functions into the style of torchlib itself: plain calls of `op`, and nothing of symgen's runtime.

The exporter promotes the arguments before torchlib's functions get them, but it does not infer types and shapes while a
function is traced: only those of parameters are known. A Python number beside a parameter gets its type; one beside
anything else is cast.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Collection

import libcst as cst
import libcst.matchers as m

from symgen.render.exporter_style import in_short_ascii, names_of
from symgen.render.text import docstring

_ONNX_NAMES = {
    "bool": "BOOL", "uint8": "UINT8", "int8": "INT8", "int16": "INT16", "int32": "INT32", "int64": "INT64",
    "float16": "FLOAT16", "bfloat16": "BFLOAT16", "float32": "FLOAT", "float64": "DOUBLE",
}  # fmt: skip
_ARITHMETIC = frozenset({"Add", "Sub", "Mul", "Div", "Max", "Min", "Mod", "Clip", "Where"})
_COMPARISONS = frozenset({"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"})
_LIKE_FIRST = frozenset(
    {
        "Abs", "Ceil", "Cos", "CumSum", "Erf", "Exp", "Expand", "Floor", "Gather", "Identity", "Log", "Neg", "Pow",
        "Reciprocal", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum", "Relu", "Reshape", "Round", "Sigmoid",
        "Sign", "Sin", "Slice", "Softplus", "Sqrt", "Squeeze", "Tan", "Tanh", "Transpose", "Unsqueeze",
    }
)  # fmt: skip
"""The operators whose result has the type of their first input; those above have that of all inputs but a condition."""
_LARGE = 2.0**127
"""Numbers below this have a neighbour in single precision."""
_OPTIONAL = re.compile(r"(.+) \| None")


def in_torchlib_style(source: str, *, calls: bool = True) -> str:
    """The source of one function as torchlib would have it; what has no like there is left as it is.

    Args:
        source: the function with its decorators.
        calls: whether what it calls becomes plain operators; else only its annotations and prose change.
    """
    tree = cst.parse_module(in_short_ascii(source))
    (function,) = (statement for statement in tree.body if isinstance(statement, cst.FunctionDef))
    return tree.visit(_Style(function) if calls else _Form(function)).code


class _Form(cst.CSTTransformer):
    """The annotations and the prose of one function."""

    def __init__(self, function: cst.FunctionDef) -> None:
        self._function = function

    def leave_FunctionDef(self, original: cst.FunctionDef, updated: cst.FunctionDef) -> cst.FunctionDef:
        """Prose in lines that are filled anew; the schemas, which are the first paragraph, each in one."""
        text = original.get_docstring()
        if text is None or original is not self._function:
            return updated
        (_, *rest) = updated.body.body
        line = cst.SimpleStatementLine([cst.Expr(cst.SimpleString(f'"""{docstring(text)}"""'))])
        return updated.with_changes(body=updated.body.with_changes(body=[line, *rest]))

    def leave_Param(self, original: cst.Param, updated: cst.Param) -> cst.Param:
        """`alpha: float = 1.0`."""
        is_whole = m.matches(updated, m.Param(annotation=m.Annotation(m.Name("float")), default=m.Integer()))
        return (
            updated.with_changes(default=_parse(f"{_code(updated.default)}.0"))
            if is_whole and updated.default
            else updated
        )

    def leave_Annotation(self, original: cst.Annotation, updated: cst.Annotation) -> cst.Annotation:
        """`Optional[int]`."""
        optional = _OPTIONAL.fullmatch(_code(updated.annotation))
        return updated.with_changes(annotation=_parse(f"Optional[{optional[1]}]")) if optional else updated


class _Style(_Form):
    """The same, and what the function calls."""

    def __init__(self, function: cst.FunctionDef) -> None:
        super().__init__(function)
        self._given = _unchanged_parameters(function)
        self._numbers = _numbers(function)
        self._likes: dict[cst.BaseExpression, str] = {}
        """The numbers among the inputs of operators, each with the value whose type it is to have; empty for none."""

    def visit_Call(self, node: cst.Call) -> None:
        """Remembers what the numbers stand beside."""
        inputs = _inputs_of_one_type(node)
        numbers = [one for one in inputs if self._is_number(one)]
        values = [one for one in inputs if not self._is_number(one)]
        if not numbers or not values:
            return
        is_typed = any(isinstance(one, cst.Name) and one.value in self._given for one in values)
        like = "" if is_typed else next(filter(None, map(self._name_of_type, values)), "")
        if is_typed or like:
            self._likes.update(dict.fromkeys(numbers, like))

    def _is_number(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is a Python number, or a constant made of one."""
        node = _scalar_number(node) or node
        calls = m.findall(node, m.Call())
        names = {one.value for one in m.findall(node, m.Name()) if isinstance(one, cst.Name)}
        return not calls and names <= {*self._numbers, "math", "inf", "nan", "pi", "e"}

    def _name_of_type(self, node: cst.BaseExpression) -> str:
        """A variable that has the type of an expression; empty where none is found."""
        if isinstance(node, cst.Name):
            return node.value
        inputs = _inputs_of_one_type(node) if _operator(node) in _ARITHMETIC else []
        if isinstance(node, cst.Call) and (_operator(node) in _LIKE_FIRST or _is_helper(node)):
            inputs = [node.args[0].value]
        return next(filter(None, (self._name_of_type(one) for one in inputs if not self._is_number(one))), "")

    def on_leave(self, original: cst.CSTNode, updated: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        """A number that stands beside a value becomes one of its type."""
        left = super().on_leave(original, updated)
        if not isinstance(original, cst.BaseExpression) or original not in self._likes:
            return left  # type: ignore[return-value]
        number = _code(_scalar_number(original) or original)
        like = self._likes[original]
        return _parse(f"op.CastLike({_exact(number)}, {like})" if like else number)

    def leave_Decorator(self, original: cst.Decorator, updated: cst.Decorator) -> cst.Decorator | cst.RemovalSentinel:
        """The exporter does by itself what these are there for."""
        is_runtime = m.matches(updated, m.Decorator(m.Name("_traced") | m.Call(m.Name("_promoted"))))
        return cst.RemoveFromParent() if is_runtime else updated

    def leave_If(
        self, original: cst.If, updated: cst.If
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement] | cst.RemovalSentinel:
        """What is only for sizes that are known: here they may always be unknown."""
        if not m.matches(original.test, m.Call(m.Name("_static_numel") | m.Name("_static_size"))):
            return updated
        otherwise = updated.orelse
        if isinstance(otherwise, cst.Else) and isinstance(otherwise.body, cst.IndentedBlock):
            return cst.FlattenSentinel(otherwise.body.body)
        return otherwise if isinstance(otherwise, cst.If) else cst.RemoveFromParent()

    def leave_Return(self, original: cst.Return, updated: cst.Return) -> cst.Return:
        """An argument is no result: the exporter gives each a name of its own."""
        if isinstance(updated.value, cst.Name) and updated.value.value in self._given:
            return updated.with_changes(value=_parse(f"op.Identity({updated.value.value})"))
        return updated

    def leave_Attribute(self, original: cst.Attribute, updated: cst.Attribute) -> cst.BaseExpression:
        """Whether a parameter is a floating point number."""
        value = self._parameter_in(original.value, "_dtype")
        if value and original.attr.value == "is_floating_point":
            return _parse(f"{value}.dtype.is_floating_point()")
        return updated

    def leave_Comparison(self, original: cst.Comparison, updated: cst.Comparison) -> cst.BaseExpression:
        """Whether a parameter is of one dtype."""
        (target, *others) = original.comparisons
        value = self._parameter_in(original.left, "_dtype")
        name = _onnx_name(_code(target.comparator))
        if others or not value or not name or not m.matches(target.operator, m.Equal() | m.NotEqual()):
            return updated
        sign = "==" if isinstance(target.operator, cst.Equal) else "!="
        return _parse(f"{value}.dtype {sign} ir.DataType.{name}")

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        """What symgen's runtime does, in operators."""
        arguments = [_code(argument.value) for argument in updated.args]
        match _code(updated.func):
            case "_scalar" if original not in self._likes:
                return _parse(f"op.CastLike({_exact(arguments[0])}, {arguments[1]})")
            case "_cast_like":
                return _parse(f"op.CastLike({', '.join(arguments)})")
            case "_cast" if name := _onnx_name(arguments[1]):
                return _parse(f"op.Cast({arguments[0]}, to=ir.DataType.{name})")
            case "_cast" | "_constant" if m.matches(original.args[1].value, m.Call(m.Name("_dtype"))):
                (like,) = cst.ensure_type(original.args[1].value, cst.Call).args
                return _parse(f"op.CastLike({arguments[0]}, {_code(like.value)})")
            case "_constant" if name := _onnx_name(arguments[1]):
                return _parse(f"op.Constant({_constant(updated.args[0].value, name)})")
            case "_numel":
                return _parse(f"op.Unsqueeze(op.Size({arguments[0]}), [0])")
            case "_rank" if arguments[0] in self._given:
                return _parse(f"len({arguments[0]}.shape)")
            case "_size":
                return _parse(f"op.Gather(op.Shape({arguments[0]}), op.Constant(value_ints=[{arguments[1]}]))")
            case "_list":
                return updated.args[0].value
            case "_listed" if m.matches(updated.args[0].value, m.Call(m.Attribute(m.Name("op")))):
                return updated.args[0].value
        return updated

    def _parameter_in(self, node: cst.BaseExpression, asked: str) -> str:
        """The name in `_dtype(name)` where it is that of a parameter; empty for any other expression."""
        if not m.matches(node, m.Call(m.Name(asked), [m.Arg(m.Name())])):
            return ""
        name = _code(cst.ensure_type(node, cst.Call).args[0].value)
        return name if name in self._given else ""


def _unchanged_parameters(function: cst.FunctionDef) -> Collection[str]:
    """The parameters that keep what they were given, of which the exporter knows types and shapes."""
    exported = any(m.matches(one, m.Decorator(m.Call(m.Name("torch_op")))) for one in function.decorators)
    assigned = names_of(cst.FunctionDef(cst.Name("_"), cst.Parameters(), function.body))
    parameters = {parameter.name.value for parameter in function.params.params}
    return parameters - assigned if exported else frozenset()


def _numbers(function: cst.FunctionDef) -> Collection[str]:
    """The names that stand for Python numbers: parameters of such types, and what is computed of them alone."""
    plain = re.compile(r"(Optional\[)?(int|float|bool)\b")
    parameters = [one for one in function.params.params if one.annotation is not None]
    found = {one.name.value for one in parameters if one.annotation and plain.match(_code(one.annotation.annotation))}
    for node in m.findall(function.body, m.Assign([m.AssignTarget(m.Name())])):
        assign = cst.ensure_type(node, cst.Assign)
        names = {one.value for one in m.findall(assign.value, m.Name()) if isinstance(one, cst.Name)}
        if not m.findall(assign.value, m.Call()) and names <= {*found, "math", "inf", "nan", "pi", "e"}:
            found.add(cst.ensure_type(assign.targets[0].target, cst.Name).value)
    return found


def _operator(node: cst.BaseExpression) -> str:
    """The name of the operator that an expression calls; empty for any other expression."""
    if isinstance(node, cst.Call) and m.matches(node.func, m.Attribute(m.Name("op"))):
        return cst.ensure_type(node.func, cst.Attribute).attr.value
    return ""


def _is_helper(node: cst.Call) -> bool:
    """Whether a call is one of a helper, of which most give what has the type of their first argument."""
    return isinstance(node.func, cst.Name) and node.func.value.startswith("_")


def _inputs_of_one_type(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The inputs of an operator that have one type; none for operators of another kind."""
    name = _operator(node)
    if name not in _ARITHMETIC | _COMPARISONS:
        return []
    inputs = [one.value for one in cst.ensure_type(node, cst.Call).args if one.keyword is None]
    return inputs[1:] if name == "Where" else inputs


def _scalar_number(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """The number in `_scalar(number, like)`."""
    return cst.ensure_type(node, cst.Call).args[0].value if m.matches(node, m.Call(m.Name("_scalar"))) else None


def _exact(number: str) -> str:
    """A number to be cast, in double precision where single would lose digits of it."""
    try:
        value = float(number)
    except ValueError:
        return number
    is_exact = abs(value) < _LARGE and struct.unpack("f", struct.pack("f", value))[0] == value
    return number if is_exact else f"op.Constant(value=ir.tensor({number}, dtype=ir.DataType.DOUBLE))"


def _onnx_name(dtype: str) -> str:
    """ONNX's name for `torch.int64`; empty for an expression."""
    return _ONNX_NAMES.get(dtype.removeprefix("torch."), "") if dtype.startswith("torch.") else ""


def _constant(value: cst.BaseExpression, name: str) -> str:
    """The attribute of a Constant: in its short form for whole numbers, else with its dtype."""
    text = _code(value)
    if name == "INT64" and re.fullmatch(r"-?\d+", text):
        return f"value_int={text}"
    if name == "INT64" and re.fullmatch(r"\[[-\d, ]+\]", text):
        return f"value_ints={text}"
    return f"value=ir.tensor({text}, dtype=ir.DataType.{name})"


def _parse(text: str) -> cst.BaseExpression:
    return cst.parse_expression(text)


def _code(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)
