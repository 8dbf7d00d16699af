def _from_vector(g: jit_utils.GraphContext, output: Any) -> Any:
    """Undo `_as_vector` for a result that kept the axis."""
    if isinstance(output, list):
        return [_from_vector(g, element) for element in output]
    if symbolic_helper._get_tensor_rank(output) == 1:
        return symbolic_helper._squeeze_helper(g, output, [0])
    return output
