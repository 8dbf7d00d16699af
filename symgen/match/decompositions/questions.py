"""What is asked of a tensor and known at export."""

from symgen.match.language import decomposition


@decomposition("aten::is_signed")
def is_signed(op, self):
    """Whether the dtype has negative numbers."""
    return op.constant(op.dtype(self).is_signed, "bool")


@decomposition("aten::is_complex")
def is_complex(op, self):
    """Whether the dtype is one of complex numbers."""
    return op.constant(op.dtype(self).is_complex, "bool")


@decomposition("aten::is_floating_point")
def is_floating_point(op, self):
    """Whether the dtype is one of floating-point numbers."""
    return op.constant(op.dtype(self).is_floating_point, "bool")


@decomposition("aten::is_same_size")
def is_same_size(op, self, other):
    """Whether two tensors have the same shape."""
    if op.rank(self) != op.rank(other):
        return op.constant(False, "bool")
    differs = op.Not(op.Equal(op.Shape(self), op.Shape(other)))
    return op.Equal(op.ReduceSum(op.cast(differs, "int32"), keepdims=0), 0)
