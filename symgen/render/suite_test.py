"""Renders an operator's test for PyTorch's own suite: models that call it, and inputs for `self.run_test`."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from symgen.model.names import OpName
from symgen.model.sample import FLOATS, DType, SampleSpec, TensorSpec, Value
from symgen.render.samples import argument_code, literal, plain_value

_MOST_MODELS, _MOST_INPUTS = 3, 3
_NAMES = ("x", "y", "z", "w")
_EXACT = frozenset({"float32", "int64", "bool"})
"""The dtypes in which the runtime's answer is exact enough for the suite's tolerance."""
_RECIPES = frozenset({"uniform", "ties", "stored"})
_MAIN = "float32"
_FAR = 100
"""Bounds of random values beyond this belong to the edges of a dtype, which the suite does not test."""
_SMALL = 5
"""Random whole numbers where nothing is said of their size lie between this and its negative."""


@dataclass(frozen=True)
class SuiteTest:
    """What the test of one operator is made of."""

    op: OpName
    function: str
    """How torch's users call it (`torch.hypot`)."""
    samples: tuple[SampleSpec, ...]
    """Samples that were proven right, the most telling first."""
    parameters: tuple[str, ...]
    """The names of the operator's arguments, by position."""


def render_suite_test(test: SuiteTest, name: str, decorator: str) -> str:
    """The test method, not indented; empty where no sample can be said in the suite's way."""
    models: dict[str, tuple[SampleSpec, list[SampleSpec]]] = {}
    for sample in filter(_is_plain, test.samples):
        models.setdefault(_call(test, sample), (sample, []))[1].append(sample)
    lines = [f"@{decorator}"] if decorator else []
    lines.append(f"def {name}(self):")
    taken: set[str] = set()
    for call, (first, samples) in sorted(models.items(), key=lambda item: -len(item[1][1]))[:_MOST_MODELS]:
        model = _free(_model_name(test.op, first, test.parameters), taken)
        lines += [
            f"    class {model}(torch.nn.Module):",
            f"        def forward({', '.join(['self', *_tensor_names(test, first)])}):",
            f"            return {call}",
            "",
        ]
        for inputs in _inputs(samples):
            lines += [f"    {name} = {tensor}" for name, tensor in zip(_NAMES, inputs, strict=False)]
            given = ", ".join(_NAMES[: len(inputs)])
            lines.append(f"    self.run_test({model}(), {given if len(inputs) == 1 else f'({given})'})")
        lines.append("")
    return "\n".join(lines[:-1]) + "\n" if taken else ""


def _is_plain(sample: SampleSpec) -> bool:
    """Whether lines of the suite's kind can make its tensors."""
    is_exact = all(value.name in _EXACT for value in sample.values if isinstance(value, DType))
    is_short = 0 < len(sample.tensors) <= len(_NAMES)
    return is_short and is_exact and all(map(_is_plain_tensor, sample.tensors))


def _is_plain_tensor(tensor: TensorSpec) -> bool:
    recipe = tensor.recipe
    is_small = recipe.kind != "stored" or math.prod(tensor.shape) <= 8
    is_near = all(bound is None or abs(bound) <= _FAR for bound in (recipe.low, recipe.high))
    is_usual = tensor.dtype in _EXACT and recipe.kind in _RECIPES and math.prod(tensor.shape) > 0
    return is_small and is_near and is_usual


def _inputs(samples: Sequence[SampleSpec]) -> list[list[str]]:
    """The inputs of a few samples, no two alike: those of other ranks, and the last of another dtype."""
    chosen: dict[tuple[object, ...], list[str]] = {}
    for sample in samples:
        ranks = tuple(len(tensor.shape) for tensor in sample.tensors)
        kind = (sample.dtypes, ranks) if sample.dtypes == (_MAIN,) else ("another",)
        chosen.setdefault(kind, [_tensor(tensor) for tensor in sample.tensors])
    another = [chosen.pop(("another",))] if ("another",) in chosen else []
    return [*chosen.values()][: _MOST_INPUTS - len(another)] + another


def _call(test: SuiteTest, sample: SampleSpec) -> str:
    names = iter(_tensor_names(test, sample))
    parts = [argument_code(value, lambda _: next(names)) for value in sample.positional]
    parts += [f"{key}={argument_code(value, lambda _: next(names))}" for key, value in sample.keywords]
    return f"{test.function}({', '.join(parts)})"


def _tensor_names(test: SuiteTest, sample: SampleSpec) -> list[str]:
    """What the model calls its inputs: as the operator does, and the tensors of a list as mathematicians do."""
    if len(sample.tensors) > sum(isinstance(value, TensorSpec) for value in sample.values):
        return list(_NAMES[: len(sample.tensors)])
    named = [name for name, value in sample.named(test.parameters) if isinstance(value, TensorSpec)]
    return list(map(_input_name, named))


def _input_name(name: str) -> str:
    return "input" if name == "self" else name


def _tensor(spec: TensorSpec) -> str:
    """An expression that makes a tensor like that of the sample."""
    shape, recipe = ", ".join(map(str, spec.shape)), spec.recipe
    if recipe.kind == "stored":
        return f"torch.tensor({literal(spec)})"
    if spec.dtype == "bool":
        return f"torch.rand({shape or '()'}) > 0.5"
    if spec.dtype not in FLOATS:
        low = -_SMALL if recipe.low is None else int(recipe.low)
        high = _SMALL if recipe.high is None else int(recipe.high)
        return f"torch.randint({low}, {high + 1}, {spec.shape})"
    if recipe.low is None or recipe.high is None:
        return f"torch.randn({shape or '()'})"
    width = recipe.high - recipe.low
    scaled = f"torch.rand({shape or '()'})" + (f" * {width:g}" if width != 1 else "")
    return scaled + (f" + {recipe.low:g}" if recipe.low > 0 else f" - {-recipe.low:g}" if recipe.low < 0 else "")


def _model_name(op: OpName, sample: SampleSpec, parameters: Sequence[str]) -> str:
    """`Diff`, and for other arguments than tensors `DiffN2DimMinus1`."""
    static = [
        (name, value) for name, value in sample.named(parameters) if value is not None and not _holds_tensors(value)
    ]
    said = (_camel(_input_name(name)) + _said(value) for name, value in static)
    return _camel(op.base) + "".join(said)


def _holds_tensors(value: Value) -> bool:
    return isinstance(value, TensorSpec) or (isinstance(value, tuple) and any(map(_holds_tensors, value)))


def _said(value: Value) -> str:
    text = plain_value(value) if not isinstance(value, tuple) else "And".join(map(_said, value))
    return _camel(re.sub(r"\W+", "_", text.replace("-", "Minus").replace("torch.", "")))


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "Again"
    taken.add(name)
    return name
