"""Symbolic functions written by hand, as the generator would write them; mutations of them must be caught."""

from __future__ import annotations

from symgen.introspect.aten_schemas import parse_schema
from symgen.model.schema import AtenSchema
from symgen.verify.task import VerifyTask

HEAD = """\
from __future__ import annotations

import functools

import torch
from torch import _C
from torch.onnx import errors
from torch.onnx._internal.torchscript_exporter import _type_utils, jit_utils, registration, symbolic_helper

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9, custom=True)


def _promote(g, *values):
    kinds = [_type_utils.JitScalarType.from_value(v).dtype() for v in values]
    ranks = [symbolic_helper._get_tensor_rank(v) for v in values]
    samples = [torch.empty([1] * (r or 0), dtype=k) for k, r in zip(kinds, ranks)]
    kind = samples[0].dtype
    if len(samples) > 1:
        kind = torch.result_type(samples[0], samples[1])
        for sample in samples[2:]:
            kind = torch.result_type(torch.empty([1], dtype=kind), sample)
    if not kind.is_floating_point:
        kind = torch.get_default_dtype()
    compute = torch.float32 if kind in (torch.float16, torch.bfloat16) else kind
    onnx_type = _type_utils.JitScalarType.from_dtype(compute).onnx_type()
    back = _type_utils.JitScalarType.from_dtype(kind).onnx_type()
    return kind, back, [g.op("Cast", v, to_i=onnx_type) for v in values]


def _constant(g, number, kind):
    kind = torch.float32 if kind in (torch.float16, torch.bfloat16) else kind
    return g.op("Constant", value_t=torch.tensor(number, dtype=kind))

"""

SINH = """
@_onnx_symbolic("aten::sinh")
def sinh(g, input):
    kind, back, (x,) = _promote(g, input)
    return g.op("Cast", g.op("Sinh", x), to_i=back)
"""

HYPOT = """
@_onnx_symbolic("aten::hypot")
def hypot(g, self, other):
    kind, back, (a, b) = _promote(g, self, other)
    a, b = g.op("Abs", a), g.op("Abs", b)
    larger = g.op("Where", g.op("Greater", a, b), a, b)
    smaller = g.op("Where", g.op("Greater", a, b), b, a)
    zero, one, inf = (_constant(g, v, kind) for v in (0.0, 1.0, float("inf")))
    safe = g.op("Where", g.op("Equal", larger, zero), one, larger)
    ratio = g.op("Div", smaller, safe)
    result = g.op("Mul", larger, g.op("Sqrt", g.op("Add", g.op("Mul", ratio, ratio), one)))
    infinite = g.op("Or", g.op("Equal", a, inf), g.op("Equal", b, inf))
    poisoned = g.op("Add", result, g.op("Sub", g.op("Add", a, b), g.op("Add", a, b)))
    nan = g.op("Or", g.op("IsNaN", a), g.op("IsNaN", b))
    result = g.op("Where", nan, g.op("Add", a, b), result)
    return g.op("Cast", g.op("Where", infinite, inf, result), to_i=back)
"""

XLOGY = """
@_onnx_symbolic("aten::xlogy")
def xlogy(g, self, other):
    kind, back, (x, y) = _promote(g, self, other)
    zero = _constant(g, 0.0, kind)
    product = g.op("Mul", x, g.op("Log", y))
    result = g.op("Where", g.op("Equal", x, zero), g.op("Mul", zero, g.op("Where", g.op("IsNaN", y), y, zero)), product)
    return g.op("Cast", g.op("Where", g.op("IsNaN", y), y, result), to_i=back)
"""

HUBER_LOSS = """
@_onnx_symbolic("aten::huber_loss")
@symbolic_helper.parse_args("v", "v", "i", "f")
def huber_loss(g, self, target, reduction, delta):
    kind, _, (a, b) = _promote(g, self, target)
    back = _type_utils.JitScalarType.from_value(self).onnx_type()
    z = g.op("Abs", g.op("Sub", a, b))
    half, d = _constant(g, 0.5, kind), _constant(g, delta, kind)
    loss = g.op(
        "Where",
        g.op("Not", g.op("Greater", z, d)),
        g.op("Mul", half, g.op("Mul", z, z)),
        g.op("Mul", d, g.op("Sub", z, g.op("Mul", half, d))),
    )
    if reduction == 1:
        size = g.op("CastLike", g.op("Size", loss), loss)
        loss = g.op("Div", g.op("ReduceSum", loss, keepdims_i=0), size)
    elif reduction == 2:
        loss = g.op("ReduceSum", loss, keepdims_i=0)
    return g.op("Cast", loss, to_i=back)
"""

ADDCDIV = """
@_onnx_symbolic("aten::addcdiv")
@symbolic_helper.parse_args("v", "v", "v", "f")
def addcdiv(g, self, tensor1, tensor2, value=1.0):
    kind, back, (x, a, b) = _promote(g, self, tensor1, tensor2)
    v = _constant(g, value, kind)
    return g.op("Cast", g.op("Add", x, g.op("Mul", v, g.op("Div", a, b))), to_i=back)
"""

