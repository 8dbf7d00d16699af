def _apart(results: Any, arguments: Iterable[Any]) -> Any:
    """The results, none of which is an argument or another result: the exporter gives each a name of its own."""
    taken = [one for given in arguments for one in (given if isinstance(given, (list, tuple)) else [given])]

    def own(value: ir.Value) -> ir.Value:
        value = op.Identity(value) if any(value is other for other in taken) else value
        taken.append(value)
        return value

    if isinstance(results, (list, tuple)):
        return type(results)(map(own, results))
    return own(results)
