"""A trace that looks through every torch.autograd.Function, for where the exporter's own way of tracing them fails."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch.autograd.function import FunctionCtx

from symgen.verify.scanning.graphs import class_name
from symgen.verify.scanning.trial import replaced


def function_in(error: BaseException) -> str:
    """The Function that an error came out of, as `module:Class`; empty where it came out of none."""
    found, trace = "", error.__traceback__
    while trace is not None:
        owner = trace.tb_frame.f_locals.get("cls")
        is_apply = trace.tb_frame.f_code.co_name == "apply"
        if is_apply and isinstance(owner, type) and issubclass(owner, torch.autograd.Function):
            found = class_name(owner)
        trace = trace.tb_next
    return found


@contextlib.contextmanager
def looked_through() -> Iterator[None]:
    """Has `apply` call `forward` as if it were a plain function, while the block runs."""

    @classmethod  # type: ignore[misc]
    def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
        with torch.no_grad():
            if cls.setup_context is not torch.autograd.Function.setup_context:
                return cls.forward(*args, **kwargs)
            return cls.forward(_Context(), *args, **kwargs)

    with replaced(torch.autograd.Function, "apply", apply):
        yield


class _Context(FunctionCtx):
    """Stands in for the context of a call; `forward` may put into it what it likes."""

    needs_input_grad: tuple[bool, ...] = ()
