def _let_complex_in() -> None:
    """Have the exporter ask the functions of a translation table of complex arguments too, where they know of them.

    It takes what stands in a table for functions of real arguments. With the first of those that know of complex ones
    come functions for what it puts into a model by itself, and has none for.
    """
    register = _registration.ONNXRegistry.register_op
    if hasattr(register, "lets_complex_in"):
        return

    @functools.wraps(register)
    def register_op(registry: Any, target: Any, function: Any, is_complex: bool = False) -> None:
        register(registry, target, function, is_complex)
        if is_complex or not hasattr(function, "carries_complex"):
            return
        register(registry, target, function, True)
        added = {
            torch.ops.aten.sym_size.int: _length_of_complex,
            torch.ops.prims.convert_element_type.default: _complex_in_precision,
        }
        for further, own in added.items():
            if not any(known.is_complex for known in registry.get_decomps(further)):
                register(registry, further, own, True)

    register_op.lets_complex_in = True  # type: ignore[attr-defined]
    _registration.ONNXRegistry.register_op = register_op  # type: ignore[method-assign]
