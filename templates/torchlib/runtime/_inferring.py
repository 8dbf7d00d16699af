def _inferring(recorder: Any) -> Any:
    """An evaluator that records nodes as `recorder` does, and gives their outputs the types that ONNX infers."""

    def typed(evaluate: Callable[..., Any]) -> Callable[..., Any]:
        def call(operator: Any, inputs: Sequence[Any], attributes: Any) -> Any:
            known = len(recorder.nodes)
            kept = _kept_numbers(operator.name, inputs)
            outputs = evaluate(operator, kept, attributes)
            for node in recorder.nodes[known:]:
                _infer_types(node)
            if kept is inputs or any(value.shape for value in inputs if isinstance(value, ir.Value)):
                return outputs
            return op.Squeeze(outputs, [0])

        return call

    entrances = {name: typed(getattr(recorder, name)) for name in ("eval", "eval_op") if hasattr(recorder, name)}
    return types.SimpleNamespace(**{**vars(recorder), **entrances, "eval_function": recorder.eval_function})
