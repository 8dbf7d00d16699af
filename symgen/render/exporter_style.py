"""Rewrites generated functions into the style of torch's own symbolic files: its helpers and its functions, called."""

from __future__ import annotations

import json
import math
import re
import struct
import textwrap
from collections.abc import Collection, Mapping

import libcst as cst
import libcst.matchers as m

from symgen.render.plain_text import plain_text
from symgen.render.text import docstring

OPSET9 = "opset9"
"""What torch's files call the module with the functions for opset 9, and its own file nothing."""
PROMOTED_ARGS, PROMOTED_LIST = "_promoted_args", "_promoted_list"
"""The helpers by which functions of torch's own files promote their arguments, those in a list apart."""
EXISTING: Mapping[str, str] = {
    "Abs": "abs",
    "Acos": "acos",
    "Add": "add",
    "Asin": "asin",
    "Atan": "atan",
    "Ceil": "ceil",
    "Cos": "cos",
    "Erf": "erf",
    "Exp": "exp",
    "Floor": "floor",
    "Greater": "gt",
    "IsNaN": "isnan",
    "Less": "lt",
    "Log": "log",
    "MatMul": "matmul",
    "Mul": "mul",
    "Neg": "neg",
    "Reciprocal": "reciprocal",
    "Sigmoid": "sigmoid",
    "Sign": "sign",
    "Sin": "sin",
    "Sqrt": "sqrt",
    "Sub": "sub",
    "Tan": "tan",
    "Tanh": "tanh",
    "Where": "where",
}
"""ONNX operators with the function of torch's `symbolic_opset9.py` that is one call of it, with the casts around it."""
_JIT_TYPES = {
    "bool": "BOOL",
    "uint8": "UINT8",
    "int8": "INT8",
    "int16": "INT16",
    "int32": "INT",
    "int64": "INT64",
    "float16": "HALF",
    "bfloat16": "BFLOAT16",
    "float32": "FLOAT",
    "float64": "DOUBLE",
}
_LARGE = 2.0**127
"""Numbers below this have a neighbour in single precision."""
_HANDS_ON = m.OneOf(*(m.Name(f"_{name}") for name in ("equal", "larger_of", "smaller_of", "greater_or_equal")))
_KINDS = {
    "DEFAULT": "",
    "INT_TO_FLOAT": 'kind="INT_TO_FLOAT"',
    "ALWAYS_BOOL": 'kind="ALWAYS_BOOL"',
    "BOOL_TO_LONG": 'kind="BOOL_TO_LONG"',
    "COMMON": 'kind="NO_OPMATH"',
    "LIKE_FIRST": "like_first=True",
}
"""The kinds of promotion that `_promoted_args` knows, as its arguments."""
_COMMENT = re.compile(r"^( *)#.*\n(?:\1#.*\n)*", re.MULTILINE)
_PART = 60
"""Of a text that is too long for a line, wherever it stands."""
_WIDTH = 78
"""Of prose behind an indentation and a quote or sign."""


def in_exporter_style(source: str, known: Collection[str], *, calls: bool = True) -> str:
    """The source of one function as torch's own files would have it.

    Args:
        source: the function, with its inner decorators.
        known: the functions that the checkout's `symbolic_opset9.py` has.
        calls: whether what it calls becomes what the exporter has; else only its annotations and prose change.
    """
    tree = cst.parse_module(in_short_ascii(source))
    (function,) = (statement for statement in tree.body if isinstance(statement, cst.FunctionDef))
    return tree.visit(_Calls(function, known) if calls else _Form(function)).code


def in_short_ascii(source: str) -> str:
    """The source in ASCII, with comments in lines that are short enough."""
    return _COMMENT.sub(_wrapped, plain_text(source))


def _wrapped(comment: re.Match[str]) -> str:
    """A comment in lines that are short enough, also where they have to be filled anew."""
    lines = comment[0].splitlines()
    if all(len(line.strip()) <= _WIDTH for line in lines):
        return comment[0]
    text = " ".join(line.strip().lstrip("# ") for line in lines)
    return textwrap.indent("\n".join(textwrap.wrap(text, _WIDTH)), f"{comment[1]}# ") + "\n"


def names_of(function: cst.FunctionDef) -> frozenset[str]:
    """The names that a function binds itself: its parameters and its variables."""
    targets = m.findall(function, m.AssignTarget() | m.Param() | m.CompFor() | m.For() | m.FunctionDef())
    names = {
        name.value
        for target in targets
        for part in (getattr(target, "target", None), getattr(target, "name", None))
        if part is not None
        for name in m.findall(part, m.Name())
        if isinstance(name, cst.Name)
    }
    return frozenset(names)


