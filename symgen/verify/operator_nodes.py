"""Exports calls of a custom operator with the symbolic function that was generated for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import onnx
import torch

from symgen.model.names import OpName
from symgen.model.node import InputKind, NodeAttribute, NodeInput, NodeSpec
from symgen.model.result import SampleResult, Verdict
from symgen.model.sample import DTYPES, DType, SampleSpec, TensorSpec, Value
from symgen.model.schema import Argument, AtenSchema
from symgen.model.types import ListType, strip_optional
from symgen.verify.calls import Call, make_call, scripted_function
from symgen.verify.choose import choose_samples
from symgen.verify.domains.rows import Domain as ArgumentDomain
from symgen.verify.generate import generate_samples
from symgen.verify.node_export import ExpectedNode, NodeCall, export_call, without_trailing_absent
from symgen.verify.plan import twin
from symgen.verify.runner import register
from symgen.verify.user_jobs import NodesSeen, OperatorNodeJob

_CALLS = 14
_ONNX_TYPES = {name: onnx.helper.np_dtype_to_tensor_dtype(np.dtype(name)) for name in DTYPES if name != "bfloat16"}


def export_operator(job: OperatorNodeJob) -> NodesSeen:
    """Registers the symbolic function, finds calls, and exports each."""
    schemas = tuple(spec.schema for spec in job.specs)
    stand_in(schemas)
    register(job.opsets[0], job.source)
    results: list[SampleResult] = []
    proven: list[SampleSpec] = []
    for spec in job.specs:
        for sample in _samples(spec.schema, schemas):
            call = _node_call(spec, schemas, sample)
            seen = [result for opset in job.opsets for result in export_call(call, opset, job.library)]
            results += seen
            if all(result.verdict is Verdict.RIGHT for result in seen):
                proven.append(sample)
    return NodesSeen(tuple(results), tuple(proven))


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


def _node_call(spec: NodeSpec, schemas: Sequence[AtenSchema], sample: SampleSpec) -> NodeCall:
    made = _eager(spec.schema.name, schemas, sample)
    assert made is not None
    call, results = made
    further = twin(sample)
    larger = _eager(spec.schema.name, schemas, further) if further else None
    return NodeCall(
        sample=sample,
        module=call.module(),
        tensors=call.tensors,
        results=results,
        expected=_expected(spec, sample),
        larger=larger[1] if larger else None,
        scripted=scripted_function(spec.schema.name, schemas, sample),
    )


def _expected(spec: NodeSpec, sample: SampleSpec) -> ExpectedNode:
    given = dict(zip((argument.name for argument in spec.schema.arguments), sample.positional, strict=False))
    given |= dict(sample.keywords)
    inputs: list[bool] = []
    attributes: dict[str, Value] = {}
    for argument, part in zip(spec.schema.arguments, spec.parts, strict=True):
        value = given.get(argument.name, argument.default_value)
        if isinstance(part, NodeInput):
            inputs += _presence(part, value)
        elif isinstance(part, NodeAttribute) and value is not None:
            attributes[part.name] = _attribute_value(argument, value)
    return ExpectedNode(spec.domain, spec.name, without_trailing_absent(inputs), attributes)


def _presence(part: NodeInput, value: Value) -> list[bool]:
    """Whether each of the inputs that stand for an argument is there."""
    items = value if isinstance(value, tuple) and part.kind is InputKind.LIST else (value,)
    return [isinstance(item, TensorSpec) for item in items]


def _attribute_value(argument: Argument, value: Value) -> Value:
    """The value as the attribute has it: dtypes as ONNX numbers them, one number for as many as the type says."""
    if isinstance(value, DType):
        return _ONNX_TYPES[value.name]
    bare = strip_optional(argument.type)
    if isinstance(bare, ListType) and not isinstance(value, tuple):
        return (value,) * (bare.size or 1)
    return value
