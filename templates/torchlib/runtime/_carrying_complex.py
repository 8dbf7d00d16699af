def _carrying_complex(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function that takes complex arguments as real tensors with a last axis of 2, and gives them as such."""
    _let_complex_in()

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        recorder = evaluator.default()
        recorder.carried = []
        tensors = [value for value in (*args, *kwargs.values()) if isinstance(value, ir.Value)]
        dtype = next((_dtype(value) for value in tensors if _is_complex(value)), torch.float32)
        parts = functools.partial(_with_parts, dtype=dtype, is_alone=len(tensors) == 1)
        output = function(*map(parts, args), **{name: parts(value) for name, value in kwargs.items()})
        if recorder.carried:
            if output.dtype == ir.DataType.FLOAT16:
                raise NotImplementedError("the exporter has no type for complex numbers in half precision")
            # The exporter adds the axis of the parts to the shape of an output that has no type yet.
            output.type = None
        return output

    wrapper.carries_complex = True  # type: ignore[attr-defined]
    return wrapper
