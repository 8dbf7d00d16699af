def count_nonzero(op, self, dim):
    """As torch's own decomposition has it."""
    is_other = op.Not(op.Equal(self, 0))
    return sum_over(op, op.cast(is_other, "int64"), axes_of(op, is_other, [dim] if isinstance(dim, int) else dim), False)