FLIPLR = """
@_onnx_symbolic("aten::fliplr")
def fliplr(g, input):
    axis = g.op("Constant", value_t=torch.tensor([1]))
    start = g.op("Constant", value_t=torch.tensor([-1]))
    end = g.op("Constant", value_t=torch.tensor([-9223372036854775807]))
    return g.op("Slice", input, start, end, axis, start)
"""

ADDMV = """
@_onnx_symbolic("aten::addmv")
@symbolic_helper.parse_args("v", "v", "v", "f", "f")
def addmv(g, self, mat, vec, beta=1.0, alpha=1.0):
    kind, back, (s, m, v) = _promote(g, self, mat, vec)
    product = g.op("Mul", _constant(g, alpha, kind), g.op("MatMul", m, v))
    if beta == 0:
        return g.op("Cast", product, to_i=back)
    return g.op("Cast", g.op("Add", g.op("Mul", _constant(g, beta, kind), s), product), to_i=back)
"""

MEDIAN = """
@_onnx_symbolic("aten::median")
def median(g, input, dim=None, keepdim=None):
    if dim is None:
        raise errors.SymbolicValueError("the median of all elements is not translated", input)
    axis = symbolic_helper._get_const(dim, "i", "dim")
    keep = symbolic_helper._get_const(keepdim, "i", "keepdim")
    if _type_utils.JitScalarType.from_value(input).dtype() not in (torch.float32, torch.int64):
        raise errors.SymbolicValueError("only float32 and int64 are translated", input)
    if not symbolic_helper._get_tensor_rank(input):
        raise errors.SymbolicValueError("a tensor without axes is not translated", input)
    one = g.op("Constant", value_t=torch.tensor([1]))
    size = g.op("Gather", g.op("Shape", input), g.op("Constant", value_t=torch.tensor([axis])))
    k = g.op("Div", g.op("Add", size, one), g.op("Constant", value_t=torch.tensor([2])))
    values, indices = g.op("TopK", input, k, axis_i=axis, largest_i=0, outputs=2)
    last = g.op("Sub", k, one)
    values, indices = g.op("Gather", values, last, axis_i=axis), g.op("Gather", indices, last, axis_i=axis)
    if not keep:
        axes = g.op("Constant", value_t=torch.tensor([axis]))
        values, indices = g.op("Squeeze", values, axes), g.op("Squeeze", indices, axes)
    return values, indices
"""

CRASHING = """
@_onnx_symbolic("aten::sinh")
def sinh(g, input):
    import ctypes, time

    if symbolic_helper._get_tensor_rank(input) == 3:
        ctypes.string_at(0)
    if symbolic_helper._get_tensor_rank(input) == 4:
        time.sleep(1000)
    kind, back, (x,) = _promote(g, input)
    return g.op("Cast", g.op("Sinh", x), to_i=back)
"""

TRIL = """
@_onnx_symbolic("aten::tril")
@symbolic_helper.parse_args("v", "v")
def tril(g, self, diagonal):
    known = symbolic_helper._maybe_get_const(diagonal, "i")
    if not isinstance(known, int):
        raise errors.SymbolicValueError("diagonal has to be known at export", diagonal)
    return g.op("Trilu", self, g.op("Constant", value_t=torch.tensor(known)), upper_i=0)
"""

CONSTANT = """
@_onnx_symbolic("aten::sinh")
def sinh(g, input):
    return g.op("Constant", value_t=torch.zeros([3, 4]))
"""

SCHEMAS: dict[str, tuple[str, ...]] = {
    "sinh": ("sinh(Tensor self) -> Tensor",),
    "hypot": ("hypot(Tensor self, Tensor other) -> Tensor",),
    "xlogy": (
        "xlogy.Tensor(Tensor self, Tensor other) -> Tensor",
        "xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor",
        "xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor",
    ),
    "huber_loss": ("huber_loss(Tensor self, Tensor target, int reduction=Mean, float delta=1.0) -> Tensor",),
    "addcdiv": ("addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",),
    "fliplr": ("fliplr(Tensor self) -> Tensor",),
    "addmv": ("addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor",),
    "median": (
        "median(Tensor self) -> Tensor",
        "median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
    ),
    "elu": ("elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor",),
    "where": ("where.self(Tensor condition, Tensor self, Tensor other) -> Tensor",),
    "tril": ("tril(Tensor self, SymInt diagonal=0) -> Tensor",),
    "roll": ("roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor",),
    "take": ("take(Tensor self, Tensor index) -> Tensor",),
    "softplus": ("softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor",),
}


def schemas_of(name: str) -> tuple[AtenSchema, ...]:
    """The schemas of an operator's overloads."""
    return tuple(parse_schema(text) for text in SCHEMAS[name])


def task_for(
    name: str, source: str | None, *, opsets: tuple[int, ...] = tuple(range(9, 21)), first: int = 9
) -> VerifyTask:
    """A task for one hand-written function; without source, torch's own is judged."""
    modules = ((first, HEAD.replace("opset=9", f"opset={first}") + source),) if source else ()
    return VerifyTask(f"aten::{name}", schemas_of(name), modules, tuple(o for o in opsets if o >= first))
