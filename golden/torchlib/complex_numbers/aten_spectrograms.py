"""ONNX translations of PyTorch's operators for its dynamo exporter: spectrograms."""

from __future__ import annotations

import collections
import math
from typing import Any

import torch
from onnxscript import ir
from onnxscript.function_libs.torch_lib.registration import Registry, torch_op
from onnxscript.function_libs.torch_lib.tensor_typing import TTensor
from onnxscript.onnx_opset import opset18 as op

from .tracing import (
    _carried,
    _carrying_complex,
    _cast,
    _cast_like,
    _common_dtype,
    _constant,
    _is_complex,
    _known,
    _rank,
    _scalar,
    _size,
    _told,
    _traced,
)

__all__ = ["aten_stft", "aten_stft_center"]

REGISTRIES: dict[int, Registry] = collections.defaultdict(Registry)
"""The translations, by the opset from which on they are valid."""


# symgen: _permuted 93dff239b45db727
def _permuted(x: ir.Value, order: list[int]) -> ir.Value:
    """The axes in that order; no node where they are in it already."""
    return x if order == list(range(len(order))) else op.Transpose(x, perm=order)


# symgen: _times_along 29690ac74f98cf53
def _times_along(x: ir.Value, matrix: ir.Value, axis: int) -> ir.Value:
    """Σ x[…, row, …] · matrix[row, column] along an axis."""
    rank = _rank(x)
    rows = _permuted(x, [*range(axis), *range(axis + 1, rank), axis])
    return _permuted(op.MatMul(rows, matrix), [*range(axis), rank - 1, *range(axis, rank - 1)])


# symgen: _counting a4d196170bdaad03
def _counting(count: ir.Value) -> ir.Value:
    """0, 1 … count − 1 as int64; `count` has the shape [1]."""
    return op.Range(0, op.Squeeze(count, [0]), 1)


# symgen: _waves e9233b2104fee136
def _waves(
    length: ir.Value, rows: ir.Value, columns: ir.Value, power: float
) -> tuple[ir.Value, ...]:
    """(cos, sin) of 2π · row · column / length, divided by a power of the length, in float64."""
    row_numbers = op.Unsqueeze(_counting(rows), [1])
    products = op.Mod(op.Mul(row_numbers, _counting(columns)), length)
    period = _cast(length, torch.float64)
    angles = op.Div(op.Mul(_cast(products, torch.float64), 2 * math.pi), period)
    scale = op.Pow(period, _constant(power, torch.float64))
    return (op.Div(op.Cos(angles), scale), op.Div(op.Sin(angles), scale))


# symgen: _from_parts b18dd0a6cbd6698c
def _from_parts(real: ir.Value, imaginary: ir.Value) -> ir.Value:
    """A complex tensor of its two parts."""
    rank = _rank(real)
    return op.Concat(op.Unsqueeze(real, [rank]), op.Unsqueeze(imaginary, [rank]), axis=rank)


# symgen: _transformed_real f7e8abdb610697d4
def _transformed_real(
    x: ir.Value, axis: int, sign: int, power: float, is_onesided: bool
) -> ir.Value:
    """The same of a real tensor; of its symmetric result only the first half, where one side is wanted."""
    length = _size(x, axis)
    count = op.Add(op.Div(length, 2), 1) if is_onesided else length
    cosines, sines = _waves(length, length, count, power)
    c, s = _cast_like(cosines, x), _cast_like(sines if sign == 1 else op.Neg(sines), x)
    return _from_parts(_times_along(x, c, axis), _times_along(x, s, axis))


# symgen: _framed 97c4fbc010bc3db1
def _framed(x: ir.Value, n_fft: int, hop: int) -> ir.Value:
    """Windows along the last axis, a hop apart, as rows."""
    frames = op.Add(op.Div(op.Sub(_size(x, -1), n_fft), hop), 1)
    starts = op.Mul(op.Unsqueeze(_counting(frames), [1]), hop)
    return op.Gather(x, op.Add(starts, _constant(list(range(n_fft)), torch.int64)), axis=-1)


