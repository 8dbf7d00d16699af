def _as_cast_next(output: Any, arguments: Iterable[Any]) -> Any:
    """The output in the dtype to which the exporter casts it next.

    It puts casts around an operator that eager PyTorch computes in another dtype than it gives, and takes an output of
    the model from before the cast behind, which is lost then.
    """
    cast = torch.ops.prims.convert_element_type.default
    makers = [value.producer() for value in arguments if isinstance(value, ir.Value)]
    given = [maker.meta["node"] for maker in makers if maker is not None and "node" in maker.meta]
    # A cast in front has one user, the operator; the operator's one user is the cast behind.
    operators = [list(node.users) for node in given if node.target is cast]
    behind = [list(users[0].users) for users in operators if len(users) == 1]
    for users in behind:
        if len(users) == 1 and users[0].target is cast and isinstance(output, ir.Value):
            return _cast(output, users[0].kwargs["dtype"])
    return output
