"""What the model gave against what eager torch gave: shape and dtype exactly, values within torch's own tolerances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from symgen.model.result import SampleResult, Verdict
from symgen.model.sample import SampleSpec

TOLERANCES: Mapping[str, tuple[float, float]] = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}
"""(rtol, atol) by dtype, as `torch.testing.assert_close` has them; every other dtype is compared exactly."""


@dataclass(frozen=True)
class Comparison:
    """The verdict on one run, with the largest errors where values were compared."""

    verdict: Verdict
    detail: str = ""
    max_abs_err: float = 0.0
    max_rel_err: float = 0.0


def sample_result(
    sample: SampleSpec, opset: int, mode: str, seen: Comparison, *, by_reference: bool = False
) -> SampleResult:
    """What a sample showed, as the evidence has it."""
    return SampleResult(
        sample=str(sample),
        dtype="/".join(sample.dtypes),
        opset=opset,
        mode=mode,
        verdict=seen.verdict,
        detail=seen.detail,
        max_abs_err=seen.max_abs_err,
        max_rel_err=seen.max_rel_err,
        by_reference=by_reference,
    )


def compare_all(
    expected: Sequence[torch.Tensor],
    got: Sequence[torch.Tensor],
    tolerances: Mapping[str, tuple[float, float]] = TOLERANCES,
) -> Comparison:
    """Compares the outputs one by one; the first that differs gives the verdict.

    A model gives `expected` under the names of its outputs; too many or too few of them is a wrong shape.
    """
    form = compare_form(expected, got)
    if form is not None:
        return form
    results = [_values(e, g, tolerances.get(_name(e.dtype), (0.0, 0.0))) for e, g in zip(expected, got, strict=True)]
    wrong = next((result for result in results if result.verdict is not Verdict.RIGHT), None)
    absolute = max((result.max_abs_err for result in results), default=0.0)
    relative = max((result.max_rel_err for result in results), default=0.0)
    return wrong or Comparison(Verdict.RIGHT, "", absolute, relative)


def loosened_by_inputs(
    tolerances: Mapping[str, tuple[float, float]], inputs: Sequence[torch.Tensor]
) -> Mapping[str, tuple[float, float]]:
    """Tolerances none of which is stricter than that of the least precise input.

    An operator whose result is float32 computes in bfloat16 where a 0-d float32 tensor meets a bfloat16 one.
    """
    own = [tolerances[_name(x.dtype)] for x in inputs if _name(x.dtype) in tolerances]
    loosest = max(own, default=(0.0, 0.0))
    return {dtype: max(tolerance, loosest) for dtype, tolerance in tolerances.items()}


def compare_form(expected: Sequence[torch.Tensor], got: Sequence[torch.Tensor]) -> Comparison | None:
    """Compares the count of the outputs, their shapes and dtypes; None where they agree."""
    if len(expected) != len(got):
        return Comparison(Verdict.WRONG_SHAPE, f"{len(got)} outputs, not {len(expected)}")
    for place, (e, g) in enumerate(zip(expected, got, strict=True)):
        which = f"output {place}: " if len(expected) > 1 else ""
        if e.shape != g.shape:
            return Comparison(Verdict.WRONG_SHAPE, f"{which}shape {tuple(g.shape)}, not {tuple(e.shape)}")
        if e.dtype != g.dtype:
            return Comparison(Verdict.WRONG_DTYPE, f"{which}dtype {_name(g.dtype)}, not {_name(e.dtype)}")
    return None


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _values(expected: torch.Tensor, got: torch.Tensor, tolerance: tuple[float, float]) -> Comparison:
    """Compares values; nan equals nan, infinities must agree."""
    rtol, atol = tolerance
    close = torch.isclose(got, expected, rtol=rtol, atol=atol, equal_nan=True)
    if not bool(close.all()):
        where = tuple(int(i) for i in (~close).nonzero()[0]) if expected.dim() else ()
        at = f" at {list(where)}" if where else ""
        return Comparison(
            Verdict.WRONG_VALUE, f"{_element(got, where)}{at}, not {_element(expected, where)}", *_errors(expected, got)
        )
    return Comparison(Verdict.RIGHT, "", *_errors(expected, got))


def _element(values: torch.Tensor, where: tuple[int, ...]) -> str:
    element = values[where].item()
    return f"{element:.9g}" if isinstance(element, float) else str(element)


def _errors(expected: torch.Tensor, got: torch.Tensor) -> tuple[float, float]:
    """The largest absolute and relative error where both are finite."""
    if not expected.dtype.is_floating_point or not expected.numel():
        return 0.0, 0.0
    e, g = expected.double().reshape(-1), got.double().reshape(-1)
    finite = e.isfinite() & g.isfinite()
    e, g = e[finite], g[finite]
    if not e.numel():
        return 0.0, 0.0
    difference = (e - g).abs()
    scaled = difference / e.abs()
    relative = scaled[e != 0]
    return float(difference.max()), float(relative.max()) if relative.numel() else 0.0
