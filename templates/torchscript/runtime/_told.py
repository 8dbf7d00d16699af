def _told(value: Any, name: str) -> Any:
    """The number, list of numbers, or text in a constant value, None where the argument is absent."""
    known = _known(value)
    if known is None and not symbolic_helper._is_none(value):
        raise errors.SymbolicValueError(f"{name} has to be known at export", value)
    return known
