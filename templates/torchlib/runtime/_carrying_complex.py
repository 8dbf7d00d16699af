def _carrying_complex(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function that takes complex arguments as real tensors with a last axis of 2, and gives them as such."""
    _let_complex_in()

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        recorder = evaluator.default()
        recorder.carried = []
        tensors = filter(_is_complex, (*args, *kwargs.values()))
        dtype = next((_dtype(value) for value in tensors if isinstance(value, ir.Value)), torch.float32)
        named = {name: _with_parts(value, dtype) for name, value in kwargs.items()}
        output = function(*(_with_parts(value, dtype) for value in args), **named)
        if recorder.carried:
            if output.dtype == ir.DataType.FLOAT16:
                raise NotImplementedError("the exporter has no type for complex numbers in half precision")
            # The exporter adds the axis of the parts to the shape of an output that has no type yet.
            output.type = None
        return output

    wrapper.carries_complex = True  # type: ignore[attr-defined]
    return wrapper
