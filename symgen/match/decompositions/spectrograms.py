"""Short-time Fourier transforms, and back."""

from symgen.match.decompositions.fourier import half_waves, power_of_norm, transformed_real
from symgen.match.decompositions.matrices import counting
from symgen.match.language import decomposition, helper

FORWARD = -1
BACKWARD = 1


@helper
def window_of(op, window, length: int, n_fft: int, like):
    """The window with zeros on both sides, up to the length of a frame; ones where there is none."""
    whole = op.constant([1.0] * length, like=like) if window is None else op.cast(window, like=like)
    if length == n_fft:
        return whole
    front = (n_fft - length) // 2
    return op.Pad(whole, [front, n_fft - length - front])


@helper
def norm_of_frames(op, normalized: bool) -> str:
    """The name that the transforms have for the norm."""
    return "ortho" if normalized else "backward"


@helper
def framed(op, x, n_fft: int, hop: int):
    """Windows along the last axis, a hop apart, as rows."""
    frames = op.Div(op.size(x, -1) - n_fft, hop) + 1
    starts = op.Unsqueeze(counting(op, frames), [1]) * hop
    return op.Gather(x, starts + op.constant(list(range(n_fft))), axis=-1)


@helper
def padded_at_ends(op, x, front: int, back: int, mode: str):
    """The signal with more values at both ends; a constant is 0."""
    rank = op.rank(x)
    kept = [0] * (rank - 1)
    return op.Pad(x, [*kept, front, *kept, back], mode={"replicate": "edge"}.get(mode, mode))


@decomposition("aten::stft", limits=["a complex signal raises"])
def stft(op, self, *args):
    """The transform of each windowed frame, in the shape (…, frequencies, frames)"""
    known = [op.known(value) for value in args]
    n_fft, hop = op.told(args[0], "stft: n_fft"), op.told(args[1], "stft: hop_length") or known[0] // 4
    length = op.told(args[2], "stft: win_length") or n_fft
    if op.is_complex(self):
        op.fail("stft: a complex signal has no translation")
    signal = self if args[3] is None else op.cast(self, op.common_dtype(self, args[3]))
    if len(args) == 10 and known[4]:
        signal = padded_at_ends(op, signal, n_fft // 2, n_fft // 2, known[5])
    if known[-1]:
        front = (n_fft - length) // 2
        signal = padded_at_ends(op, signal, front, n_fft - length - front, "constant")
    windowed = framed(op, signal, n_fft, hop) * window_of(op, args[3], length, n_fft, signal)
    rank = op.rank(self)
    normalized, onesided, return_complex = known[-4:-1]
    power = power_of_norm(op, norm_of_frames(op, bool(normalized)), FORWARD)
    spectrum = transformed_real(op, windowed, rank, FORWARD, power, onesided is None or bool(onesided))
    turned = op.Transpose(spectrum, perm=[*range(rank - 1), rank, rank - 1, rank + 1])
    return op.carried(turned) if return_complex else turned


@helper
def synthesis_weights(op, n_fft: int, normalized: bool, window):
    """What each part of a frequency adds to a windowed frame, as the weights of a convolution: [parts, 1, n_fft]."""
    power = power_of_norm(op, norm_of_frames(op, normalized), BACKWARD)
    of_real, of_imaginary = half_waves(op, op.constant([n_fft]), BACKWARD, power)
    weights = op.Concat(op.Unsqueeze(of_real, [1]), op.Unsqueeze(of_imaginary, [1]), axis=1)
    return op.cast(op.Reshape(weights, [-1, 1, n_fft]), like=window) * window


@helper
def envelope_of(op, frames, window, hop: int):
    """The sum of the squared windows of all frames."""
    ones = op.Expand(op.constant([[[1.0]]], like=window), op.Concat([1, 1], frames, axis=0))
    return op.ConvTranspose(ones, op.Unsqueeze(window * window, [0, 1]), strides=[hop])


@decomposition("aten::istft", only={"return_complex": False}, ignore={"onesided": "the first half says it all"})
def istft(op, self, n_fft, hop_length, win_length, window, center, normalized, length):
    """The frames transformed back, windowed, added where they overlap, divided by the sum of the squared windows"""
    if not op.is_complex(self):
        op.fail("istft: takes a complex tensor")
    hop = hop_length or n_fft // 4
    whole_window = window_of(op, window, win_length or n_fft, n_fft, self)
    batch = self if op.rank(self) == 4 else op.Unsqueeze(self, [0])
    # The parts of the frequencies are the channels of a convolution that transforms, windows and adds at once.
    half = op.Slice(batch, [0], [n_fft // 2 + 1], [1])
    channels = op.Reshape(op.Transpose(half, perm=[0, 1, 3, 2]), [0, 2 * (n_fft // 2 + 1), -1])
    added = op.ConvTranspose(channels, synthesis_weights(op, n_fft, normalized, whole_window), strides=[hop])
    signal = added / envelope_of(op, op.size(batch, 2), whole_window, hop)
    start = n_fft // 2 if center else 0
    if length is not None:
        signal = op.Slice(op.Pad(signal, [0, 0, 0, 0, 0, length]), [start], [start + length], [2])
    elif center:
        signal = op.Slice(signal, [start], [-start], [2])
    return op.Squeeze(signal, [1] if op.rank(self) == 4 else [0, 1])
