"""Fourier transforms along several axes: one after the other."""

from symgen.match.decompositions.complex_parts import as_complex, own_rank
from symgen.match.decompositions.fourier import (
    half_to_real,
    half_transform,
    power_of_norm,
    transformed,
    transformed_real,
    transformed_to_real,
    with_length,
)
from symgen.match.language import decomposition, helper

FORWARD = -1
BACKWARD = 1
LAST = 9223372036854775807


@helper
def transformed_axes(op, rank: int, lengths: list[int] | None, dims: list[int] | None) -> list[int]:
    """The axes that are named, else as many of the last ones as there are lengths, else all."""
    if dims is not None:
        return [dim % rank for dim in dims]
    return list(range(0 if lengths is None else rank - len(lengths), rank))


@helper
def length_wanted(op, lengths: list[int] | None, place: int) -> int | None:
    """The length wanted at a place, None where the tensor's own stays."""
    return None if lengths is None or lengths[place] == -1 else lengths[place]


@helper
def transformed_along(op, x, axes: list[int], lengths: list[int] | None, norm: str | None, sign: int):
    """The transform of a complex tensor along one axis after the other."""
    result = x
    for place, axis in enumerate(axes):
        resized = with_length(op, result, axis, length_wanted(op, lengths, place))
        result = transformed(op, resized, axis, sign, power_of_norm(op, norm, sign))
    return result


@helper
def full_transform_along(
    op, x, is_complex: bool, s: list[int] | None, dim: list[int] | None, norm: str | None, sign: int
):
    """The transform of a real or complex tensor along several axes."""
    axes = transformed_axes(op, op.rank(x) - int(is_complex), s, dim)
    return transformed_along(op, as_complex(op, x, is_complex), axes, s, norm, sign)


@helper
def half_transform_along(op, x, s: list[int] | None, dim: list[int] | None, norm: str | None, sign: int):
    """The transform of a real tensor: the first half along the last of the axes, then all along the others."""
    axes = transformed_axes(op, op.rank(x), s, dim)
    half = half_transform(op, x, length_wanted(op, s, len(axes) - 1), axes[-1], norm, sign)
    return transformed_along(op, half, axes[:-1], s, norm, sign)


@helper
def real_transform_along(
    op, x, is_complex: bool, s: list[int] | None, dim: list[int] | None, norm: str | None, sign: int
):
    """The real transform of a symmetric spectrum, of which x holds the first half along the last of the axes."""
    axes = transformed_axes(op, op.rank(x) - int(is_complex), s, dim)
    spectrum = transformed_along(op, as_complex(op, x, is_complex), axes[:-1], s, norm, sign)
    power = power_of_norm(op, norm, sign)
    return transformed_to_real(op, spectrum, axes[-1], sign, power, length_wanted(op, s, len(axes) - 1))


@decomposition("aten::fft_fft2", "aten::fft_fftn", promote=("self",), kind="INT_TO_FLOAT")
def fft_fftn(op, self, s, dim, norm):
    """The transform along several axes"""
    return op.carried(full_transform_along(op, self, op.is_complex(self), s, dim, norm, FORWARD))


@decomposition("aten::fft_ifft2", "aten::fft_ifftn", promote=("self",), kind="INT_TO_FLOAT")
def fft_ifftn(op, self, s, dim, norm):
    """The inverse transform along several axes"""
    return op.carried(full_transform_along(op, self, op.is_complex(self), s, dim, norm, BACKWARD))


@decomposition("aten::fft_rfft2", "aten::fft_rfftn", promote=("self",), kind="INT_TO_FLOAT")
def fft_rfftn(op, self, s, dim, norm):
    """The transform of a real tensor along several axes, of the last one the first half"""
    return op.carried(half_transform_along(op, self, s, dim, norm, FORWARD))


@decomposition("aten::fft_ihfft2", "aten::fft_ihfftn", promote=("self",), kind="INT_TO_FLOAT")
def fft_ihfftn(op, self, s, dim, norm):
    """The inverse transform of a real tensor along several axes, of the last one the first half"""
    return op.carried(half_transform_along(op, self, s, dim, norm, BACKWARD))