# symgen: _norm_of_frames 0ca593648026464a
def _norm_of_frames(normalized: bool) -> str:
    """The name that the transforms have for the norm."""
    return "ortho" if normalized else "backward"


# symgen: _padded_at_ends 7ccdd643fb48c3cb
def _padded_at_ends(x: ir.Value, front: int, back: int, mode: str) -> ir.Value:
    """The signal with more values at both ends; a constant is 0."""
    rank = _rank(x)
    kept = [0] * (rank - 1)
    return op.Pad(x, [*kept, front, *kept, back], mode={"replicate": "edge"}.get(mode, mode))


# symgen: _power_of_norm 49ba83e8f4672928
def _power_of_norm(norm: str | None, sign: int) -> float:
    """The power of 1 / n by which a transform is scaled: 0, 0.5 or 1."""
    if norm == "ortho":
        return 0.5
    return 1.0 if (norm == "forward") == (sign == -1) else 0.0


# symgen: _window_of 1acce7768e5be9ea
def _window_of(window: ir.Value, length: int, n_fft: int, like: ir.Value) -> ir.Value:
    """The window with zeros on both sides, up to the length of a frame; ones where there is none."""
    whole = _scalar([1.0] * length, like) if window is None else _cast_like(window, like)
    if length == n_fft:
        return whole
    front = (n_fft - length) // 2
    return op.Pad(whole, [front, n_fft - length - front])


# symgen: _aten_stft 7da12d90d31f6ba9
def _aten_stft(self: TTensor, *args: Any) -> Any:
    """The transform of each windowed frame, in the shape (…, frequencies, frames)"""
    known = [_known(value) for value in args]
    n_fft, hop = _told(args[0], "stft: n_fft"), _told(args[1], "stft: hop_length") or known[0] // 4
    length = _told(args[2], "stft: win_length") or n_fft
    if _is_complex(self):
        raise NotImplementedError("stft: a complex signal has no translation")
    signal = self if args[3] is None else _cast(self, _common_dtype([self, args[3]], "DEFAULT"))
    if len(args) == 10 and known[4]:
        signal = _padded_at_ends(signal, n_fft // 2, n_fft // 2, known[5])
    if known[-1]:
        front = (n_fft - length) // 2
        signal = _padded_at_ends(signal, front, n_fft - length - front, "constant")
    windowed = op.Mul(_framed(signal, n_fft, hop), _window_of(args[3], length, n_fft, signal))
    rank = _rank(self)
    normalized, onesided, return_complex = known[-4:-1]
    power = _power_of_norm(_norm_of_frames(bool(normalized)), -1)
    spectrum = _transformed_real(windowed, rank, -1, power, onesided is None or bool(onesided))
    turned = op.Transpose(spectrum, perm=[*range(rank - 1), rank, rank - 1, rank + 1])
    return _carried(turned) if return_complex else turned


# symgen: aten_stft 1f53b069d570cef7
@torch_op("aten::stft", registry=REGISTRIES[18], trace_only=True)
@_carrying_complex
@_traced
def aten_stft(
    self: TTensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: TTensor | None = None,
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> TTensor:
    """stft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor"""
    return _aten_stft(
        self,
        n_fft,
        hop_length,
        win_length,
        window,
        normalized,
        onesided,
        return_complex,
        align_to_window,
    )


# symgen: aten_stft_center 1a323d50a59f734c
@torch_op("aten::stft.center", registry=REGISTRIES[18], trace_only=True)
@_carrying_complex
@_traced
def aten_stft_center(
    self: TTensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: TTensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> TTensor:
    """stft.center(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, str pad_mode="reflect", bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor"""
    return _aten_stft(
        self,
        n_fft,
        hop_length,
        win_length,
        window,
        center,
        pad_mode,
        normalized,
        onesided,
        return_complex,
        align_to_window,
    )
