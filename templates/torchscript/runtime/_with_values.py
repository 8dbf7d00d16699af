def _with_values(g: jit_utils.GraphContext, value: Any, others: dict[_C.Value, _C.Value]) -> Any:
    """The same with other values in it, also in lists and tuples of the graph."""
    if isinstance(value, (list, tuple)):
        return type(value)(_with_values(g, item, others) for item in value)
    if _is_packed(value):
        return g.op(value.node().kind(), *(_with_values(g, item, others) for item in value.node().inputs()))
    return others.get(value, value) if isinstance(value, _C.Value) else value