class _Form(cst.CSTTransformer):
    """The annotations and the prose of one function."""

    def __init__(self, function: cst.FunctionDef) -> None:
        self._function = function

    def leave_Param(self, original: cst.Param, updated: cst.Param) -> cst.Param:
        """Annotations that need more than torch's files import are left out, as its files do."""
        if updated.annotation and _is_foreign(updated.annotation):
            return updated.with_changes(annotation=None)
        return updated

    def leave_FunctionDef(self, original: cst.FunctionDef, updated: cst.FunctionDef) -> cst.FunctionDef:
        """The same for what a function returns; and a docstring in lines that are short enough."""
        if updated.returns and _is_foreign(updated.returns):
            updated = updated.with_changes(returns=None)
        text = original.get_docstring()
        if text is None or original is not self._function:
            return updated
        lines = "\n\n".join(textwrap.fill(paragraph, _WIDTH) for paragraph in text.split("\n\n"))
        (_, *rest) = updated.body.body
        said = cst.SimpleStatementLine([cst.Expr(cst.SimpleString(f'"""{docstring(lines)}"""'))])
        return updated.with_changes(body=updated.body.with_changes(body=[said, *rest]))

    def visit_ConcatenatedString(self, node: cst.ConcatenatedString) -> bool:
        """Texts that stand together already are taken as one."""
        return False

    def leave_ConcatenatedString(
        self, original: cst.ConcatenatedString, updated: cst.ConcatenatedString
    ) -> cst.BaseExpression:
        """The same in shorter parts."""
        text = original.evaluated_value
        return _in_parts(text) if isinstance(text, str) else updated

    def leave_SimpleString(self, original: cst.SimpleString, updated: cst.SimpleString) -> cst.BaseExpression:
        """A long text as several that stand together."""
        if updated.prefix or len(updated.quote) > 1 or len(updated.value) <= _WIDTH:
            return updated
        return _in_parts(str(updated.evaluated_value))

    def leave_Arg(self, original: cst.Arg, updated: cst.Arg) -> cst.Arg:
        """No second pair of brackets, as in `any((x for x in y))`."""
        if isinstance(updated.value, cst.GeneratorExp) and len(updated.value.lpar) > 1:
            return updated.with_changes(value=updated.value.with_changes(lpar=[], rpar=[]))
        if isinstance(updated.value, cst.ConcatenatedString):
            return updated.with_changes(value=updated.value.with_changes(lpar=[], rpar=[]))
        return updated


class _Calls(_Form):
    """The same, and what the function calls."""

    def __init__(self, function: cst.FunctionDef, known: Collection[str]) -> None:
        super().__init__(function)
        self._parameters = [parameter.name.value for parameter in function.params.params][1:]
        self._lists = {
            parameter.name.value
            for parameter in function.params.params
            if parameter.annotation and _code(parameter.annotation.annotation).startswith("Sequence[_C.Value]")
        }
        self._gives_one_tensor = function.returns is not None and _code(function.returns.annotation) == "_C.Value"
        hidden = names_of(function)
        self._existing = {op: name for op, name in EXISTING.items() if name in known and name not in hidden}
        self._inputs: set[cst.BaseExpression] = set()
        """The arguments of operators, for which a tensor of torch does where a graph value is meant."""

    def visit_Call(self, node: cst.Call) -> None:
        """Remembers the inputs of operators, and of the helpers that only hand them on to operators."""
        if m.matches(node.func, m.Attribute(m.Name("g"), m.Name("op")) | _HANDS_ON):
            self._inputs.update(argument.value for argument in node.args)

    def leave_Decorator(self, original: cst.Decorator, updated: cst.Decorator) -> cst.Decorator:
        """`@_promoted("input", kind="INT_TO_FLOAT")` by names becomes one by position, where torch knows the rule."""
        if not m.matches(updated, m.Decorator(m.Call(m.Name("_promoted")))):
            return updated
        call = cst.ensure_type(updated.decorator, cst.Call)
        keywords = {a.keyword.value: _code(a.value) for a in call.args if a.keyword}
        kind = _KINDS.get(keywords.get("kind", "DEFAULT").strip('"'))
        named = {_code(a.value).strip('"') for a in call.args if not a.keyword}
        is_simple = self._gives_one_tensor and not named & self._lists
        if keywords.get("kind") == '"COMMON"' and named == self._lists and self._parameters[0] in named:
            return updated.with_changes(decorator=cst.Name(PROMOTED_LIST))
        # Computing in double precision costs more than a few ulps are worth to most models.
        if keywords.keys() - {"kind", "widen", "precise"} or kind is None or not is_simple:
            return updated
        last = max(self._parameters.index(name) for name in named)
        flags = [str(name in named) for name in self._parameters[: last + 1]]
        arguments = ", ".join(filter(None, [*flags, kind]))
        return updated.with_changes(decorator=_parse(f"{PROMOTED_ARGS}({arguments})"))

    def leave_Attribute(self, original: cst.Attribute, updated: cst.Attribute) -> cst.BaseExpression:
        """Asks the exporter's own helper whether a dtype is a floating one."""
        if m.matches(original, m.Attribute(m.Call(m.Name("_dtype")), m.Name("is_floating_point"))):
            (value,) = cst.ensure_type(original.value, cst.Call).args
            return _parse(f"symbolic_helper._is_fp({_code(value.value)})")
        return updated

    def leave_Comparison(self, original: cst.Comparison, updated: cst.Comparison) -> cst.BaseExpression:
        """Asks the exporter's own helper whether a dtype is bool."""
        (target, *others) = original.comparisons
        if others or not m.matches(original.left, m.Call(m.Name("_dtype"))):
            return updated
        if not m.matches(target, m.ComparisonTarget(m.Equal() | m.NotEqual(), _torch("bool"))):
            return updated
        (value,) = cst.ensure_type(original.left, cst.Call).args
        sign = "not " if isinstance(target.operator, cst.NotEqual) else ""
        return _parse(f"{sign}symbolic_helper._is_bool({_code(value.value)})")

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        """Calls of symgen's runtime and of operators become those of the exporter's helpers and functions."""
        arguments = [_code(argument.value) for argument in updated.args]
        match updated.func:
            case cst.Name(value="_scalar"):
                tensor = f"symbolic_helper._if_scalar_type_as({_tensor(arguments[1])}, {arguments[2]})"
                return _parse(tensor if original in self._inputs else f'g.op("Constant", value_t={tensor})')
            case cst.Name(value="_dtype"):
                return _parse(f"_type_utils.JitScalarType.from_value({arguments[0]}).dtype()")
            case cst.Name(value="_cast"):
                return _parse(f"symbolic_helper._maybe_cast_to_type(g, {arguments[1]}, {_jit_type(arguments[2])})")
            case cst.Name(value="_cast_like"):
                wanted = f"_type_utils.JitScalarType.from_value({arguments[2]})"
                return _parse(f"symbolic_helper._maybe_cast_to_type(g, {arguments[1]}, {wanted})")
            case cst.Name(value="_static_size"):
                return _parse(f"symbolic_helper._get_tensor_dim_size({', '.join(arguments)})")
            case cst.Attribute(value=cst.Name(value="g"), attr=cst.Name(value="op")):
                return self._operator(updated)
        return updated

    def _operator(self, call: cst.Call) -> cst.Call:
        first, *inputs = call.args
        name = self._existing.get(_code(first.value).strip("\"'"))
        if name is None or any(argument.keyword or argument.star for argument in inputs):
            return call
        return call.with_changes(func=_parse(f"{OPSET9}.{name}"), args=[cst.Arg(cst.Name("g")), *inputs])


