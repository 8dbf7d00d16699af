def _repeat(
    g: jit_utils.GraphContext, test: Callable[..., Any], body: Callable[..., Any], *state: _C.Value
) -> _C.Value | tuple[_C.Value, ...]:
    """`while test(g, *state): state = body(g, *state)`, as an ONNX Loop."""

    def turn(inner: jit_utils.GraphContext, _: _C.Value, *arguments: _C.Value) -> tuple[_C.Value, Any]:
        results = body(inner, *arguments)
        following = results if isinstance(results, tuple) else (results,)
        return test(inner, *following), results

    most = g.op("Constant", value_t=torch.tensor(torch.iinfo(torch.int64).max))
    return _turns(g, most, test(g, *state), turn, state)
