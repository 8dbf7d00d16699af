def _told_attributes(arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments that a local function was made for, as attributes for the reader of the model, by name and letter."""
    attributes = {}
    for name, value in arguments.items():
        known = _known(value)
        items = known if isinstance(known, list) else [known]
        for letter, kind in (("i", int), ("f", (int, float)), ("s", str)):
            if items and all(isinstance(item, kind) for item in items):
                attributes[f"{name}_{letter}"] = known
                break
    return attributes
