def _listed(outputs: Any) -> list[ir.Value]:
    """The outputs of a node as a list, also where it has one."""
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
