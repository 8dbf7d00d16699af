def _apart(results: Any, arguments: Iterable[Any]) -> Any:
    """The results, none of which is an argument or another result: the exporter gives each a name and a shape."""
    taken = [one for given in arguments for one in (given if isinstance(given, (list, tuple)) else [given])]
    is_nothing = any(0 in (value.shape or ()) for value in taken if isinstance(value, ir.Value))

    def own(value: ir.Value) -> ir.Value:
        if any(value is other for other in taken):
            value = op.Identity(value)
        elif is_nothing:
            value = _not_reshaped(value)
        taken.append(value)
        return _of_own_rank(value)

    if isinstance(results, (list, tuple)):
        return type(results)(map(own, results))
    return own(results)
