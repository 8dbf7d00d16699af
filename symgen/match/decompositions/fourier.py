"""Fourier transforms, as products with matrices of cosines and sines.

The runtime's own DFT is exact to a few eps for powers of two only: of 400 numbers it loses three digits. Here angles
are reduced in whole numbers and taken in float64, so that a transform of n numbers is as accurate as a sum of n terms.
Complex tensors are real ones with a last axis of 2.
"""

import math

from symgen.match.decompositions.complex_parts import as_complex, from_parts, parts
from symgen.match.decompositions.matrices import counting
from symgen.match.decompositions.shape import permuted
from symgen.match.language import decomposition, helper

FORWARD = -1
BACKWARD = 1


@helper
def power_of_norm(op, norm: str | None, sign: int) -> float:
    """The power of 1 / n by which a transform is scaled: 0, 0.5 or 1."""
    if norm == "ortho":
        return 0.5
    return 1.0 if (norm == "forward") == (sign == FORWARD) else 0.0


@helper
def waves(op, length, rows, columns, power: float):
    """(cos, sin) of 2π · row · column / length, divided by a power of the length, in float64."""
    row_numbers = op.Unsqueeze(counting(op, rows), [1])
    products = op.Mod(row_numbers * counting(op, columns), length)
    period = op.cast(length, "float64")
    angles = op.cast(products, "float64") * (2 * math.pi) / period
    scale = op.Pow(period, op.constant(power, "float64"))
    return op.Cos(angles) / scale, op.Sin(angles) / scale


@helper
def with_length(op, x, axis: int, length: int | None):
    """The tensor cut off, or filled up with zeros, to a length along an axis."""
    if length is None or op.static_size(x, axis) == length:
        return x
    rank = op.rank(x)
    pads = [0] * (rank + axis) + [length] + [0] * (rank - axis - 1)
    return op.Slice(op.Pad(x, pads), [0], [length], [axis])


@helper
def times_along(op, x, matrix, axis: int):
    """Σ x[…, row, …] · matrix[row, column] along an axis."""
    rank = op.rank(x)
    rows = permuted(op, x, [*range(axis), *range(axis + 1, rank), axis])
    return permuted(op, rows @ matrix, [*range(axis), rank - 1, *range(axis, rank - 1)])


@helper
def transformed(op, x, axis: int, sign: int, power: float):
    """Σ x · exp(sign · 2πi · row · column / n) along an axis of a complex tensor."""
    length = op.size(x, axis)
    cosines, sines = waves(op, length, length, length, power)
    c, s = op.cast(cosines, like=x), op.cast(sines if sign == BACKWARD else -sines, like=x)
    real, imaginary = parts(op, x)
    of_real = times_along(op, real, c, axis) - times_along(op, imaginary, s, axis)
    of_imaginary = times_along(op, real, s, axis) + times_along(op, imaginary, c, axis)
    return from_parts(op, of_real, of_imaginary)


@helper
def transformed_real(op, x, axis: int, sign: int, power: float, is_onesided: bool):
    """The same of a real tensor; of its symmetric result only the first half, where one side is wanted."""
    length = op.size(x, axis)
    count = op.Div(length, 2) + 1 if is_onesided else length
    cosines, sines = waves(op, length, length, count, power)
    c, s = op.cast(cosines, like=x), op.cast(sines if sign == BACKWARD else -sines, like=x)
    return from_parts(op, times_along(op, x, c, axis), times_along(op, x, s, axis))


@helper
def half_waves(op, length, sign: int, power: float):
    """What the parts of each of the first n / 2 + 1 numbers of a symmetric spectrum add to n real ones, in float64."""
    half = op.Div(length, 2) + 1
    cosines, sines = waves(op, length, half, length, power)
    # All numbers but the first, and the last of an even length, stand for themselves and their mirror image.
    numbers = counting(op, half)
    is_alone = op.Equal(op.Mod(numbers + numbers, length), 0)
    one, two = op.constant(1.0, "float64"), op.constant(2.0, "float64")
    count = op.Unsqueeze(op.Where(is_alone, one, two), [1])
    return cosines * count, (-sines if sign == BACKWARD else sines) * count


