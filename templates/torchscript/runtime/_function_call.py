def _function_call(
    g: jit_utils.GraphContext, name: str, version: int, block: _C.Block, arguments: dict[str, Any], results: Any
) -> Any:
    """The results of a block's nodes by a call of a local function; constants, which others may ask for, as they are."""
    made = {value for node in block.nodes() for value in node.outputs()}
    leaves = [value for value in _leaves(results) if isinstance(value, _C.Value) and value in made]
    constants = [value for value in leaves if value.node().kind() == "onnx::Constant"]
    outside = {value: g.op("Constant", value_t=value.node().t("value")) for value in constants}
    computed = list(dict.fromkeys(value for value in leaves if value not in outside))
    if computed:
        graph, inputs = _function_graph(block, arguments, computed, g.opset)
        told = {key: value for key, value in arguments.items() if not any(leaf in inputs for leaf in _leaves(value))}
        attributes = _told_attributes(told)
        function = _local_function(g, name, version, graph, [key[:-2] for key in attributes])
        calls = g.onnxscript_op(function, *inputs, outputs=len(computed), **attributes)
        for value, call, twin in zip(computed, calls if len(computed) > 1 else [calls], graph.outputs()):
            call.setType(twin.type())
            outside[value] = call
    return _with_values(g, results, outside)
