def _promoted_args(*promoted: bool, kind: str = "DEFAULT", like_first: bool = False):
    """Casts arguments to the dtype that PyTorch computes in, and the result back.

    Like `symbolic_helper.quantized_args` it takes a flag for each argument. `kind` is the
    `ELEMENTWISE_TYPE_PROMOTION_KIND` that the operator has in `torch._refs`; with
    `like_first` the result has the dtype of the first argument.
    """
    promotion_kind = torch._prims_common.ELEMENTWISE_TYPE_PROMOTION_KIND[kind]

    def example(value):
        dtype = _type_utils.JitScalarType.from_value(value).dtype()
        rank = symbolic_helper._get_tensor_rank(value)
        if rank == 0 and symbolic_helper._is_constant(value):
            # Python numbers arrive as constants of the widest dtype of their kind.
            number = {torch.double: 1.0, torch.int64: 1, torch.bool: True}.get(dtype)
            if number is not None:
                return number
        return torch.empty([1] * (1 if rank is None else rank), dtype=dtype, device="meta")

    def cast(g, value, dtype):
        scalar_type = _type_utils.JitScalarType.from_dtype(dtype)
        return symbolic_helper._maybe_cast_to_type(g, value, scalar_type)

    def decorator(fn):
        @functools.wraps(fn)
        def wrapper(g, *args):
            args = list(args)
            places = [i for i, arg in enumerate(args[: len(promoted)]) if promoted[i] and not symbolic_helper._is_none(arg)]
            compute_dtype, result_dtype = torch._prims_common.elementwise_dtypes(
                *(example(args[i]) for i in places), type_promotion_kind=promotion_kind
            )
            if like_first:
                result_dtype = _type_utils.JitScalarType.from_value(args[0]).dtype()
            small = (torch.bool, torch.uint8, torch.int8, torch.int16)
            if compute_dtype in small and kind != "NO_OPMATH":
                compute_dtype = torch.int32  # Few ONNX operators take the others.
            # The exporter takes doubles of rank 0 for Python numbers, and rounds them.
            is_number = compute_dtype == torch.double and all(
                symbolic_helper._get_tensor_rank(args[i]) == 0 for i in places
            )
            for i in places:
                args[i] = cast(g, args[i], compute_dtype)
                if is_number:
                    args[i] = symbolic_helper._unsqueeze_helper(g, args[i], [0])
            output = fn(g, *args)
            if is_number:
                output = symbolic_helper._squeeze_helper(g, output, [0])
            return cast(g, output, result_dtype)

        return wrapper

    return decorator
