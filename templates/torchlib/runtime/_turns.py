def _turns(count: ir.Value, going_on: ir.Value, body: Callable[..., Any], state: Sequence[ir.Value]) -> Any:
    """An ONNX Loop of up to `count` turns; `body(i, *state)` gives whether to go on and the next state."""
    unknown = [None if value.shape is None else ir.Shape([None] * len(value.shape)) for value in state]
    arguments = [
        ir.Value(name="turn", type=ir.TensorType(ir.DataType.INT64), shape=ir.Shape([])),
        ir.Value(name="going_on", type=ir.TensorType(ir.DataType.BOOL), shape=ir.Shape([])),
        *(
            ir.Value(name=f"state_{place}", type=value.type, shape=shape)
            for place, (value, shape) in enumerate(zip(state, unknown))
        ),
    ]

    def turn(iteration: ir.Value, _: ir.Value, *values: ir.Value) -> Any:
        goes_on, results = body(iteration, *values)
        return goes_on, *(results if isinstance(results, tuple) else (results,))

    outputs = _node("Loop", [count, going_on, *state], len(state), body=_subgraph(turn, arguments))
    for output, value, shape in zip(outputs, state, unknown):
        output.type, output.shape = value.type, shape
    return outputs[0] if len(state) == 1 else tuple(outputs)
