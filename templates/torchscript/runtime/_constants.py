def _constants(value: Any, descriptor: str, name: str) -> Any:
    """The Python values in a constant list; None where it is absent."""
    if symbolic_helper._is_none(value):
        return None
    if isinstance(value, _C.Value) and symbolic_helper._is_packed_list(value):
        items = symbolic_helper._unpack_list(value)
        return [symbolic_helper._get_const(item, descriptor, name) for item in items]
    return symbolic_helper._get_const(value, f"{descriptor}s", name)
