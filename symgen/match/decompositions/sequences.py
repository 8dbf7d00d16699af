"""Tensors made of numbers alone."""

from symgen.match.language import decomposition, torch


@decomposition("aten::logspace", values=["start", "end"])
def logspace(op, start, end, steps, base, dtype):
    """base to the power of numbers that go from start to end in equal steps"""
    result = dtype or torch.float32
    first, last = op.known(start), op.known(end)
    if first is not None and last is not None:
        return op.constant(torch.logspace(first, last, steps, base, dtype=result).tolist(), result)
    low = op.Reshape(op.cast(start, "float64"), [1])
    high = op.Reshape(op.cast(end, "float64"), [1])
    share = op.constant([k / max(steps - 1, 1) for k in range(steps)], "float64")
    exponents = low + share * (high - low)
    return op.cast(op.Pow(op.constant([base], "float64"), exponents), result)
