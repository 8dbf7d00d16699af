def _inferring(recorder: Any) -> Any:
    """An evaluator that records nodes as `recorder` does, and gives their outputs the types that ONNX infers."""

    def typed(evaluate: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            known = len(recorder.nodes)
            outputs = evaluate(*args)
            for node in recorder.nodes[known:]:
                _infer_types(node)
            return outputs

        return call

    entrances = {name: typed(getattr(recorder, name)) for name in ("eval", "eval_op") if hasattr(recorder, name)}
    return types.SimpleNamespace(**{**vars(recorder), **entrances, "eval_function": recorder.eval_function})
