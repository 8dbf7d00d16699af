"""How single steps of a decomposition are said in the plan language."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from symgen.model.traces import Item, Numbers, Ref, Said, Step

PASSED_ON = frozenset(
    {"length.float", "empty_like", "clone", "alias", "detach", "lift_fresh_copy", "contiguous", "view_of"}
)
"""Steps that give the very tensor they take, or one of its shape that is written over."""

TEMPLATES: Mapping[str, str] = {
    "abs": "op.Abs({0})",
    "neg": "-{0}",
    "exp": "op.Exp({0})",
    "log": "op.Log({0})",
    "sqrt": "op.Sqrt({0})",
    "rsqrt": "1.0 / op.Sqrt({0})",
    "reciprocal": "1.0 / {0}",
    "sin": "op.Sin({0})",
    "cos": "op.Cos({0})",
    "tan": "op.Tan({0})",
    "asin": "op.Asin({0})",
    "acos": "op.Acos({0})",
    "atan": "op.Atan({0})",
    "sinh": "op.Sinh({0})",
    "tanh": "op.Tanh({0})",
    "sigmoid": "op.Sigmoid({0})",
    "relu": "op.Relu({0})",
    "floor": "op.Floor({0})",
    "ceil": "op.Ceil({0})",
    "round": "op.Round({0})",
    "sign": "op.Sign({0})",
    "erf": "op.Erf({0})",
    # Whole numbers have no nan, and IsNaN does not take them.
    "isnan": "op.Not(op.Equal({0}, {0}))",
    "isinf": "op.IsInf({0})",
    "logical_not": "op.Not({0})",
    "bitwise_not": "op.Not({0})",
    "where": "op.Where({0}, {1}, {2})",
    "maximum": "op.Max({0}, {1})",
    "minimum": "op.Min({0}, {1})",
    "clamp_min": "op.Max({0}, {1})",
    "clamp_max": "op.Min({0}, {1})",
    "logical_and": "{0} & {1}",
    "logical_or": "{0} | {1}",
    "logical_xor": "op.Xor({0}, {1})",
    "bitwise_and": "{0} & {1}",
    "bitwise_or": "{0} | {1}",
    "mm": "{0} @ {1}",
    "bmm": "{0} @ {1}",
    "mv": "{0} @ {1}",
    "dot": "{0} @ {1}",
    "matmul": "{0} @ {1}",
    "unsqueeze": "op.Unsqueeze({0}, [{1}])",
    "flip": "flipped(op, {0}, {1})",
    "transpose": "exchanged(op, {0}, {1}, {2})",
    "gather": "op.GatherElements({0}, {2}, axis={1})",
    "index_select": "op.Gather({0}, {2}, axis={1})",
    "cumsum": "op.CumSum({0}, op.constant({1}))",
    "sym_size": "op.size({0}, {1})",
    "sym_numel": "op.numel({0})",
    "rand_like": "op.RandomUniformLike({0})",
    "nonzero": "op.Transpose(op.NonZero({0}), perm=[1, 0])",
    "_softmax": "op.Softmax({0}, axis={1})",
    "_log_softmax": "op.LogSoftmax({0}, axis={1})",
}
"""By operator: its arguments by position in an expression."""

ARITHMETIC: Mapping[str, str] = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "rsub": "{1} - {0}",
    "mul": "{0} * {1}",
    "div": "{0} / {1}",
    "pow": "op.Pow({0}, {1})",
    "eq": "op.Equal({0}, {1})",
    "ne": "op.Not(op.Equal({0}, {1}))",
    "lt": "{0} < {1}",
    "gt": "{0} > {1}",
    "le": "{0} <= {1}",
    "ge": "{0} >= {1}",
    "length.add": "{0} + {1}",
    "length.sub": "{0} - {1}",
    "length.mul": "{0} * {1}",
    "length.floordiv": "op.Div({0}, {1})",
    "length.mod": "op.Mod({0}, {1})",
    "length.neg": "-{0}",
}
"""The same of operators whose operands may be of several dtypes."""

ELEMENTWISE = frozenset(
    {*(name for name in ARITHMETIC if not name.startswith("length.")), "where", "maximum", "minimum", "logical_and"}
    | {"logical_or", "logical_xor", "bitwise_and", "bitwise_or", "copysign", "atan2", "fmod", "remainder", "gcd"}
    | {
        "abs",
        "neg",
        "exp",
        "log",
        "log1p",
        "expm1",
        "sqrt",
        "isnan",
        "isinf",
        "logical_not",
        "bitwise_not",
        "sign",
        "signbit",
    }
)
"""Operators that take element by element, and broadcast their operands."""

HELPERS: Mapping[str, str] = {
    "flipped": "shape", "reshaped": "shape", "exchanged": "shape", "counting": "matrices",
    "sum_over": "reductions", "axes_of": "reductions", "mean_over": "reductions", "summed_as": "reductions",
}  # fmt: skip
"""Helpers of the knowledge that phrases call, with the file that holds each."""

LAST = 9223372036854775807
_TRACED_IN = "torch.float32"
"""The dtype of the computation in a trace, which stands for whatever it is in a call."""


class CannotBeSaidError(Exception):
    """A step for which the plan language has no words."""


@dataclass
class Words:
    """The text of what is bound so far: names, and the dtypes of what has one other than the computation's."""

    anchor: str
    names: dict[Ref, str] = field(default_factory=dict)
    dtypes: dict[Ref, str] = field(default_factory=dict)
    lengths: set[Ref] = field(default_factory=set)
    numbers: dict[Ref, str] = field(default_factory=dict)
    """Constants of rank 0 in the dtype of the computation, which need no name."""
    mentioned: set[str] = field(default_factory=set)
    """The names in the expressions that constants were explained by."""

    def copy(self) -> Words:
        """The same words, to which a branch adds its own."""
        return Words(
            self.anchor, dict(self.names), dict(self.dtypes), set(self.lengths), dict(self.numbers), set(self.mentioned)
        )

    def bind(self, ref: Ref, name: str, step: Step) -> None:
        """The result of a step has a name."""
        self.names[ref] = name
        if step.dtype and not step.dtype.startswith(("float", "bfloat")):
            self.dtypes[ref] = step.dtype
        if step.target in ("sym_size", "sym_numel") or step.target.startswith("length."):
            self.lengths.add(ref)

    def is_another_name(self, ref: Ref, text: str, source: Item) -> None:
        """A step gives what has a name already."""
        self.names[ref] = text
        if isinstance(source, Ref) and source in self.dtypes:
            self.dtypes[ref] = self.dtypes[source]
        if isinstance(source, Ref) and source in self.lengths:
            self.lengths.add(ref)
        if isinstance(source, Ref) and source in self.numbers:
            self.numbers[ref] = self.numbers[source]

    def text(self, item: Item) -> str:
        """An argument as source."""
        match item:
            case Ref() if item in self.numbers:
                return f"op.constant({self.numbers[item]}, like={self.anchor})"
            case Ref():
                return self.names.get(item, item.name if item.place is None else f"{item.name}[{item.place}]")
            case Said(text):
                self.mentioned |= set(re.findall(r"[a-z_]\w*", text))
                return text
            case tuple():
                return f"[{', '.join(map(self.text, item))}]"
            case _:
                return repr(item)

    def operand(self, item: Item, *, of_numbers: bool, result: str) -> str:
        """An operand; a truth value is a number among numbers, and so is a length; whole ones are cast to others."""
        text = self.numbers[item] if isinstance(item, Ref) and item in self.numbers else self.text(item)
        dtype = self.dtypes.get(item, "") if isinstance(item, Ref) else ""
        is_cast = (dtype == "bool" and of_numbers) or (dtype.startswith("int") and result.startswith("float"))
        if is_cast and item not in self.lengths:
            return f"op.cast({text}, like={self.anchor})"
        if isinstance(item, Ref) and item in self.lengths:
            return f"op.cast(op.Squeeze({text}, [0]), like={self.anchor})"
        return text if re.fullmatch(r"-?[\w.]+(\(.*\))?", text) else f"({text})"

    def is_bool(self, item: Item) -> bool:
        """Whether an argument is a tensor of truth values."""
        return isinstance(item, Ref) and self.dtypes.get(item) == "bool"

    def sizes(self, item: Item) -> str:
        """A list of lengths: of integers where all are known, else one tensor."""
        text = self.text(item)
        is_known = isinstance(item, Said) or (isinstance(item, tuple) and not any(isinstance(i, Ref) for i in item))
        return text if is_known else f"op.ints({text})"


