def _has_complex_type(value: _C.Value) -> bool:
    """Whether tracing saw a complex tensor here."""
    kind = value.type()
    return isinstance(kind, _C.TensorType) and (kind.scalarType() or "").startswith("Complex")
