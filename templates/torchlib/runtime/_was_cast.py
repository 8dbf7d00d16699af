def _was_cast(value: Any) -> bool:
    """Whether the exporter has cast an argument before, to the dtype to which it promotes all arguments."""
    maker = value.producer() if isinstance(value, ir.Value) else None
    node = None if maker is None else maker.meta.get("node")
    return node is not None and node.target is torch.ops.prims.convert_element_type.default
