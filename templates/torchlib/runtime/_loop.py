def _loop(count: ir.Value, body: Callable[..., Any], *state: ir.Value) -> Any:
    """`state = body(i, *state)` for i from 0 to count - 1, as an ONNX Loop."""

    def turn(iteration: ir.Value, *arguments: ir.Value) -> Any:
        return _constant(True, torch.bool), body(iteration, *arguments)

    return _turns(op.Reshape(count, _constant([], torch.int64)), _constant(True, torch.bool), turn, state)