Phrase = Callable[[Step, Words], str]


def said(step: Step, words: Words) -> str:
    """A step as an expression.

    Raises:
        CannotBeSaidError: where there are no words for it.
    """
    if step.target == "copy":
        return words.text(step.arguments[1])
    if step.target in PASSED_ON:
        return words.text(step.arguments[0])
    if step.target in ARITHMETIC:
        return _arithmetic(step, words)
    if step.target in PHRASES:
        return PHRASES[step.target](step, words)
    if step.target in TEMPLATES:
        texts = [words.text(argument) for argument in step.arguments]
        return TEMPLATES[step.target].format(*texts)
    raise CannotBeSaidError(step.target)


_OF_TRUTH_VALUES: Mapping[str, str] = {"mul": "{0} & {1}", "add": "{0} | {1}", "eq": "op.Equal({0}, {1})"}


def is_number(step: Step) -> bool:
    """Whether a step is a constant of rank 0 in the dtype of the computation."""
    if not step.dtype.startswith("float"):
        return False
    return step.target == "scalar_tensor" or (step.target == "full" and step.arguments[0] == ())


def _arithmetic(step: Step, words: Words) -> str:
    template = ARITHMETIC[step.target]
    if step.target.startswith("length."):
        return template.format(*(words.text(argument) for argument in step.arguments))
    compared = [words.dtypes.get(argument) for argument in step.arguments if isinstance(argument, Ref)]
    of_numbers = step.dtype != "bool" or any(dtype != "bool" for dtype in compared)
    if step.target in _OF_TRUTH_VALUES and not of_numbers:
        template = _OF_TRUTH_VALUES[step.target]
    first, second = (
        words.operand(argument, of_numbers=of_numbers, result=step.dtype) for argument in step.arguments[:2]
    )
    keywords = dict(step.keywords)
    alpha = keywords.get("alpha", step.arguments[2] if len(step.arguments) > 2 else None)
    if alpha is not None:
        factor = words.text(alpha)
        second = second if factor in ("1", "1.0") else f"{second} * {factor}"
    if keywords.get("rounding_mode") not in (None, Said("None")):
        raise CannotBeSaidError(f"{step.target} with rounding")
    if step.target == "pow" and not isinstance(step.arguments[0], Ref):
        first = f"op.constant({first}, like={second})"
    return template.format(first, second)


