def _as_function(name: str, version: int = 1) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Put the nodes that a symbolic function adds into a local function of the model, and call that in their place.

    It is made anew for each call, of what is known there of arguments, ranks and dtypes; those that are equal are one.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        parameters = list(inspect.signature(function).parameters)[1:]

        @functools.wraps(function)
        def wrapper(g: jit_utils.GraphContext, *args: Any, **kwargs: Any) -> Any:
            if _in_function(g.block):
                return function(g, *args, **kwargs)
            apart = g.block.addNode("prim::LocalFunction", [])
            try:
                inner = dataclasses.replace(g, block=apart.addBlock(), new_nodes=[])
                results = function(inner, *args, **kwargs)
                return _function_call(g, name, version, inner.block, dict(zip(parameters, args)), results)
            finally:
                apart.destroy()

        return wrapper

    return decorate
