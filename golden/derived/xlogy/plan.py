def xlogy(op, self, other):
    """As torch's own decomposition has it."""
    is_equal = op.Equal(self, 0)
    logarithm = op.Log(other)
    product = self * logarithm
    choice = op.Where(is_equal, op.constant(0, like=self), product)
    is_nan = op.Not(op.Equal(other, other))
    return op.Where(is_nan, op.constant(math.nan, like=self), choice)
