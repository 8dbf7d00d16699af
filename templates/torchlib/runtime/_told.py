def _told(value: Any, name: str) -> Any:
    """The number, list of numbers or text in a constant, None where the argument is absent."""
    known = _known(value)
    if known is None and value is not None:
        raise NotImplementedError(f"{name} has to be known at export")
    return known
