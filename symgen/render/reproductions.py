"""Renders one failing sample as a script that stands alone, to be attached to a report."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path

from symgen.model.names import OpName
from symgen.model.result import SampleResult
from symgen.model.sample import Length, SampleSpec, TensorSpec, Value
from symgen.render.environment import template_environment
from symgen.render.samples import argument_code, literal
from symgen.render.text import docstring

_TEMPLATE = "tests/reproduction.py.jinja"


@dataclass(frozen=True)
class Reproduction:
    """What a script is made of."""

    op: OpName
    sample: SampleSpec
    result: SampleResult
    versions: str = ""
    """`torch 2.13.0, onnx 1.23.2, onnxruntime 1.32.0`."""
    package: str = ""
    """A package to import, whose functions the export uses."""


def render_reproduction(reproduction: Reproduction, own_templates: Path | None = None) -> str:
    """The script: it makes the call, exports it, and prints what PyTorch and the runtime give."""
    op, sample, result = reproduction.op, reproduction.sample, reproduction.result
    mode, _, dynamic = result.mode.partition("+")
    names = [f"x{place}" for place in range(len(sample.inputs))]
    rest = iter(names)

    def code(value: Value) -> str:
        return argument_code(value, lambda _: next(rest), lambda: f"{next(rest)}.shape[0]")

    parts = [*map(code, sample.positional), *(f"{name}={code(value)}" for name, value in sample.keywords)]
    return (
        template_environment(own_templates)
        .get_template(_TEMPLATE)
        .render(
            title=docstring(f"{op} at opset {result.opset}: {result.verdict.value}."),
            notes=[line for text in (result.detail, reproduction.versions) for line in text.splitlines()],
            call=f"torch.ops.{op.namespace}.{op.base}({', '.join(parts)})",
            scripted=mode == "scripted",
            exported=mode == "exported",
            inputs=[(name, _tensor(spec, seed)) for name, spec, seed in zip(names, sample.inputs, itertools.count())],
            opset=result.opset,
            dynamic=bool(dynamic),
            package=reproduction.package,
        )
    )


def _tensor(spec: TensorSpec | Length, seed: int) -> str:
    """The tensor's values where they are known, else random ones between its limits; any of a length."""
    if isinstance(spec, Length):
        return f"torch.ones({spec.number}, dtype=torch.bool)"
    if spec.recipe.kind == "stored":
        text = f"torch.tensor({literal(spec)}, dtype=torch.{spec.dtype})"
        return text if all(spec.shape) else f"torch.empty({spec.shape}, dtype=torch.{spec.dtype})"
    low = -4.0 if spec.recipe.low is None else spec.recipe.low
    high = 4.0 if spec.recipe.high is None else spec.recipe.high
    values = f"torch.rand({spec.shape}, generator=torch.Generator().manual_seed({seed}))"
    return f"({low} + {high - low} * {values}).to(torch.{spec.dtype})"
