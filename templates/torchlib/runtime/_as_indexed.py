def _as_indexed(indices: Sequence[ir.Value], place: int) -> ir.Value:
    """One of the indices of an assignment: this exporter makes no views of them."""
    return indices[place]
