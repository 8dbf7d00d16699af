def _subgraph(function: Callable[..., Any], inputs: Sequence[ir.Value]) -> ir.Graph:
    """The graph of what a function does with its arguments; it may use values from outside."""
    recorder = OpRecorder(evaluator.default().opset, {})
    recorder.depth = getattr(evaluator.default(), "depth", 0) + 1
    with evaluator.default_as(_inferring(recorder)):
        results = function(*inputs)
        outputs = [op.Identity(one) for one in (results if isinstance(results, tuple) else (results,))]
    graph = ir.Graph(inputs, outputs, nodes=recorder.nodes, name="inner")
    # Inner values must have other names than outer ones.
    for value in (*inputs, *(output for node in graph for output in node.outputs)):
        value.name = f"inner{recorder.depth}_{value.name}"
    return graph
