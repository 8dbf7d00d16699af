def _index_kinds(indices: Sequence[ir.Value | None]) -> list[str]:
    """What each index of an assignment is: this exporter keeps the model's own list, of tensors."""
    return ["all" if index is None else "tensor" for index in indices]
