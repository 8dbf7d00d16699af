def _is_complex(value: Any) -> bool:
    """Whether an argument is complex in the model; here it is a real tensor with a last axis of 2 then."""
    if not isinstance(value, ir.Value):
        return isinstance(value, complex)
    node = _node_in_model(value)
    if node is None:
        # Promotion has cast it, or it is the constant of a number.
        behind = _before_cast(value)
        return bool(value.meta.get("is_complex")) if behind is value else _is_complex(behind)
    tensor = node.meta.get("val")
    if isinstance(tensor, (list, tuple)):
        place = str(value.name).rpartition("__")[2]
        tensor = tensor[int(place) if place.isdigit() else 0]
    return isinstance(tensor, torch.Tensor) and tensor.is_complex()
