def _is_complex(g: jit_utils.GraphContext, position: int) -> bool:
    """Whether an argument is complex in the model; here it is a real tensor with a last axis of 2 then."""
    return any(map(_has_complex_type, _in_model(g, position)))
