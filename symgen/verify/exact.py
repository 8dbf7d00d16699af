"""Where the model and eager torch differ by more than a tolerance: whether the model is right all the same.

In half precision torch rounds in the middle of a computation where a model need not; the result in double precision,
rounded once, decides. Where many terms are summed or a system is solved, the last places of the arguments may move the
result by much more than its own last place; a result is right there if arguments changed in their last places give it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

from symgen.verify.calls import Call

_ROUNDS = 12
"""What two arguments move in opposite directions, in half of the rounds, cancels out in their product."""
_FACTOR = 8.0
"""How many times the movement seen under changes of the last place is allowed."""


def is_rounded_exact(
    call: Call,
    expected: Sequence[torch.Tensor],
    got: Sequence[torch.Tensor],
    tolerances: Mapping[str, tuple[float, float]],
    *,
    is_sensitive: bool,
) -> bool:
    """Whether each output of the model is what eager torch gives in double precision, rounded to its dtype.

    Args:
        call: the call that was made.
        expected: what eager torch gave.
        got: what the model gave, of the same shapes and dtypes.
        tolerances: (rtol, atol) by dtype.
        is_sensitive: whether the result may move as far as changes of the arguments' last places move it.

    Raises:
        Exception: where eager torch does not take the call in double precision.
    """
    exact = call.in_double().eager()
    if any(e.shape != x.shape for e, x in zip(expected, exact, strict=True)):
        return False
    moved = _movements(call, exact) if is_sensitive else [torch.zeros(()) for _ in exact]
    return all(
        _is_near(e, g, x, m, *tolerances.get(str(e.dtype).removeprefix("torch."), (0.0, 0.0)))
        for e, g, x, m in zip(expected, got, exact, moved, strict=True)
    )


def _movements(call: Call, exact: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """How far each element of the exact result moves when the arguments move in their last places."""
    generator = torch.Generator().manual_seed(0)
    movements = [torch.zeros(x.shape, dtype=torch.float64) for x in exact]
    for _ in range(_ROUNDS):
        results = call.nudged(generator).in_double().eager()
        for place, (x, moved) in enumerate(zip(exact, results, strict=True)):
            movements[place] = torch.maximum(movements[place], (moved.double() - x.double()).abs().nan_to_num(0, 0, 0))
    return movements


def _is_near(
    expected: torch.Tensor, got: torch.Tensor, exact: torch.Tensor, movement: torch.Tensor, rtol: float, atol: float
) -> bool:
    if not expected.is_floating_point():
        return bool(torch.equal(expected, got))
    close = torch.isclose(got, exact.to(expected.dtype), rtol=rtol, atol=atol, equal_nan=True)
    return bool((close | ((got.double() - exact).abs() <= _FACTOR * movement)).all())
