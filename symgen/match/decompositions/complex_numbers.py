"""Complex numbers, which are real tensors with a last axis of 2 in the graph."""

import math

from symgen.match.decompositions.complex_parts import from_parts, parts
from symgen.match.language import decomposition


@decomposition("aten::view_as_complex")
def view_as_complex(op, self):
    """The numbers whose parts stand along the last axis"""
    return op.carried(op.Identity(self))


@decomposition("aten::view_as_real")
def view_as_real(op, self):
    """The parts of complex numbers along a new last axis"""
    if not op.is_complex(self):
        op.fail("view_as_real: takes a complex tensor")
    return op.Identity(self)


@decomposition("aten::complex", promote=("real", "imag"))
def complex(op, real, imag):
    """real + i · imag"""
    shape = op.Shape(real + imag)
    return op.carried(from_parts(op, op.Expand(real, shape), op.Expand(imag, shape)))


@decomposition("aten::polar", promote=("abs", "angle"))
def polar(op, abs, angle):
    """abs · exp(i · angle)"""
    return op.carried(from_parts(op, abs * op.Cos(angle), abs * op.Sin(angle)))


@decomposition("aten::real")
def real(op, self):
    """The real part; of a real tensor, the tensor itself"""
    return op.Gather(self, op.constant(0), axis=-1) if op.is_complex(self) else op.Identity(self)


@decomposition("aten::imag")
def imag(op, self):
    """The imaginary part"""
    if not op.is_complex(self):
        op.fail("imag: takes a complex tensor")
    return op.Gather(self, op.constant(1), axis=-1)


@decomposition("aten::conj", "aten::_conj", "aten::conj_physical", "aten::_conj_physical", promote=())
def conj(op, self):
    """The numbers with the opposite imaginary parts; of a real tensor, the tensor itself"""
    if not op.is_complex(self):
        return op.Identity(self)
    return op.carried(self * op.constant([1.0, -1.0], like=self))


@decomposition("aten::neg", promote=("self",))
def neg(op, self):
    """−x"""
    return op.carried(op.Neg(self)) if op.is_complex(self) else op.Neg(self)


@decomposition("aten::resolve_conj")
def resolve_conj(op, self):
    """The same numbers"""
    return op.carried(op.Identity(self)) if op.is_complex(self) else op.Identity(self)


@decomposition("aten::angle", promote=("self",), kind="INT_TO_FLOAT")
def angle(op, self):
    """The argument of complex numbers; of real ones π where they are negative, else 0"""
    zero, half_turn = op.constant(0.0, like=self), op.constant(math.pi, like=self)
    if not op.is_complex(self):
        return op.Where(self < zero, half_turn, op.Where(op.IsNaN(self), self, zero))
    x, y = parts(op, self)
    # Rank 0 is left out of the way: the exporter takes it for a Python number.
    x, y = op.Unsqueeze(x, [op.rank(self) - 1]), op.Unsqueeze(y, [op.rank(self) - 1])
    ratio = op.Atan(y / op.Where(op.Equal(x, zero), op.constant(1.0, like=self), x))
    turned = op.Where(y < zero, ratio - half_turn, ratio + half_turn)
    upright = op.Sign(y) * (0.5 * half_turn)
    return op.Squeeze(op.Where(op.Equal(x, zero), upright, op.Where(x < zero, turned, ratio)), [op.rank(self) - 1])


@decomposition("aten::abs", promote=("self",))
def abs(op, self):
    """|x|, √(x² + y²) of complex numbers, which neither overflows nor underflows in between"""
    if not op.is_complex(self):
        return op.Abs(self)
    largest = op.ReduceMax(op.Abs(self), axes=[-1], keepdims=1)
    scale = op.Where(op.Equal(largest, 0), op.constant(1.0, like=self), largest)
    ratios = self / scale
    length = scale * op.Sqrt(op.ReduceSum(ratios * ratios, [-1], keepdims=1))
    # An infinite part wins even over nan.
    is_infinite = op.ReduceMax(op.cast(op.IsInf(self), "float32"), axes=[-1], keepdims=1) > 0.5
    return op.Squeeze(op.Where(is_infinite, op.constant(math.inf, like=length), length), [-1])
