def _function_graph(
    block: _C.Block, arguments: dict[str, Any], results: Sequence[_C.Value], opset: int
) -> tuple[_C.Graph, list[_C.Value]]:
    """A graph of its own with copies of a block's nodes, as the exporter leaves them, and the values that it takes."""
    graph = _C.Graph()
    twins: dict[_C.Value, _C.Value] = {}

    def twin(value: _C.Value, name: str = "value") -> _C.Value:
        if value not in twins:
            twins[value] = graph.addInput(name)
            twins[value].setType(value.type())
        return twins[value]

    for name, argument in arguments.items():
        leaves = _leaves(argument)
        for place, value in enumerate(leaves):
            if isinstance(value, _C.Value):
                twin(value, f"{name}_{place}" if len(leaves) > 1 else name)
    for node in block.nodes():
        copied = graph.insertNode(graph.createClone(node, twin))
        twins.update(zip(node.outputs(), copied.outputs()))
    for value in results:
        graph.registerOutput(twins[value])
    _C._jit_pass_onnx_scalar_type_analysis(graph, True, opset)
    _C._jit_pass_onnx_peephole(graph, opset, False)
    _C._jit_pass_dce_allow_deleting_nodes_with_side_effects(graph)
    inputs = list(graph.inputs())
    named = [*inputs]
    for place, value in enumerate(list(graph.outputs())):
        if value in named:
            # The exporter has found that nothing is left to do, but each result of a function has a name of its own.
            same = graph.insertNode(graph.create("onnx::Identity", [value], 1)).output()
            same.setType(value.type())
            graph.return_node().replaceInput(place, same)
            value = same
        value.setDebugName(f"result_{place}" if len(results) > 1 else "result")
        named.append(value)
    for place in reversed(range(len(inputs))):
        if not inputs[place].uses():
            graph.eraseInput(place)
    left = list(graph.inputs())
    return graph, [value for value, copied in twins.items() if copied in left]