def _in_parts(text: str) -> cst.BaseExpression:
    """A text as several that stand together, in brackets."""
    parts = textwrap.wrap(text, _PART, drop_whitespace=False)
    return _parse(f"({' '.join(json.dumps(part, ensure_ascii=False) for part in parts)})")


def _is_foreign(annotation: cst.Annotation) -> bool:
    return bool(m.findall(annotation, m.Name("Any") | m.Name("Callable") | m.Name("NoReturn")))


def _tensor(number: str) -> str:
    """The call that makes a constant of a number, in double precision where single would lose digits."""
    try:
        value = float(number.replace("math.", ""))
    except ValueError:
        return f"torch.tensor({number}, dtype=torch.double)"
    is_exact = math.isinf(value) or (abs(value) < _LARGE and struct.unpack("f", struct.pack("f", value))[0] == value)
    return f"torch.tensor({number})" if is_exact else f"torch.tensor({number}, dtype=torch.double)"


def _jit_type(dtype: str) -> str:
    name = _JIT_TYPES.get(dtype.removeprefix("torch."))
    return f"_type_utils.JitScalarType.{name}" if name else f"_type_utils.JitScalarType.from_dtype({dtype})"


def _torch(name: str) -> m.Attribute:
    return m.Attribute(m.Name("torch"), m.Name(name))


def _parse(text: str) -> cst.BaseExpression:
    return cst.parse_expression(text)


def _code(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)


def local_calls(source: str, module: str = OPSET9) -> tuple[str, tuple[str, ...]]:
    """The source with the functions of one module called as in its own file, without it, and their names."""
    calls = _LocalCalls(module)
    return cst.parse_module(source).visit(calls).code, tuple(dict.fromkeys(calls.names))


class _LocalCalls(cst.CSTTransformer):
    def __init__(self, module: str) -> None:
        self._module = module
        self.names: list[str] = []

    def leave_Attribute(self, original: cst.Attribute, updated: cst.Attribute) -> cst.BaseExpression:
        if not m.matches(updated, m.Attribute(m.Name(self._module))):
            return updated
        self.names.append(updated.attr.value)
        return updated.attr


def known_functions(names: Collection[str]) -> frozenset[str]:
    """Those of the file's functions that generated code may call."""
    return frozenset(EXISTING.values()) & frozenset(names)
