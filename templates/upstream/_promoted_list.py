def _promoted_list(fn):
    """Unpacks a list of tensors, and casts them to the dtype that they have in common."""

    @functools.wraps(fn)
    def wrapper(g, tensor_list, *args):
        tensors = symbolic_helper._unpack_list(tensor_list)
        scalar_type = symbolic_helper._type_promote_from_values(*tensors)
        tensors = [
            symbolic_helper._maybe_cast_to_type(g, tensor, scalar_type)
            for tensor in tensors
        ]
        return fn(g, tensors, *args)

    return wrapper
