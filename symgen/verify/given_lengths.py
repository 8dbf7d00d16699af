"""Numbers of a call that are the lengths of further inputs, once the call is made with real tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch.utils import _pytree as pytree


class GivenLength(int):
    """A number that a module takes from the length of an input; for eager torch a number like any other."""


def input_tensors(leaves: Sequence[Any]) -> Iterator[torch.Tensor]:
    """The tensors among the arguments, and for each length one that has it."""
    for leaf in leaves:
        if isinstance(leaf, torch.Tensor):
            yield leaf
        elif isinstance(leaf, GivenLength):
            # Of a dtype that loosens no tolerance.
            yield torch.ones(int(leaf), dtype=torch.bool)


def measuring_module(
    op: Callable[..., Any], arguments: Sequence[Any], keywords: dict[str, Any], written: bool
) -> torch.nn.Module:
    """A module whose forward takes the `input_tensors` of a call and makes it with their lengths."""
    leaves, tree = pytree.tree_flatten((list(arguments), keywords))

    class Call(torch.nn.Module):
        def forward(self, *inputs: torch.Tensor) -> Any:
            rest = iter(inputs)

            def filled(leaf: Any) -> Any:
                if isinstance(leaf, GivenLength):
                    return next(rest).shape[0]
                return next(rest) if isinstance(leaf, torch.Tensor) else leaf

            positional, named = pytree.tree_unflatten(list(map(filled, leaves)), tree)
            if written:
                positional[0] = positional[0].clone()
            return op(*positional, **named)

    return Call()
