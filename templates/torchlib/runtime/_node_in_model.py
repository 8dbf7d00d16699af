def _node_in_model(value: Any) -> torch.fx.Node | None:
    """The node of the model that gives a value; None for a number, and for what a function makes on its way."""
    if not isinstance(value, ir.Value):
        return None
    maker = value.producer()
    return value.meta.get("node") if maker is None else maker.meta.get("node")
