def _check_carried(g: jit_utils.GraphContext, value: _C.Value) -> None:
    """Raise where the graph has no real tensor for a complex one of the model."""
    name = value.node().kind()
    if name == "prim::Param":
        raise errors.SymbolicValueError(
            "ONNX models have no complex inputs, parameters or buffers; hand the parts over, as torch.view_as_real "
            "gives them, and call torch.view_as_complex inside of the model",
            value,
        )
    if not _carries_complex(g, name):
        raise errors.SymbolicValueError(f"{name} has no translation for complex numbers", value)