@decomposition("aten::fft_irfft2", "aten::fft_irfftn", promote=("self",), kind="INT_TO_FLOAT")
def fft_irfftn(op, self, s, dim, norm):
    """The real inverse transform along several axes of a symmetric spectrum, of which the first half is given"""
    return real_transform_along(op, self, op.is_complex(self), s, dim, norm, BACKWARD)


@decomposition("aten::fft_hfft2", "aten::fft_hfftn", promote=("self",), kind="INT_TO_FLOAT")
def fft_hfftn(op, self, s, dim, norm):
    """The real transform along several axes of a symmetric signal, of which the first half is given"""
    return real_transform_along(op, self, op.is_complex(self), s, dim, norm, FORWARD)


@helper
def norm_numbered(op, normalization: int, sign: int) -> str:
    """The name of a norm by its number: by nothing, by √n, by n."""
    if normalization == 1:
        return "ortho"
    return "forward" if (normalization == 2) == (sign == FORWARD) else "backward"


@decomposition("aten::_fft_c2c", promote=())
def _fft_c2c(op, self, dim, normalization, forward):
    """The transform along several axes, or the inverse one"""
    if not op.is_complex(self):
        op.fail("_fft_c2c: takes a complex tensor")
    sign = FORWARD if forward else BACKWARD
    axes = [axis % (op.rank(self) - 1) for axis in dim]
    return op.carried(transformed_along(op, self, axes, None, norm_numbered(op, normalization, sign), sign))


@decomposition("aten::_fft_r2c", promote=())
def _fft_r2c(op, self, dim, normalization, onesided):
    """The transform of a real tensor along several axes, of the last one the first half or all"""
    norm = norm_numbered(op, normalization, FORWARD)
    axes = [axis % op.rank(self) for axis in dim]
    last = transformed_real(op, self, axes[-1], FORWARD, power_of_norm(op, norm, FORWARD), onesided)
    return op.carried(transformed_along(op, last, axes[:-1], None, norm, FORWARD))


@decomposition("aten::_fft_c2r", promote=(), values=["last_dim_size"])
def _fft_c2r(op, self, dim, normalization, last_dim_size):
    """The real inverse transform along several axes of a symmetric spectrum, of which the first half is given"""
    if not op.is_complex(self):
        op.fail("_fft_c2r: takes a complex tensor")
    norm = norm_numbered(op, normalization, BACKWARD)
    axes = [axis % (op.rank(self) - 1) for axis in dim]
    size = op.ints(last_dim_size)
    half = op.Slice(self, [0], op.Div(size, 2) + 1, [axes[-1]])
    spectrum = transformed_along(op, half, axes[:-1], None, norm, BACKWARD)
    return half_to_real(op, spectrum, size, axes[-1], BACKWARD, power_of_norm(op, norm, BACKWARD))


@helper
def halves_exchanged(op, x, axes: list[int], is_back: bool):
    """The halves along some axes exchanged; of an odd length the first is the longer one, or where it goes back not."""
    result = x
    for axis in axes:
        cut = op.Div(op.size(x, axis) + (0 if is_back else 1), 2)
        first, second = op.Slice(result, [0], cut, [axis]), op.Slice(result, cut, [LAST], [axis])
        result = op.Concat(second, first, axis=axis)
    return result if axes else op.Identity(x)


@decomposition("aten::fft_fftshift")
def fft_fftshift(op, self, dim):
    """The element of frequency 0 moved from the start of some axes to their middle"""
    shifted = halves_exchanged(
        op, self, transformed_axes(op, own_rank(op, self, op.is_complex(self)), None, dim), False
    )
    return op.carried(shifted) if op.is_complex(self) else shifted


@decomposition("aten::fft_ifftshift")
def fft_ifftshift(op, self, dim):
    """The element of frequency 0 moved back from the middle of some axes to their start"""
    shifted = halves_exchanged(op, self, transformed_axes(op, own_rank(op, self, op.is_complex(self)), None, dim), True)
    return op.carried(shifted) if op.is_complex(self) else shifted
