def logit(op, self, eps):
    """As torch's own decomposition has it."""
    is_less = self < (-1.0 if eps is None else eps)
    if eps is None:
        is_greater = self > 2.0
        choice = op.Where(is_greater, op.constant(2.0, like=self), self)
        second_choice = op.Where(is_less, op.constant(-1.0, like=self), choice)
        difference = 1 - second_choice
        quotient = second_choice / difference
        return op.Log(quotient)
    is_greater = self > (1 - eps)
    choice = op.Where(is_greater, op.constant(1 - eps, like=self), self)
    second_choice = op.Where(is_less, op.constant(eps, like=self), choice)
    difference = 1 - second_choice
    quotient = second_choice / difference
    return op.Log(quotient)
