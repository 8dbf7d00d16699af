def _rank(value: _C.Value) -> int:
    """The rank of a tensor; raises where the exporter does not know it."""
    rank = symbolic_helper._get_tensor_rank(value)
    if rank is None:
        raise errors.SymbolicValueError(f"the rank of {value.debugName()} is not known at export", value)
    return rank
