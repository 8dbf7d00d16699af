def _custom_node(
    g: jit_utils.GraphContext,
    op: Callable[..., Any],
    name: str,
    inputs: dict[str, Any],
    attributes: dict[str, Any],
    outputs: int = 1,
) -> Any:
    """A node of another domain for a call of `op`, without what is absent, and with the types of its results."""
    values = [value for given in inputs.values() for value in (given if isinstance(given, list) else [given])]
    values = [None if symbolic_helper._is_none(value) else value for value in values]
    while values[-1:] == [None]:
        values.pop()
    absent = symbolic_helper._optional_input_placeholder_tensor
    given = {key: value for key, value in attributes.items() if value is not None}
    node = g.op(name, *(absent(g) if value is None else value for value in values), outputs=outputs, **given)
    kinds = [output.type() for output in g.original_node.outputs()]
    is_fixed = all(value.isCompleteTensor() for value in values if value is not None)
    if not is_fixed or any(kind.sizes() is None for kind in kinds):
        kinds = _types_of_results(op, {**inputs, **{key[:-2]: value for key, value in attributes.items()}}, kinds)
    for output, kind in zip(node if outputs > 1 else [node], kinds, strict=True):
        if kind is not None:
            output.setType(kind)
    return node
