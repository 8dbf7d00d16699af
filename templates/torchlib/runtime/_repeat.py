def _repeat(test: Callable[..., Any], body: Callable[..., Any], *state: ir.Value) -> Any:
    """`while test(*state): state = body(*state)`, as an ONNX Loop."""

    def turn(_: ir.Value, *arguments: ir.Value) -> Any:
        results = body(*arguments)
        return test(*(results if isinstance(results, tuple) else (results,))), results

    return _turns(_constant(torch.iinfo(torch.int64).max, torch.int64), test(*state), turn, state)
