def _int_list(value: Any) -> list[int] | None:
    """An `int` or `int[]` argument as a list, None where it is absent."""
    return list(value) if isinstance(value, (list, tuple)) else value if value is None else [value]
