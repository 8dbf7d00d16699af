def _before_reshape(value: _C.Value, shape: list[int]) -> _C.Value | None:
    """What a Reshape to that shape was given where one made the value, else None."""
    if value.node().kind() != "onnx::Reshape":
        return None
    source, target = value.node().inputs()
    return source if _known(target) == shape else None
