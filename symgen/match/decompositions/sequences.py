"""Tensors made of numbers alone, and tensors in another dtype."""

import math

from symgen.match.language import decomposition, helper, torch


@helper
def ends_of(op, start, end, dtype: torch.dtype):
    """Both ends of a sequence of that dtype, in float64 and the shape [1]; whole steps go between whole numbers."""
    if not dtype.is_floating_point:
        start, end = op.cast(start, "int64"), op.cast(end, "int64")
    return op.Reshape(op.cast(start, "float64"), [1]), op.Reshape(op.cast(end, "float64"), [1])


@decomposition("aten::logspace", values=["start", "end"])
def logspace(op, start, end, steps, base, dtype):
    """base to the power of numbers that go from start to end in equal steps"""
    result = dtype or torch.float32
    first, last = op.known(start), op.known(end)
    if first is not None and last is not None:
        return op.constant(torch.logspace(first, last, steps, base, dtype=result).tolist(), result)
    # A single step goes from the start as it is, also to whole numbers.
    low, high = ends_of(op, start, end, result if steps != 1 else torch.float64)
    share = op.constant([k / max(steps - 1, 1) for k in range(steps)], "float64")
    exponents = low + share * (high - low)
    return op.cast(op.Pow(op.constant([base], "float64"), exponents), result)


@decomposition("aten::linspace", values=["start", "end"])
def linspace(op, start, end, steps, dtype):
    """Numbers that go from start to end in equal steps"""
    result = dtype or torch.float32
    first, last = op.known(start), op.known(end)
    if first is not None and last is not None:
        return op.constant(torch.linspace(first, last, steps, dtype=result).tolist(), result)
    low, high = ends_of(op, start, end, result)
    step = (high - low) / max(steps - 1, 1)
    # Counted from the end that is nearer, as torch does.
    is_near_start = op.constant([k < steps // 2 or steps == 1 for k in range(steps)], "bool")
    from_start = low + op.constant(list(range(steps)), "float64") * step
    from_end = high - op.constant(list(range(steps - 1, -1, -1)), "float64") * step
    return op.cast(op.Where(is_near_start, from_start, from_end), result)


@decomposition("aten::_cast_Byte")
def _cast_byte(op, self):
    """The tensor as uint8."""
    return op.cast(self, "uint8")


@decomposition("aten::_cast_Char")
def _cast_char(op, self):
    """The tensor as int8."""
    return op.cast(self, "int8")


@decomposition("aten::_cast_Short")
def _cast_short(op, self):
    """The tensor as int16."""
    return op.cast(self, "int16")


@decomposition("aten::_cast_Int")
def _cast_int(op, self):
    """The tensor as int32."""
    return op.cast(self, "int32")


@decomposition("aten::_cast_Long")
def _cast_long(op, self):
    """The tensor as int64."""
    return op.cast(self, "int64")


@decomposition("aten::_cast_Half")
def _cast_half(op, self):
    """The tensor as float16."""
    return op.cast(self, "float16")


@decomposition("aten::_cast_Float")
def _cast_float(op, self):
    """The tensor as float32."""
    return op.cast(self, "float32")


@decomposition("aten::_cast_Double")
def _cast_double(op, self):
    """The tensor as float64."""
    return op.cast(self, "float64")


@decomposition("aten::blackman_window")
def blackman_window(op, window_length, *args):
    """0.42 − 0.5 · cos(2πk / n) + 0.08 · cos(4πk / n), which torch computes at export"""
    is_periodic = op.told(args[0], "periodic") if len(args) == 5 else True
    dtype = op.named_dtype(args[-4]) or torch.float32
    window = torch.blackman_window(op.told(window_length, "window_length"), periodic=is_periodic, dtype=dtype)
    return op.constant(window.tolist(), dtype)


@decomposition("aten::hann_window")
def hann_window(op, window_length, *args):
    """½ − ½ · cos(2πk / n), which torch computes at export"""
    is_periodic = op.told(args[0], "periodic") if len(args) == 5 else True
    dtype = op.named_dtype(args[-4]) or torch.float32
    window = torch.hann_window(op.told(window_length, "window_length"), periodic=is_periodic, dtype=dtype)
    return op.constant(window.tolist(), dtype)


@decomposition("aten::hamming_window")
def hamming_window(op, window_length, *args):
    """alpha − beta · cos(2πk / n), which torch computes at export"""
    is_periodic = op.told(args[0], "periodic") if len(args) > 4 else True
    alpha = op.told(args[1], "alpha") if len(args) > 5 else 0.54
    beta = op.told(args[2], "beta") if len(args) > 6 else 0.46
    dtype = op.named_dtype(args[-4]) or torch.float32
    length = op.told(window_length, "window_length")
    window = torch.hamming_window(length, periodic=is_periodic, alpha=alpha, beta=beta, dtype=dtype)
    return op.constant(window.tolist(), dtype)


@decomposition("aten::bartlett_window")
def bartlett_window(op, window_length, *args):
    """1 − |2k / n − 1|, which torch computes at export"""
    is_periodic = op.told(args[0], "periodic") if len(args) == 5 else True
    dtype = op.named_dtype(args[-4]) or torch.float32
    window = torch.bartlett_window(op.told(window_length, "window_length"), periodic=is_periodic, dtype=dtype)
    return op.constant(window.tolist(), dtype)


@decomposition("aten::kaiser_window")
def kaiser_window(op, window_length, *args):
    """I₀(beta · √(1 − (2k / n − 1)²)) / I₀(beta), which torch computes at export"""
    is_periodic = op.told(args[0], "periodic") if len(args) > 4 else True
    beta = op.told(args[1], "beta") if len(args) > 5 else 12.0
    dtype = op.named_dtype(args[-4]) or torch.float32
    window = torch.kaiser_window(op.told(window_length, "window_length"), periodic=is_periodic, beta=beta, dtype=dtype)
    return op.constant(window.tolist(), dtype)


@decomposition("aten::fft_fftfreq")
def fft_fftfreq(op, n, d, dtype):
    """0, 1 … and the negative ones behind them, over n · d, which torch computes at export"""
    return op.constant(torch.fft.fftfreq(n, d, dtype=dtype or torch.float32).tolist(), dtype or torch.float32)


@decomposition("aten::fft_rfftfreq")
def fft_rfftfreq(op, n, d, dtype):
    """0, 1 … n / 2 over n · d, which torch computes at export"""
    return op.constant(torch.fft.rfftfreq(n, d, dtype=dtype or torch.float32).tolist(), dtype or torch.float32)


@decomposition("aten::range")
def range(op, start, *args):
    """start, start + step … up to end, which belongs to it"""
    end = op.told(args[0], "range: end")
    has_step = len(args) == 6
    step = op.told(args[1], "range: step") if has_step else 1
    dtype = op.named_dtype(args[2] if has_step else args[1]) or torch.float32
    first = op.told(start, "range: start")
    if not dtype.is_floating_point:
        first, end, step = math.trunc(first), math.trunc(end), math.trunc(step)
    count = math.floor((end - first) / step) + 1
    return op.constant((first + torch.arange(count, dtype=torch.float64) * step).tolist(), dtype)
