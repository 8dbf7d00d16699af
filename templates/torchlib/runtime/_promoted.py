def _promoted(
    *names: str,
    kind: str = "DEFAULT",
    widen: bool = True,
    precise: bool = False,
    as_float: Sequence[str] = (),
    unrounded: Sequence[str] = (),
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Cast the named arguments to their common dtype, as eager PyTorch promotes them, and the results back.

    With `widen`, half precision is computed in float32, with `precise` all floating point in float64. Integers that
    ONNX operators do not take, and bool, are computed in int32. Whole numbers in `as_float` count as float32. Numbers
    and 0-d tensors in `unrounded` meet half precision as they are.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            cast = bound.arguments
            cast.update({name: _as_float(cast[name]) for name in as_float})
            values = [cast[name] for name in names]
            compute, result = _result_dtypes(values, kind, widen, precise)
            common = compute if kind == "DOUBLE" else _common_dtype(values, kind)
            for name in names:
                is_kept = name in unrounded and compute.is_floating_point and _rank(cast[name]) == 0
                cast[name] = _unrounded(cast[name]) if is_kept else _cast_all(cast[name], common)
                cast[name] = _cast_all(cast[name], compute)
            outputs = function(*bound.args, **bound.kwargs)
            if isinstance(outputs, (list, tuple)):
                return type(outputs)(_cast_back(output, compute, result) for output in outputs)
            return _cast_back(outputs, compute, result)

        return _traced(wrapper)

    return decorate
