"""Exports calls of a custom operator with the symbolic function that was generated for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils import _pytree as pytree

from symgen.lower.custom_nodes import expected_node
from symgen.model.names import OpName
from symgen.model.node import NodeSpec
from symgen.model.result import SampleResult, Verdict
from symgen.model.sample import SampleSpec
from symgen.model.schema import AtenSchema
from symgen.verify.calls import Call, make_call, scripted_function
from symgen.verify.choose import choose_samples
from symgen.verify.domains.rows import Domain as ArgumentDomain
from symgen.verify.generate import generate_samples
from symgen.verify.node_export import NodeCall, export_call, function_opset
from symgen.verify.plan import twin
from symgen.verify.runner import register
from symgen.verify.user_jobs import NodesSeen, OperatorNodeJob

_CALLS = 14


def export_operator(job: OperatorNodeJob) -> NodesSeen:
    """Registers the symbolic function, finds calls, and exports each."""
    schemas = tuple(spec.schema for spec in job.specs)
    stand_in(schemas)
    register(job.opsets[0], job.source)
    results: list[SampleResult] = []
    proven: list[SampleSpec] = []
    notes: dict[str, None] = {}
    own = [opset for spec in job.specs if (opset := function_opset(spec.domain, spec.name))]
    opsets = (max(own),) if own else job.opsets
    for spec in job.specs:
        for sample in _samples(spec.schema, schemas):
            call, complaint = _node_call(spec, schemas, sample)
            notes |= {complaint: None} if complaint and not notes else {}
            seen = [result for opset in opsets for result in export_call(call, opset, job.library)]
            results += seen
            if all(result.verdict is Verdict.RIGHT for result in seen):
                proven.append(sample)
    runs = len(results) if job.library or own else 0
    return NodesSeen(tuple(results), tuple(proven), tuple(notes), runs, max(own, default=None))


def stand_in(schemas: Sequence[AtenSchema]) -> None:
    """Defines those of the operators that nothing has registered; each gives a copy of its first tensor."""
    for schema in schemas:
        if not _is_registered(schema.name):
            torch.library.define(str(schema.name), str(schema).removeprefix(str(schema.name)))
            torch.library.impl(str(schema.name), "default", _copier(schema))


def _is_registered(name: OpName) -> bool:
    found = torch._C._jit_get_schemas_for_operator(name.qualified)
    return any(schema.overload_name == name.overload for schema in found)


def _copier(schema: AtenSchema) -> Any:
    def copy(*arguments: Any, **keywords: Any) -> Any:
        leaves = [leaf for value in (*arguments, *keywords.values()) for leaf in _leaves(value)]
        results = tuple(leaves[0].clone() for _ in schema.returns)
        return results if len(results) > 1 else results[0]

    return copy


def _leaves(value: Any) -> Iterator[torch.Tensor]:
    for leaf in value if isinstance(value, list | tuple) else (value,):
        if isinstance(leaf, torch.Tensor):
            yield leaf


def _samples(schema: AtenSchema, schemas: Sequence[AtenSchema]) -> tuple[SampleSpec, ...]:
    def accepts(sample: SampleSpec) -> bool:
        return _eager(schema.name, schemas, sample) is not None

    samples = generate_samples(schema, ArgumentDomain(), accepts)
    return choose_samples(samples, _CALLS) if samples else ()


def _eager(name: OpName, schemas: Sequence[AtenSchema], sample: SampleSpec) -> tuple[Call, list[torch.Tensor]] | None:
    try:
        call = make_call(name, schemas, sample)
        results = call.eager()
    except Exception:
        return None
    return (call, results) if results else None


def _node_call(spec: NodeSpec, schemas: Sequence[AtenSchema], sample: SampleSpec) -> tuple[NodeCall, str]:
    """The call, and what is wrong with what the operator says of its results without data.

    That is all that is known of them in a scripted graph: where it is wrong, nothing can be held against the export.
    """
    made = _eager(spec.schema.name, schemas, sample)
    assert made is not None
    call, results = made
    further = twin(sample)
    larger = _eager(spec.schema.name, schemas, further) if further else None
    complaint = _fake_complaint(call, results)
    made_call = NodeCall(
        sample=sample,
        module=call.module(),
        tensors=call.tensors,
        results=results,
        expected=expected_node(spec, sample),
        larger=larger[1] if larger else None,
        scripted=None if complaint else scripted_function(spec.schema.name, schemas, sample),
    )
    return made_call, f"{spec.schema.name} without data {complaint}: {sample}" if complaint else ""


def _fake_complaint(call: Call, results: Sequence[torch.Tensor]) -> str:
    """What an operator's implementation for fake tensors gets wrong, or that there is none; empty where it is right."""
    mode = FakeTensorMode()
    try:
        positional, keywords = pytree.tree_map_only(
            torch.Tensor, mode.from_tensor, (list(call.positional), call.keywords)
        )
        with mode, torch.no_grad():
            given = call.op(*positional, **keywords)
    except Exception:
        return "cannot be called, as no fake implementation is registered"
    for fake, real in zip(pytree.tree_leaves(given), results, strict=False):
        if (fake.dtype, tuple(fake.shape)) != (real.dtype, tuple(real.shape)):
            return f"gives {fake.dtype} {list(fake.shape)}, not {real.dtype} {list(real.shape)}"
    return ""
