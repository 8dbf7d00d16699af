"""Measures how far an exported operator is from the exact result, in units of the last place, over a sweep of values.

Exact is what eager torch gives in float64 for the same float32 inputs. Runs in a child process.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import torch

from symgen.model.accuracy import Accuracy
from symgen.model.sample import SampleSpec, TensorSpec
from symgen.verify import roundtrip
from symgen.verify.calls import make_call
from symgen.verify.domains import domain_of
from symgen.verify.generate import generate_samples
from symgen.verify.runner import register
from symgen.verify.task import VerifyTask

_DENSE = 4001
_GRID = 97


def measure_accuracy(task: VerifyTask) -> Accuracy | str:
    """The largest errors of the exported operator and of eager torch, or a sentence why there is nothing to measure.

    Swept are operators of one or two tensors, element by element; all other arguments have their defaults.
    """
    sample = next(_elementwise_samples(task), None)
    if sample is None:
        return "it is no element-wise function of one or two tensors"
    for opset, text in task.modules:
        register(opset, text)
    tensors = _sweep(len(sample.positional))
    call = make_call(task.name, task.schemas, sample)
    model = roundtrip.export(call.module(), tensors, max(task.opsets), False)
    run, _ = roundtrip.load(model)
    module = call.module()
    exact = module(*(tensor.double() for tensor in tensors))
    if exact.dtype != torch.float64:
        return "its result is not of floating point"
    place, ulps = _largest(run(tensors)[0], exact)
    _, eager = _largest(module(*tensors), exact)
    return Accuracy(
        ulps=ulps,
        eager_ulps=eager,
        at=tuple(float(tensor[place]) for tensor in tensors),
        values=int(torch.isfinite(exact.float()).sum()),
    )


def _elementwise_samples(task: VerifyTask) -> Iterator[SampleSpec]:
    """Samples of one or two float32 tensors of one shape and nothing else, whose result has that shape."""
    for schema in task.schemas:
        for sample in generate_samples(schema, domain_of(task.op, schema.name.overload), lambda _: True):
            if _is_elementwise(task, sample):
                yield sample


def _is_elementwise(task: VerifyTask, sample: SampleSpec) -> bool:
    values = sample.positional
    if sample.keywords or not 1 <= len(values) <= 2:
        return False
    tensors = [value for value in values if isinstance(value, TensorSpec)]
    if len(tensors) != len(values) or any(t.dtype != "float32" or t.shape != tensors[0].shape for t in tensors):
        return False
    try:
        results = make_call(task.name, task.schemas, sample).eager()
    except Exception:
        return False
    return len(results) == 1 and tuple(results[0].shape) == tensors[0].shape and math.prod(tensors[0].shape) > 1


def _sweep(count: int) -> list[torch.Tensor]:
    """Values of every magnitude and sign, densest around 0 and 1; for two operands every pair of a coarser grid."""
    size = _DENSE if count == 1 else _GRID
    magnitudes = torch.logspace(-37, 38, size, dtype=torch.float64)
    near_one = 1 + torch.tensor([sign * 2.0**-k for k in range(1, 24) for sign in (-1, 1)], dtype=torch.float64)
    middle = torch.linspace(-10, 10, size, dtype=torch.float64)
    line = torch.cat([magnitudes, -magnitudes, near_one, -near_one, middle, torch.zeros(1)]).float()
    if count == 1:
        return [line]
    pairs = list(itertools.product(line[:: max(1, len(line) // _GRID)].tolist(), repeat=2))
    return list(torch.tensor(pairs).T.contiguous())


def _largest(got: torch.Tensor, exact: torch.Tensor) -> tuple[int, float]:
    """Where the error is largest, and how many units of the last place of float32 it has there.

    Counted where the exact result is a normal number of float32; a result that is no number there is infinitely wrong.
    """
    rounded = exact.float()
    tiny = torch.finfo(torch.float32).tiny
    counts = torch.isfinite(rounded) & (rounded.abs() >= tiny)
    _, exponent = torch.frexp(rounded.abs().double())
    unit = torch.exp2(exponent.double() - 24)
    error = ((got.double() - exact).abs() / unit).nan_to_num(nan=math.inf, posinf=math.inf)
    error[~counts] = 0.0
    place = int(error.argmax())
    return place, float(error[place])
