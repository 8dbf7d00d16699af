def _infer_types(node: ir.Node) -> None:
    """Give the outputs of a node their types and shapes, as far as those of its inputs are known."""
    inputs = {f"i{place}": value for place, value in enumerate(node.inputs) if value is not None}
    for value in inputs.values():
        maker = value.producer()
        if value.type is None and maker is not None and maker.op_type == "Constant":
            _infer_types(maker)  # of another function, with which the exporter shares its constants
    if any(value.type is None for value in inputs.values()) or all(value.type for value in node.outputs):
        return
    names = [f"i{place}" if value is not None else "" for place, value in enumerate(node.inputs)]
    proto = onnx.helper.make_node(node.op_type, names, [f"o{place}" for place in range(len(node.outputs))])
    proto.attribute.extend(ir.to_proto(attribute) for attribute in node.attributes.values())
    kinds = {name: ir.serde.serialize_value(ir.Value(name=name, type=value.type, shape=value.shape)).type for name, value in inputs.items()}
    constants = {name: ir.convenience.get_const_tensor(value) for name, value in inputs.items()}
    data = {name: ir.to_proto(tensor) for name, tensor in constants.items() if tensor is not None}
    schema = onnx.defs.get_schema(node.op_type, node.version)
    opsets = [onnx.helper.make_opsetid("", node.version)]
    found = onnx.shape_inference.infer_node_outputs(schema, proto, kinds, data, opset_imports=opsets)
    for place, output in enumerate(node.outputs):
        if f"o{place}" in found:
            output.type = ir.serde.deserialize_type_proto_for_type(found[f"o{place}"])
            output.shape = ir.serde.deserialize_type_proto_for_shape(found[f"o{place}"])
