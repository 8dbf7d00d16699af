def _first_value(args: Sequence[Any]) -> _C.Value:
    """The first graph value among the arguments, for an error to point to."""
    return next(arg for arg in args if isinstance(arg, _C.Value))