def _reduced(helper: str) -> Phrase:
    def phrase(step: Step, words: Words) -> str:
        x, dims, keepdim = _padded([words.text(argument) for argument in step.arguments], ("None", "False"))
        source = f'op.cast({x}, "int64")' if words.is_bool(step.arguments[0]) else x
        dtype = words.text(dict(step.keywords).get("dtype", Said("None")))
        source = source if dtype in ("None", _TRACED_IN) else f"summed_as(op, {source}, {dtype})"
        return f"{helper}(op, {source}, axes_of(op, {x}, {dims}), {keepdim})"

    return phrase


def _extreme(onnx: str) -> Phrase:
    def phrase(step: Step, words: Words) -> str:
        x, dims, keepdim = _padded([words.text(argument) for argument in step.arguments], ("None", "False"))
        return f"op.{onnx}({x}, axes=axes_of(op, {x}, {dims}), keepdims=int({keepdim}))"

    return phrase


def _padded(texts: Sequence[str], defaults: Sequence[str]) -> list[str]:
    return [*texts, *defaults[len(texts) - 1 :]][: len(defaults) + 1]


def _reshaped(step: Step, words: Words) -> str:
    x, sizes = words.text(step.arguments[0]), step.arguments[1]
    is_plain = isinstance(sizes, tuple) and all(isinstance(size, Said) and size.text.isdecimal() for size in sizes)
    if is_plain and Said("0") not in sizes:  # type: ignore[operator]
        return f"op.Reshape({x}, {words.text(sizes)})"
    # The helper knows what becomes of lengths of 0.
    return f"reshaped(op, {x}, {words.text(sizes)})"


def _expanded(step: Step, words: Words) -> str:
    sizes = step.arguments[1]
    if isinstance(sizes, tuple):
        # Expand broadcasts both ways, so that 1 leaves a length alone.
        sizes = tuple(Said("1") if size == Said("-1") else size for size in sizes)
    return f"op.Expand({words.text(step.arguments[0])}, {words.sizes(sizes)})"


def _sliced(step: Step, words: Words) -> str:
    texts = [words.text(argument) for argument in step.arguments]
    x, axis, start, end, stride = _padded(texts, ("0", "None", "None", "1"))
    lengths = [_one_length(text, ref, words) for text, ref in zip((start, end), step.arguments[2:4], strict=False)]
    first = lengths[0] if start != "None" else "[0]"
    last = lengths[1] if end not in ("None", str(LAST)) else f"[{LAST}]"
    return f"op.Slice({x}, {first}, {last}, [{axis}], [{stride}])"


def _one_length(text: str, item: Item, words: Words) -> str:
    return text if isinstance(item, Ref) else f"[{text}]"


def _selected(step: Step, words: Words) -> str:
    x, axis, index = (words.text(argument) for argument in step.arguments)
    if isinstance(step.arguments[2], Ref):
        return f"op.Gather({x}, op.Squeeze({index}, [0]), axis={axis})"
    return f"op.Gather({x}, op.constant({index}), axis={axis})"


def _permuted(step: Step, words: Words) -> str:
    x, order = words.text(step.arguments[0]), words.text(step.arguments[1])
    if not re.fullmatch(r"\[[\d, ]*\]", order):
        order = f"[axis % op.rank({x}) for axis in {order}]"
    return f"op.Transpose({x}, perm={order})"


