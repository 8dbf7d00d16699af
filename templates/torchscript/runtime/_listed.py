def _listed(outputs: _C.Value | tuple[_C.Value, ...]) -> list[_C.Value]:
    """The outputs of a node as a list, also where it has one."""
    return list(outputs) if isinstance(outputs, tuple) else [outputs]
