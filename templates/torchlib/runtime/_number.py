def _number(value: Any) -> Any:
    """The Python number in a constant value, None where it is not a constant number."""
    known = _known(value)
    while isinstance(known, list) and len(known) == 1:
        (known,) = known
    return None if isinstance(known, list) else known
