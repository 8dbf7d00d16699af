def _local_function(
    g: jit_utils.GraphContext, name: str, version: int, graph: _C.Graph, attributes: Sequence[str]
) -> Any:
    """A graph in the form in which the exporter takes functions of onnxscript; another of its name gets a number."""
    domain, base = name.split("::")
    kind = torch.onnx.OperatorExportTypes.ONNX
    exported, *_ = graph._export_onnx({}, g.opset, {}, False, kind, True, True, {})
    model = onnx.load_from_string(exported)
    inputs, outputs = ([value.name for value in values] for values in (model.graph.input, model.graph.output))
    for number in itertools.count(1):
        own = base if number == 1 else f"{base}_{number}"
        proto = onnx.helper.make_function(
            domain, own, inputs, outputs, model.graph.node, model.opset_import, attributes
        )
        group = registration.registry.get_function_group(f"{domain}::{own}")
        there = group.get(version) if group else None
        # The registry outlives an export, and so do the functions of earlier ones.
        if getattr(there, "graph", None) is not g.graph:
            opset = types.SimpleNamespace(domain=domain, version=version)
            return types.SimpleNamespace(name=own, opset=opset, graph=g.graph, to_function_proto=lambda: proto)
        if there.to_function_proto() == proto:
            return there
