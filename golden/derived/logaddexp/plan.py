def logaddexp(op, self, other):
    """As torch's own decomposition has it."""
    is_at_least = self >= other
    choice = op.Where(is_at_least, self, other)
    second_choice = op.Where(is_at_least, other, self)
    size = op.Abs(self)
    is_other = op.Not(op.Equal(size, math.inf))
    is_equal = op.Equal(self, self)
    product = is_equal & is_other
    is_not = op.Not(product)
    second_is_equal = op.Equal(self, other)
    both = is_not & second_is_equal
    difference = second_choice - choice
    exponential = op.Exp(difference)
    log1p_result = log1p(op, exponential)
    total = choice + log1p_result
    return op.Where(both, self, total)
