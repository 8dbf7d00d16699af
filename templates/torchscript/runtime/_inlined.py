def _inlined(g: jit_utils.GraphContext) -> list[_C.Value]:
    """The results of an autograd.Function by the nodes that tracing saw in its `forward`, as the exporter inlines them."""
    call = g.original_node
    blocks = list(call.blocks())
    if not blocks:
        raise errors.OnnxExporterError(f"{call.pyname()} has no symbolic, and autograd_inlining=False leaves its forward out")
    known = {given: g.env[given] for given in call.inputs()}
    for taken, given in zip(blocks[0].inputs(), call.inputs()):
        taken.replaceAllUsesWith(given)
    apart = g.block.addNode("prim::Uninitialized", [])
    block, kind = apart.addBlock(), _globals.GLOBALS.operator_export_type
    # Converting a block gives it inputs, so that it can't be the one that the graph itself is made of.
    known = _C._jit_pass_onnx_block(blocks[0], block, kind, known, set(known.values()), True)
    for node in list(block.nodes()):
        node.moveBefore(apart)
    apart.destroy()
    return [known[value] for value in blocks[0].outputs()]
