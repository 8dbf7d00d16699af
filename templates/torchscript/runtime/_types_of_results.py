def _types_of_results(op: Callable[..., Any], arguments: dict[str, Any], seen: Sequence[Any]) -> list[Any]:
    """The types that an operator gives for tensors without data; their dynamic axes are those that follow others.

    Where the operator can't be called so, the dtypes and ranks that tracing saw.
    """

    def run(unknown: int) -> Sequence[torch.Tensor]:
        def fake(value: Any) -> Any:
            if symbolic_helper._is_none(value):
                return None
            if isinstance(value, list):
                return [fake(item) for item in value]
            if not symbolic_helper._is_value(value):
                return value
            sizes = [unknown if size is None else size for size in value.type().varyingSizes()]
            return torch.empty(sizes, dtype=value.type().dtype())

        with FakeTensorMode(), torch.no_grad():
            results = op(**{name: fake(value) for name, value in arguments.items()})
        return results if isinstance(results, (list, tuple)) else [results]

    def kind(one: torch.Tensor, other: torch.Tensor, seen: Any) -> Any:
        sizes = [size if size == twin else None for size, twin in zip(one.shape, other.shape, strict=True)]
        return _C.TensorType.get().with_dtype(seen.dtype() or one.dtype).with_sizes(sizes)

    with contextlib.suppress(Exception):
        return [kind(*three) for three in zip(run(2), run(16), seen, strict=True)]
    return [None if one.dim() is None else one.with_sizes([None] * one.dim()) for one in seen]
