"""Exports a whole model, runs it in ONNX Runtime, and compares: on its own inputs, on other values, in another size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import onnx
import torch
from onnxruntime.capi import onnxruntime_pybind11_state as ort_errors
from torch.utils import _pytree as pytree

from symgen.model.result import Verdict
from symgen.model.scan import NOT_COMPARED, RIGHT
from symgen.verify.compare import Comparison
from symgen.verify.runner import brief, export_verdict
from symgen.verify.scan_jobs import ExportJob, ExportSeen, ScanSeen, ScanStep
from symgen.verify.scanning.bisect import first_wrong
from symgen.verify.scanning.comparing import Case, compare_run, export_to, load_file
from symgen.verify.scanning.loading import LoadedModel, UnusableError, tensors_of


def export_model(loaded: LoadedModel, job: ExportJob, tell: Callable[[ScanStep | ScanSeen], None]) -> ExportSeen:
    """Exports into the file of the job, and judges what comes out.

    Raises:
        UnusableError: where the model itself fails on its inputs.
    """
    expected = tensors_of(loaded.run())
    tell(ScanStep("exporting"))
    try:
        export_to(loaded, job.path, job.opset, dict(job.custom_opsets))
    except Exception as error:
        return ExportSeen(export_verdict(error).value, brief(error))
    nodes = len(onnx.load(job.path, load_external_data=False).graph.node)
    try:
        run = load_file(job.path, loaded)
    except ort_errors.Fail as error:
        if job.custom_opsets:
            return ExportSeen(NOT_COMPARED, f"nothing here has kernels for it: {brief(error)}", nodes)
        return ExportSeen(Verdict.RUNTIME_ERROR.value, brief(error), nodes)
    except Exception as error:
        return ExportSeen(Verdict.RUNTIME_ERROR.value, brief(error), nodes)
    tell(ScanStep("comparing"))
    right = Comparison(Verdict.RIGHT)
    for case in (Case(loaded.args, expected, ""), *_further_cases(loaded, len(expected))):
        seen = compare_run(run, case)
        if seen.verdict is not Verdict.RIGHT:
            detail = f"{case.what}{seen.detail}"
            tell(ScanStep("looking for the first operator that differs"))
            wrong = first_wrong(loaded, case, job)
            return ExportSeen(seen.verdict.value, detail, nodes, seen.max_abs_err, seen.max_rel_err, wrong)
        right = Comparison(
            Verdict.RIGHT, "", max(right.max_abs_err, seen.max_abs_err), max(right.max_rel_err, seen.max_rel_err)
        )
    return ExportSeen(RIGHT, "", nodes, right.max_abs_err, right.max_rel_err)


def _further_cases(loaded: LoadedModel, outputs: int) -> Iterator[Case]:
    """Other values, and another size of the dynamic axes, where the model takes them and gives as many results."""
    changed = [("on other values: ", pytree.tree_map_only(torch.Tensor, _other_values, loaded.args))]
    if loaded.axes:
        changed.append(("in another size: ", larger(loaded)))
    for what, args in changed:
        try:
            expected = tensors_of(loaded.run(args))
        except UnusableError:
            continue
        if len(expected) == outputs:
            yield Case(args, expected, what)


def larger(loaded: LoadedModel) -> tuple[Any, ...]:
    """The inputs with every dynamic axis longer by one; axes of one name stay equal."""
    leaves, tree = pytree.tree_flatten(loaded.args)
    place = -1
    for number, leaf in enumerate(leaves):
        if isinstance(leaf, torch.Tensor):
            place += 1
            for axis in loaded.axes.get(place, {}):
                size = leaf.shape[axis]
                leaf = leaf.index_select(axis, torch.arange(size + 1) % max(size, 1))
            leaves[number] = leaf
    args: tuple[Any, ...] = pytree.tree_unflatten(leaves, tree)
    return args


def _other_values(tensor: torch.Tensor) -> torch.Tensor:
    """Other values of the same kind: the elements in another order, floats a little smaller too."""
    if not tensor.numel():
        return tensor
    turned = tensor.flatten().roll(1).reshape(tensor.shape).flip(tuple(range(tensor.dim())))
    return turned * 0.75 if tensor.is_floating_point() else turned
