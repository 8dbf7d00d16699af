def _node(name: str, inputs: Sequence[ir.Value | None], outputs: int, **attributes: Any) -> list[ir.Value]:
    """A node with as many outputs as are asked for; its inputs are values."""
    recorder = evaluator.default()
    given = ir.convenience.convert_attributes(attributes)
    node = ir.Node("", name, inputs, given, num_outputs=outputs, version=recorder.opset.version)
    recorder.nodes.append(node)
    if not any(isinstance(value, ir.Graph) for value in attributes.values()):
        _infer_types(node)
    return list(node.outputs)
