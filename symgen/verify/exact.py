"""Where the model and eager torch differ by more than a tolerance: which of the two is nearer to the exact result.

In half precision torch rounds in the middle of a sum where a model need not, and a sum whose terms cancel carries the
error of its largest term. What decides then is the result in double precision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

_FACTOR = 2.0
"""How much worse than torch's own largest error an element may be."""
_LARGEST = 16.0
"""The largest error ever allowed, in units in the last place of the largest element."""


def no_less_exact(
    expected: Sequence[torch.Tensor],
    got: Sequence[torch.Tensor],
    exact: Sequence[torch.Tensor],
    tolerances: Mapping[str, tuple[float, float]],
) -> bool:
    """Whether each output of the model is as near to the exact result as eager torch's is.

    Args:
        expected: what eager torch gave.
        got: what the model gave, of the same shapes and dtypes.
        exact: what eager torch gave in double precision.
        tolerances: (rtol, atol) by dtype.
    """
    if len(exact) != len(expected):
        return False
    return all(
        _is_exact(e, g, x, *tolerances.get(str(e.dtype).removeprefix("torch."), (0.0, 0.0)))
        for e, g, x in zip(expected, got, exact, strict=True)
    )


def _is_exact(
    expected: torch.Tensor, got: torch.Tensor, exact: torch.Tensor, rtol: float, atol: float
) -> bool:
    if not expected.is_floating_point() or exact.shape != expected.shape:
        return bool(torch.equal(expected, got))
    rounded = exact.to(expected.dtype)
    close = torch.isclose(got, rounded, rtol=rtol, atol=atol, equal_nan=True)
    errors = (expected.double() - exact).abs()
    finite = errors[errors.isfinite()]
    if not finite.numel():
        return bool(close.all())
    largest = exact[exact.isfinite()].abs().max()
    bound = torch.minimum(_FACTOR * finite.max(), _LARGEST * torch.finfo(expected.dtype).eps * largest)
    within = (got.double() - exact).abs() <= bound + atol
    return bool((close | within).all())
