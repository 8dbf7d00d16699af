"""Runs exported models of the user's beside eager torch, and says whether they give the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from onnx.reference import ReferenceEvaluator
from onnxruntime.capi import onnxruntime_pybind11_state as ort_errors

from symgen.model.result import Verdict
from symgen.verify import roundtrip
from symgen.verify.compare import Comparison, compare_all
from symgen.verify.runner import brief
from symgen.verify.scanning.loading import LoadedModel, cloned, tensors_of

_TOLERANCES: Mapping[str, tuple[float, float]] = {
    "float16": (1e-2, 1e-3),
    "bfloat16": (5e-2, 1e-2),
    "float32": (1e-3, 1e-5),
    "float64": (1e-5, 1e-7),
}
"""(rtol, atol) for a whole model, in which the rounding of many operators adds up; atol is relative to the largest."""
Run = Callable[[Sequence[torch.Tensor]], list[torch.Tensor]]


@dataclass(frozen=True)
class Case:
    """Inputs to compare on, with what eager torch gives, and whether they are the ones that the model came with."""

    args: tuple[Any, ...]
    expected: list[torch.Tensor]
    what: str


def export_to(loaded: LoadedModel, file: Any, opset: int, custom_opsets: Mapping[str, int]) -> None:
    """Exports a model, and has the checker look at it where it went into a file."""
    torch.onnx.export(
        loaded.model,
        cloned(loaded.args),
        file,
        dynamo=False,
        opset_version=opset,
        custom_opsets=dict(custom_opsets) or None,
        **loaded.options(),
    )
    if isinstance(file, str):
        onnx.checker.check_model(file, full_check=True)


def load_file(model: Any, loaded: LoadedModel) -> Run:
    """A function that runs a model, by onnx's reference where the runtime has no kernel for it."""
    names = loaded.options()["input_names"]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except ort_errors.NotImplemented:
        proto = onnx.load(model) if isinstance(model, str) else onnx.load_from_string(model)
        return _by_reference(ReferenceEvaluator(proto), names)
    kept = [value.name for value in session.get_inputs()]

    def run(tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        fed = {name: x.detach().contiguous() for name, x in zip(names, tensors, strict=True) if name in kept}
        values = session.run_with_ort_values(None, {name: roundtrip.ort_value(x) for name, x in fed.items()})
        return [roundtrip.torch_value(value) for value in values]

    return run


def _by_reference(evaluator: Any, names: Sequence[str]) -> Run:
    def run(tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        fed = {name: x for name, x in zip(names, tensors, strict=True) if name in evaluator.input_names}
        results = evaluator.run(None, {name: x.detach().numpy() for name, x in fed.items()})
        return [torch.from_numpy(np.array(result)) for result in results]

    return run


def compare_run(run: Run, case: Case) -> Comparison:
    """Runs the model on the inputs of a case."""
    try:
        got = run(tensors_of(case.args))
    except Exception as error:
        return Comparison(Verdict.RUNTIME_ERROR, brief(error))
    return compare_loosely(case.expected, got)


def compare_loosely(expected: Sequence[torch.Tensor], got: Sequence[torch.Tensor]) -> Comparison:
    """Compares as torch does, with tolerances for a whole model, relative to the largest finite result of each."""
    scale = max((_largest(tensor) for tensor in expected), default=1.0)
    tolerances = {dtype: (rtol, atol * max(1.0, scale)) for dtype, (rtol, atol) in _TOLERANCES.items()}
    return compare_all(expected, got, tolerances)


def _largest(tensor: torch.Tensor) -> float:
    if not tensor.is_floating_point():
        return 0.0
    finite = tensor[tensor.isfinite()]
    return float(finite.abs().max()) if finite.numel() else 0.0
