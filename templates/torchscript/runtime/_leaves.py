def _leaves(value: Any) -> list[Any]:
    """The single values in lists and tuples, those of the graph too."""
    if _is_packed(value):
        value = list(value.node().inputs())
    return [leaf for item in value for leaf in _leaves(item)] if isinstance(value, (list, tuple)) else [value]
