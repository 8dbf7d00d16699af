def _attached_to(owner: type[torch.autograd.Function]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function the `symbolic` of an autograd.Function, which the exporter calls in its place."""

    def attach(function: Callable[..., Any]) -> Callable[..., Any]:
        owner.symbolic = staticmethod(function)
        return function

    return attach
