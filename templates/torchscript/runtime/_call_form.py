def _call_form(args: Sequence[Any]) -> str:
    """A letter for each argument: `-` absent, `l` a list, `n` a number or text, `c` other constants, `t` tensors."""

    def letter(value: Any) -> str:
        if symbolic_helper._is_none(value):
            return "-"
        if symbolic_helper._is_packed_list(value):
            return "l"
        if not symbolic_helper._is_constant(value):
            return "t"
        constant = symbolic_helper._node_get(value.node(), "value")
        is_single = isinstance(constant, str) or (isinstance(constant, torch.Tensor) and constant.dim() == 0)
        return "n" if is_single else "c"

    return "".join(map(letter, args))
