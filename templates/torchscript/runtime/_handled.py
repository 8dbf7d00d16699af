def _handled(module: str, qualname: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Translate the calls of an autograd.Function that no import finds, as a handler of all that have no `symbolic`.

    Once there is one the exporter inlines none of them any more, so that it has to inline the others.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        call = "prim::PythonOp"
        group = registration.registry.get_function_group(call)
        earlier = group.get(9) if group else None

        def handler(g: jit_utils.GraphContext, *args: Any, **kwargs: Any) -> Any:
            owner = g.original_node.pyobj().__self__
            if owner.__qualname__ == qualname and _name_of_module(owner) == module:
                return function(g, *args)
            return earlier(g, *args, **kwargs) if earlier else _inlined(g)

        registration.onnx_symbolic(call, opset=9, custom=True)(handler)
        return function

    return decorate
