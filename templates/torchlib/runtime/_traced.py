def _traced(function: Callable[..., Any]) -> Callable[..., Any]:
    """Have the types of values inferred while the function is traced, and refuse numbers that only the model knows."""
    signature = inspect.signature(function)
    plain = re.compile(r"(Sequence\[)?(int|float|bool|str)\b")
    numbers = [name for name, one in signature.parameters.items() if plain.match(str(one.annotation))]

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        for name in numbers:
            if _holds_value(bound.arguments.get(name)):
                raise NotImplementedError(f"{function.__name__}: {name} has to be known at export")
        with evaluator.default_as(_inferring(evaluator.default())):
            given = bound.arguments.values()
            return _apart(_as_cast_next(function(*bound.args, **bound.kwargs), given), given)

    return wrapper
