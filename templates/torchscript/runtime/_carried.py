def _carried(g: jit_utils.GraphContext, value: _C.Value) -> _C.Value:
    """A complex result as a real tensor with a last axis of 2; raises where what takes it does not know of that."""
    result = g.original_node.output()
    if not _has_complex_type(result):
        raise errors.SymbolicValueError("complex numbers need a traced model, in which their dtype is known", value)
    pending = [use.user for use in result.uses()]
    while pending:
        user = pending.pop()
        if user.kind() in ("prim::ListConstruct", "prim::TupleConstruct"):
            pending += [use.user for use in user.output().uses()]
        elif user.kind() != "prim::Return" and not _asks_for_length(user) and not _carries_complex(g, user.kind()):
            raise errors.SymbolicValueError(f"{user.kind()} has no translation for complex numbers", value)
    return value
