def _index_kinds(g: jit_utils.GraphContext, indices: list[_C.Value]) -> list[str]:
    """What each index of an assignment was in the model: a slice, an int, a tensor, or all of an axis.

    The exporter makes one list of indices of `x[1:3, 2, i] = v`: a part of a range for the slice, one element for the
    int, and of each a view with an axis for every index behind it.
    """
    kinds = []
    for index in g.original_node.inputsAt(1).node().inputs():
        node = index.node()
        made = node.inputsAt(0).node() if node.kind() == "aten::view" else node
        counted = made.inputsAt(0).node() if made.kind() == "aten::slice" else made
        if symbolic_helper._is_none(index):
            kinds.append("all")
        elif counted.kind() == "aten::arange" and symbolic_helper._is_none(counted.inputsAt(3)):
            # A range of the model's own names its device.
            kinds.append("slice")
        elif made.kind() == "aten::unsqueeze" and made.inputsAt(0).type().dim() == 0:
            kinds.append("int")
        else:
            kinds.append("tensor")
    return kinds
