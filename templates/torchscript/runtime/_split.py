def _split(g: jit_utils.GraphContext, value: _C.Value, sizes: Sequence[int], axis: int) -> list[_C.Value]:
    """The parts of those sizes along an axis."""
    if len(sizes) < 2:
        return [g.op("Identity", value) for _ in sizes]
    if g.opset < 13:
        return list(g.op("Split", value, split_i=list(sizes), axis_i=axis, outputs=len(sizes)))
    split = g.op("Constant", value_t=torch.tensor(list(sizes), dtype=torch.int64))
    return list(g.op("Split", value, split, axis_i=axis, outputs=len(sizes)))
