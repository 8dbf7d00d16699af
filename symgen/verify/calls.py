"""A sample made real in a child process: its tensors, its eager result, the module that makes the same call."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch.utils import _pytree as pytree

from symgen.model.names import OpName
from symgen.model.sample import DType, Length, Recipe, SampleSpec, TensorSpec, Value
from symgen.model.schema import AtenSchema
from symgen.verify import roundtrip
from symgen.verify.domains.quantized import QUANTIZED, float_arguments
from symgen.verify.encoding import decode, encode
from symgen.verify.given_lengths import GivenLength, input_tensors, measuring_module

MOST_STORED = 64
"""Elements of a tensor whose values are told one by one."""


_QUINT8 = 13
"""The number of `torch.quint8` in TorchScript."""


@dataclass(frozen=True)
class Call:
    """An operator with the arguments of one sample."""

    op: Callable[..., Any]
    positional: tuple[Any, ...]
    keywords: dict[str, Any]
    writes: bool

    @property
    def tensors(self) -> list[torch.Tensor]:
        """The tensors of the call, in order."""
        return [leaf for leaf in self._leaves if isinstance(leaf, torch.Tensor)]

    @property
    def inputs(self) -> list[torch.Tensor]:
        """What the module of the call takes, in order: the tensors, and others that have the lengths."""
        return list(input_tensors(self._leaves))

    @property
    def _leaves(self) -> list[Any]:
        leaves: list[Any] = pytree.tree_leaves((self.positional, self.keywords))
        return leaves

    def eager(self) -> list[torch.Tensor]:
        """What torch itself gives, as a flat list of tensors.

        Raises:
            NotATensorError: where a result is no tensor, so that a graph could not return it.
        """
        positional, keywords = pytree.tree_map_only(torch.Tensor, torch.clone, (self.positional, self.keywords))
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return list(_results(self.op(*positional, **keywords)))

    def in_double(self) -> Call:
        """The same call on tensors of double precision, which torch computes more exactly."""
        positional, keywords = _in_double((self.positional, self.keywords))
        return replace(self, positional=positional, keywords=keywords)

    def nudged(self, generator: torch.Generator) -> Call:
        """The same call on tensors of which each element has moved up or down in its last place."""

        def nudge(x: torch.Tensor) -> torch.Tensor:
            if x.is_complex():
                return torch.view_as_complex(nudge(torch.view_as_real(x)))
            if not x.is_floating_point():
                return x
            signs = torch.randint(0, 2, x.shape, generator=generator) * 2 - 1
            return x.double() * (1 + torch.finfo(x.dtype).eps * signs)

        positional, keywords = pytree.tree_map_only(torch.Tensor, nudge, (self.positional, self.keywords))
        return replace(self, positional=positional, keywords=keywords)

    def module(self, *, carried: bool = True) -> torch.nn.Module:
        """A module for tracing: its forward takes the tensors only, complex ones as real ones where `carried`.

        Numbers that are lengths it takes from further tensors.
        """
        if any(isinstance(leaf, GivenLength) for leaf in self._leaves):
            return measuring_module(self.op, self.positional, self.keywords, self.writes)
        return roundtrip.call_module(self.op, self.positional, self.keywords, self.writes, carried)


class NotATensorError(TypeError):
    """The operator gives something that no graph can return."""


def make_call(name: OpName, schemas: Sequence[AtenSchema], sample: SampleSpec, turn: int = 0) -> Call:
    """Builds the tensors of a sample; another turn gives other values of the same kind."""
    schema = next(schema for schema in schemas if schema.name.overload == sample.overload)
    packet = getattr(getattr(torch.ops, name.namespace), schema.name.base)
    seeds = itertools.count(1000 * turn)
    positional = tuple(_real(value, seeds) for value in sample.positional)
    keywords = {key: _real(value, seeds) for key, value in sample.keywords}
    op = getattr(packet, sample.overload or "default")
    if name.namespace == QUANTIZED:
        op = roundtrip.on_floats(op, float_arguments(name))
    elif schema.gives_a_number:
        op = roundtrip.through_script(op)
    return Call(op, positional, keywords, schema.arguments[0].is_written)


def with_stored_values(name: OpName, schemas: Sequence[AtenSchema], sample: SampleSpec, turn: int) -> SampleSpec:
    """The same sample with the values that its small tensors have in this turn as data."""
    tensors = make_call(name, schemas, sample, turn).tensors
    return sample.with_tensors(
        tuple(
            replace(spec, recipe=Recipe("stored", data=encode(x)), layout="contiguous")
            if x.numel() <= MOST_STORED
            else spec
            for spec, x in zip(sample.tensors, tensors, strict=True)
        )
    )


def scripted_function(name: OpName, schemas: Sequence[AtenSchema], sample: SampleSpec) -> Any:
    """The same call as TorchScript; its source is made from the schema's names and from values, never from text."""
    schema = next(schema for schema in schemas if schema.name.overload == sample.overload)
    is_quantized = name.namespace == QUANTIZED
    names = _quantized_names(name, schema, sample) if is_quantized else (f"x{place}" for place in itertools.count())
    parts = [_script(value, names) for value in sample.positional]
    if schema.arguments[0].is_written:
        parts[0] += ".clone()"
    parts += [f"{key}={_script(value, names)}" for key, value in sample.keywords]
    inputs = ", ".join(f"x{place}: Tensor" for place in range(len(sample.inputs)))
    call = f"torch.ops.{name.namespace}.{schema.name.base}({', '.join(parts)})"
    call += ".dequantize()" if is_quantized else ""
    call = f"torch.tensor({call})" if schema.gives_a_number else call
    unit = torch.jit.CompilationUnit(f"def call({inputs}):\n    return {call}\n")
    return unit.call