def _squeezed(step: Step, words: Words) -> str:
    x, *rest = (words.text(argument) for argument in step.arguments)
    if not rest:
        return f"op.Squeeze({x})"
    return f"op.Squeeze({x}, {rest[0] if rest[0].startswith('[') else f'[{rest[0]}]'})"


def _joined(step: Step, words: Words) -> str:
    tensors = step.arguments[0]
    axis = words.text(step.arguments[1]) if len(step.arguments) > 1 else "0"
    if not isinstance(tensors, tuple):
        raise CannotBeSaidError("cat of a list of unknown length")
    return f"op.Concat({', '.join(map(words.text, tensors))}, axis={axis})"


def _constant(step: Step, words: Words) -> str:
    """A number, or a small tensor of numbers."""
    value = step.arguments[0]
    dtype = value.dtype if isinstance(value, Numbers) else step.dtype
    return constant_text(words.text(value), dtype, words)


def constant_text(text: str, dtype: str, words: Words) -> str:
    """A constant of a dtype; that of the computation is the anchor's.

    Raises:
        CannotBeSaidError: where it is another one in other calls.
    """
    if not dtype:
        raise CannotBeSaidError("constants of several dtypes")
    is_own = dtype.startswith(("float", "bfloat"))
    return f"op.constant({text}, like={words.anchor})" if is_own else f'op.constant({text}, "{dtype}")'


def _filled(step: Step, words: Words) -> str:
    sizes, value = step.arguments[:2]
    text = constant_text(words.text(value), step.dtype, words)
    if sizes == ():
        return text
    return f"op.Expand({text}, {words.sizes(sizes)})"


def _emptied(step: Step, words: Words) -> str:
    """What is written over later, as zeros."""
    return f"op.Expand({constant_text('0', step.dtype, words)}, {words.sizes(step.arguments[0])})"


def _filled_like(value: str) -> Phrase:
    def phrase(step: Step, words: Words) -> str:
        number = value or words.text(step.arguments[1])
        return f"op.Expand({constant_text(number, step.dtype, words)}, op.Shape({words.text(step.arguments[0])}))"

    return phrase


def _converted(step: Step, words: Words) -> str:
    x, given = words.text(step.arguments[0]), step.arguments[0]
    if not step.dtype:
        raise CannotBeSaidError(f"{step.target} to several dtypes")
    if step.dtype.startswith("float"):
        return f"op.cast({x}, like={words.anchor})" if given in words.dtypes else x
    return f'op.cast({x}, "{step.dtype}")'


def _counted(step: Step, words: Words) -> str:
    given = step.arguments if len(step.arguments) > 1 else (Said("0"), *step.arguments)
    start, end, stride = (*given, Said("1"))[:3]
    if start == Said("0") and stride == Said("1") and isinstance(end, Ref):
        return f"counting(op, {words.text(end)})"
    limits = [
        f"op.Squeeze({words.text(i)}, [0])" if isinstance(i, Ref) else words.text(i) for i in (start, end, stride)
    ]
    return f"op.Range({', '.join(limits)})"


def _padded_with(step: Step, words: Words) -> str:
    x, pads = step.arguments[:2]
    value = words.text(step.arguments[2]) if len(step.arguments) > 2 else "0"
    if step.rank is None or not isinstance(pads, tuple):
        raise CannotBeSaidError("constant_pad_nd of several ranks")
    pairs = [pads[place : place + 2] for place in range(0, len(pads), 2)][::-1]
    kept = [Said("0")] * (step.rank - len(pairs))
    ordered = (*kept, *(pair[0] for pair in pairs), *kept, *(pair[1] for pair in pairs))
    return f"op.Pad({words.text(x)}, {words.sizes(ordered)}, op.constant({value}, like={words.text(x)}))"


PHRASES: Mapping[str, Phrase] = {
    "sum": _reduced("sum_over"),
    "mean": _reduced("mean_over"),
    "amax": _extreme("ReduceMax"),
    "amin": _extreme("ReduceMin"),
    "view": _reshaped,
    "reshape": _reshaped,
    "_unsafe_view": _reshaped,
    "expand": _expanded,
    "slice": _sliced,
    "select": _selected,
    "permute": _permuted,
    "squeeze": _squeezed,
    "cat": _joined,
    "constant": _constant,
    "scalar_tensor": _constant,
    "full": _filled,
    "empty": _emptied,
    "empty_permuted": _emptied,
    "full_like": _filled_like(""),
    "ones_like": _filled_like("1"),
    "zeros_like": _filled_like("0"),
    "_to_copy": _converted,
    "convert_element_type": _converted,
    "arange": _counted,
    "constant_pad_nd": _padded_with,
}

SAYABLE = frozenset({*TEMPLATES, *ARITHMETIC, *PHRASES, *PASSED_ON})
"""Steps that are left whole when an operator is traced."""