@helper
def transformed_to_real(op, x, axis: int, sign: int, power: float, length: int | None):
    """The real transform of a symmetric spectrum, of which x holds the first half along an axis."""
    size = 2 * (op.size(x, axis) - 1) if length is None else op.constant([length])
    spectrum = x if length is None else with_length(op, x, axis, length // 2 + 1)
    return half_to_real(op, spectrum, size, axis, sign, power)


@helper
def half_to_real(op, x, size, axis: int, sign: int, power: float):
    """The same to a length that may be known to the model alone, of exactly the first half."""
    of_real, of_imaginary = half_waves(op, size, sign, power)
    real, imaginary = parts(op, x)
    added = times_along(op, real, op.cast(of_real, like=x), axis)
    return added + times_along(op, imaginary, op.cast(of_imaginary, like=x), axis)


@helper
def full_transform(op, x, is_complex: bool, n: int | None, dim: int, norm: str | None, sign: int):
    """The transform of a real or complex tensor along one axis."""
    axis = dim % (op.rank(x) - int(is_complex))
    resized = with_length(op, x, axis, n)
    power = power_of_norm(op, norm, sign)
    if is_complex:
        return transformed(op, resized, axis, sign, power)
    return transformed_real(op, resized, axis, sign, power, False)


@helper
def half_transform(op, x, n: int | None, dim: int, norm: str | None, sign: int):
    """The first half of the symmetric transform of a real tensor along one axis."""
    axis = dim % op.rank(x)
    return transformed_real(op, with_length(op, x, axis, n), axis, sign, power_of_norm(op, norm, sign), True)


@decomposition("aten::fft_fft", promote=("self",), kind="INT_TO_FLOAT")
def fft_fft(op, self, n, dim, norm):
    """Σ xⱼ · exp(−2πi · j · k / n)"""
    return op.carried(full_transform(op, self, op.is_complex(self), n, dim, norm, FORWARD))


@decomposition("aten::fft_ifft", promote=("self",), kind="INT_TO_FLOAT")
def fft_ifft(op, self, n, dim, norm):
    """Σ xⱼ · exp(2πi · j · k / n) / n"""
    return op.carried(full_transform(op, self, op.is_complex(self), n, dim, norm, BACKWARD))


@decomposition("aten::fft_rfft", promote=("self",), kind="INT_TO_FLOAT")
def fft_rfft(op, self, n, dim, norm):
    """The first half of the symmetric transform of a real tensor"""
    return op.carried(half_transform(op, self, n, dim, norm, FORWARD))


@decomposition("aten::fft_ihfft", promote=("self",), kind="INT_TO_FLOAT")
def fft_ihfft(op, self, n, dim, norm):
    """The first half of the symmetric inverse transform of a real tensor"""
    return op.carried(half_transform(op, self, n, dim, norm, BACKWARD))


@decomposition("aten::fft_irfft", promote=("self",), kind="INT_TO_FLOAT")
def fft_irfft(op, self, n, dim, norm):
    """The real inverse transform of a symmetric spectrum, of which the first half is given"""
    spectrum = as_complex(op, self, op.is_complex(self))
    axis = dim % (op.rank(spectrum) - 1)
    return transformed_to_real(op, spectrum, axis, BACKWARD, power_of_norm(op, norm, BACKWARD), n)


@decomposition("aten::fft_hfft", promote=("self",), kind="INT_TO_FLOAT")
def fft_hfft(op, self, n, dim, norm):
    """The real transform of a symmetric signal, of which the first half is given"""
    signal = as_complex(op, self, op.is_complex(self))
    axis = dim % (op.rank(signal) - 1)
    return transformed_to_real(op, signal, axis, FORWARD, power_of_norm(op, norm, FORWARD), n)