def _quantized_names(name: OpName, schema: AtenSchema, sample: SampleSpec) -> Iterator[str]:
    """The tensors of a scripted call of a quantised operator: quantised as `on_floats` does it."""
    given = sample.named(argument.name for argument in schema.arguments)
    place = itertools.count()
    for argument, value in given:
        for _ in replace(sample, positional=(value,), keywords=()).tensors:
            x = f"x{next(place)}"
            is_float = argument in float_arguments(name)
            yield x if is_float else f"torch.quantize_per_tensor({x}, 0.08, 50, {_QUINT8})"


def _script(value: Value, names: Iterator[str]) -> str:
    if isinstance(value, TensorSpec):
        return next(names)
    if isinstance(value, Length):
        return f"{next(names)}.size(0)"
    if isinstance(value, DType):
        return f"torch.{value.name}"
    if isinstance(value, tuple):
        return f"[{', '.join(_script(element, names) for element in value)}]"
    if isinstance(value, float) and not np.isfinite(value):
        return f"float('{value}')"
    return repr(value)


def real_values(values: Sequence[Value], turn: int = 0) -> tuple[Any, ...]:
    """The arguments of a call by position, tensors built; another turn gives other values of the same kind."""
    seeds = itertools.count(1000 * turn)
    return tuple(_real(value, seeds) for value in values)


def _real(value: Value, seeds: Iterator[int]) -> Any:
    if isinstance(value, TensorSpec):
        return _tensor(value, next(seeds))
    if isinstance(value, DType):
        return getattr(torch, value.name)
    if isinstance(value, Length):
        return GivenLength(value.number)
    if isinstance(value, tuple):
        return [_real(element, seeds) for element in value]
    return value


def _tensor(spec: TensorSpec, seed: int) -> torch.Tensor:
    dtype: torch.dtype = getattr(torch, spec.dtype)
    recipe = spec.recipe
    if recipe.kind == "stored":
        return decode(recipe.data, spec.shape, dtype)
    return roundtrip.tensor(spec.shape, dtype, seed, recipe.kind, recipe.low, recipe.high, spec.layout)


def _in_double(values: Any) -> Any:
    """The values with tensors of floating point, and dtypes of it that are asked for, in double precision."""

    def double(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            if value.is_complex():
                return value.to(torch.complex128)
            return value.double() if value.is_floating_point() else value
        return torch.float64 if isinstance(value, torch.dtype) and value.is_floating_point else value

    return pytree.tree_map(double, values)


def _results(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield roundtrip.real_view(value.detach())
    elif isinstance(value, list | tuple):
        for element in value:
            yield from _results(element)
    else:
        raise NotATensorError(type(value).__name__)
