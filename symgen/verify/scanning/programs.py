"""Scans an exported program, a `.pt2`, which only the dynamo exporter takes: its operators are judged against that."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

from symgen.model.scan import Place
from symgen.verify.runner import brief
from symgen.verify.scan_jobs import OpUse, ScanSeen, ScanStep, TargetSpec
from symgen.verify.scanning.loading import UnusableError
from symgen.verify.scanning.places import user_line

_STEP = 500
_PREFIX = re.compile(r"^L\['self'\]\.?|\._modules\['([^']+)'\]")


def scan_program(target: TargetSpec, opset: int, tell: Callable[[ScanStep | ScanSeen], None]) -> ScanSeen:
    """Asks the dynamo exporter's registry for every operator of the program, once it has been decomposed.

    Raises:
        UnusableError: where the file can't be loaded, or onnxscript isn't installed.
    """
    try:
        from torch.onnx._internal.exporter import _constants, _core, _dispatching, _registration
    except ImportError as error:
        raise UnusableError(f"an exported program is judged by the dynamo exporter, which needs {error.name}") from None
    try:
        program = torch.export.load(target.path)
    except Exception as error:
        raise UnusableError(f"cannot be loaded: {brief(error)}") from error
    tell(ScanStep("decomposing"))
    registry = _registration.ONNXRegistry.from_torchlib(max(opset, _constants.TORCHLIB_OPSET))
    try:
        program = _core._prepare_exported_program_for_export(program, registry=registry)
    except Exception as error:
        return ScanSeen(failure=brief(error), exporter="dynamo")
    uses: dict[str, OpUse] = {}
    calls = [node for node in program.graph.nodes if node.op == "call_function"]
    for number, node in enumerate(calls):
        if number % _STEP == 0:
            tell(ScanStep("judging operators", number, len(calls)))
        function, _ = _dispatching.dispatch(node, registry)
        if function is None and isinstance(node.target, torch._ops.OpOverload):
            _count(uses, node)
    return ScanSeen(nodes=len(calls), uses=tuple(uses.values()), complete=True, exporter="dynamo")


def _count(uses: dict[str, OpUse], node: Any) -> None:
    called = node.meta.get("original_aten") or node.target
    op = called.name().partition(".")[0]
    known = uses.get(op) or OpUse(op, op, 0, _place(node), met=True)
    uses[op] = replace(known, count=known.count + 1)


def _place(node: Any) -> Place:
    stack = node.meta.get("nn_module_stack") or {}
    module = next((path for path, _ in reversed(list(stack.values()))), "")
    return Place(_PREFIX.sub(r".\1", str(module)).strip("."), *user_line(node.meta.get("stack_trace") or "", last=True))
