def _carries_complex(g: jit_utils.GraphContext, name: str) -> bool:
    """Whether the function that translates an operator knows of complex tensors; none of the exporter's own does."""
    group = registration.registry.get_function_group(name)
    return group is not None and hasattr(group.get(g.opset), "carries_complex")
