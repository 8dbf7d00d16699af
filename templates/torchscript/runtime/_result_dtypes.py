def _result_dtypes(values: Sequence[Any], kind: str, widen: bool) -> tuple[torch.dtype, torch.dtype]:
    """The dtype to compute in and the dtype of the result, by PyTorch's own promotion."""
    if kind == "DOUBLE":
        return torch.float64, torch.float64
    tensors = [tensor for value in values for tensor in (value if isinstance(value, list) else [value])]
    stand_ins = [_stand_in(tensor) for tensor in tensors if not symbolic_helper._is_none(tensor)]
    rule = _prims_common.ELEMENTWISE_TYPE_PROMOTION_KIND["DEFAULT" if kind == "LIKE_FIRST" else kind]
    computed, result = _prims_common.elementwise_dtypes(*stand_ins, type_promotion_kind=rule)
    if kind == "LIKE_FIRST":
        result = _dtype(tensors[0])
    # Few ONNX operators take bfloat16.
    elif not widen and result.is_floating_point and result != torch.bfloat16:
        return result, result
    if computed in (torch.bool, torch.uint8, torch.int8, torch.int16):
        computed = torch.int32
    return computed, result
