def _holds_value(argument: Any) -> bool:
    """Whether an argument is a value of the graph, or a list with one."""
    return any(isinstance(one, ir.Value) for one in (argument if isinstance(argument, (list, tuple)) else [argument]))
