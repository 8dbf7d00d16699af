"""What entries on complex numbers share; a complex tensor is a real one with a last axis of 2."""

from symgen.match.language import helper


@helper
def parts(op, x):
    """(The real part, the imaginary part)."""
    return op.Gather(x, op.constant(0), axis=-1), op.Gather(x, op.constant(1), axis=-1)


@helper
def own_rank(op, x, is_complex: bool) -> int:
    """The rank in the model, where complex numbers have no axis for their parts."""
    return op.rank(x) - int(is_complex)


@helper
def from_parts(op, real, imaginary):
    """A complex tensor of its two parts."""
    rank = op.rank(real)
    return op.Concat(op.Unsqueeze(real, [rank]), op.Unsqueeze(imaginary, [rank]), axis=rank)


@helper
def as_complex(op, x, is_complex: bool):
    """A real tensor with the imaginary part 0; a complex one as it is."""
    if is_complex:
        return x
    number = op.known(x)
    if isinstance(number, (int, float)):
        # The exporter takes two numbers that are joined for lengths, and large ones are none.
        return op.constant([float(number), 0.0], like=x)
    return from_parts(op, x, op.Expand(op.constant(0, like=x), op.Shape(x)))


@helper
def complex_product(op, a, b):
    """a · b"""
    a_real, a_imaginary = parts(op, a)
    b_real, b_imaginary = parts(op, b)
    crossed = a_real * b_imaginary + a_imaginary * b_real
    return from_parts(op, a_real * b_real - a_imaginary * b_imaginary, crossed)


@helper
def complex_quotient(op, a, b):
    """a / b, where neither overflows nor underflows in between; Smith's way, Commun. ACM 5 (1962)"""
    largest = op.ReduceMax(op.Abs(b), axes=[-1], keepdims=1)
    turned = b / largest * op.constant([1.0, -1.0], like=b)
    square = op.ReduceSum(turned * turned, [-1], keepdims=1)
    return complex_product(op, a / largest, turned) / square
