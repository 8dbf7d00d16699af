def _ints(g: jit_utils.GraphContext, values: Any) -> _C.Value:
    """Integers, of which some may be graph values, as one int64 tensor of shape [n]."""
    if isinstance(values, _C.Value) and symbolic_helper._is_packed_list(values):
        values = symbolic_helper._unpack_list(values)
    if isinstance(values, _C.Value):
        shape = g.op("Constant", value_t=torch.tensor([-1]))
        return _cast(g, g.op("Reshape", values, shape), torch.int64)
    if isinstance(values, int):
        values = [values]
    if all(isinstance(value, int) for value in values):
        return g.op("Constant", value_t=torch.tensor(list(values), dtype=torch.int64))
    return g.op("Concat", *[_ints(g, value) for value in values], axis_i=0)
