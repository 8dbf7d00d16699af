def _carrying_complex(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function that takes complex arguments as real tensors with a last axis of 2, and gives them as such."""

    @functools.wraps(function)
    def wrapper(g: jit_utils.GraphContext, *args: Any, **kwargs: Any) -> Any:
        for value in _in_model(g):
            if _has_complex_type(value):
                _check_carried(g, value)
        return function(g, *args, **kwargs)

    wrapper.carries_complex = True  # type: ignore[attr-defined]
    return wrapper
