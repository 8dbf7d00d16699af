"""One round trip: build the tensors, export one call, run the model. Generated tests carry a copy of these functions.

Only torch, onnx, onnxruntime and numpy are needed here, and each function stands alone but for the others in this file.
"""

from __future__ import annotations

import functools
import io
import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
import torch
from onnx.reference import ReferenceEvaluator
from torch.onnx._internal.torchscript_exporter import registration
from torch.utils import _pytree as pytree


def tensor(
    shape: Sequence[int],
    dtype: torch.dtype,
    seed: int,
    recipe: str = "uniform",
    low: float | None = None,
    high: float | None = None,
    layout: str = "contiguous",
) -> torch.Tensor:
    """Builds a tensor from its recipe; equal arguments give equal values."""
    if layout == "transposed":
        backwards = tuple(reversed(range(len(shape))))
        return tensor(shape, dtype, seed, recipe, low, high).permute(backwards).contiguous().permute(backwards)
    if layout == "strided":
        return torch.repeat_interleave(tensor(shape, dtype, seed, recipe, low, high), 2, dim=-1)[..., ::2]
    if dtype.is_complex:
        return torch.view_as_complex(tensor((*shape, 2), dtype.to_real(), seed, recipe, low, high))
    kind, _, of_what = recipe.partition(" ")
    if kind in ("sorted", "sorted_down"):
        values = tensor(shape, dtype, seed, of_what or "uniform", low, high).nan_to_num(nan=math.inf, posinf=math.inf)
        return values.sort(dim=-1, descending=kind == "sorted_down").values
    if recipe == "countdown":
        return torch.arange(shape[-1] - 1, -1, -1, dtype=dtype).expand(tuple(shape)).clone()
    generator = torch.Generator().manual_seed(seed)
    count = int(np.prod(shape, dtype=np.int64))
    whole = not dtype.is_floating_point
    low = (0.0 if dtype in (torch.uint8, torch.bool) else -5.0 if whole else -4.0) if low is None else low
    high = (
        (1.0 if dtype is torch.bool else 9.0 if dtype is torch.uint8 else 5.0 if whole else 4.0)
        if high is None
        else high
    )
    if recipe == "permutation":
        order = torch.rand(tuple(shape), generator=generator).argsort(-1)
        return order.to(dtype)
    if recipe == "distinct":
        values = (torch.randperm(count, generator=generator).double() - count // 2).reshape(tuple(shape)) * (
            1.0 if whole else 0.5
        )
        return values.to(dtype)
    if recipe == "edges":
        # Each tensor of a call starts elsewhere, so that different edges meet.
        special = edge_values(dtype).roll(5 * seed)
        return special.repeat(count // len(special) + 1)[:count].reshape(tuple(shape))
    values = low + (high - low) * torch.rand(tuple(shape), generator=generator, dtype=torch.float64)
    # A nan has no whole number: what becomes of it depends on the machine.
    values = shaped(values, "uniform" if whole and recipe == "holes" else recipe)
    return (values.round() if whole else values).to(dtype)


def edge_values(dtype: torch.dtype) -> torch.Tensor:
    """The values at which operators of this dtype go wrong first: zeros, ones, halves, limits, inf, nan."""
    if dtype is torch.bool:
        # Neighbours, and the elements of two tensors, meet in all four ways.
        return torch.tensor([False, False, True, True])
    if not dtype.is_floating_point:
        info = torch.iinfo(dtype)
        numbers = [0, 1, 2, 3, 7, info.max, info.max - 1, info.max // 2 + 1]
        return torch.tensor(numbers + ([-1, -2, -3, -7, info.min, info.min + 1] if info.min else []), dtype=dtype)
    limits = torch.finfo(dtype)
    half = [0.0, 1e-4, 0.3, 0.5, 1.0, 1.5, 2.5, 7.25, 20.0, 88.0, 1000.0, limits.max, limits.tiny, float("inf")]
    return torch.tensor([*half, *(-value for value in half), float("nan")], dtype=torch.float64).to(dtype)


def shaped(values: torch.Tensor, recipe: str) -> torch.Tensor:
    """Gives uniform values the structure that the recipe asks for."""
    size = values.shape[-1] if values.dim() else 0
    if recipe == "ties":
        return (values / 2).round() / 2
    if recipe == "holes":
        flat = values.reshape(-1).clone()
        flat[1:2], flat[5:6], flat[10:11] = float("nan"), float("inf"), float("-inf")
        return flat.reshape(values.shape)
    if recipe == "simplex":
        return values.softmax(-1)
    if recipe == "definite":
        return values @ values.mT + size * torch.eye(size, dtype=values.dtype)
    if recipe == "symmetric":
        return values + values.mT
    if recipe == "regular":
        return values + 3 * size * torch.eye(size, dtype=values.dtype)
    if recipe in ("lower", "upper"):
        dominant = values + 3 * size * torch.eye(size, dtype=values.dtype)
        return dominant.tril() if recipe == "lower" else dominant.triu()
    return values


def real_view(x: torch.Tensor) -> torch.Tensor:
    """A complex tensor as models carry it, a real one with a last axis of 2; any other tensor as it is."""
    if not x.is_complex():
        return x
    return torch.view_as_real(x.resolve_conj() if x.is_conj() else x)


def carry_complex() -> None:
    """Lets complex tensors enter and leave a model as real ones where nothing else does."""

    def passed_on(g: Any, value: Any) -> Any:
        return g.op("Identity", value)

    passed_on.carries_complex = True  # type: ignore[attr-defined]
    for name in ("aten::view_as_complex", "aten::view_as_real", "aten::resolve_conj"):
        group = registration.registry.get_function_group(name)
        if group is None or not hasattr(group.get(20), "carries_complex"):
            registration.onnx_symbolic(name, opset=9, custom=True)(passed_on)


def call_module(
    op: Callable[..., Any],
    arguments: Sequence[Any],
    keywords: dict[str, Any],
    written: bool = False,
    carried: bool = True,
) -> torch.nn.Module:
    """A module whose forward takes the tensors among the arguments and calls the operator; all else is built in.

    Complex tensors enter and leave it as real ones where they are `carried`.
    """
    leaves, tree = pytree.tree_flatten((list(arguments), keywords))

    class Call(torch.nn.Module):
        def forward(self, *tensors: torch.Tensor) -> Any:
            rest = iter(tensors)
            filled = [next(rest) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
            whole = [
                torch.view_as_complex(value)
                if carried and isinstance(leaf, torch.Tensor) and leaf.is_complex()
                else value
                for leaf, value in zip(leaves, filled, strict=True)
            ]
            positional, named = pytree.tree_unflatten(whole, tree)
            if written:
                positional[0] = positional[0].clone()
            results = op(*positional, **named)
            return pytree.tree_map_only(torch.Tensor, real_view, results) if carried else results

    return Call()


def on_floats(op: Callable[..., Any], floats: Sequence[str] = ()) -> Callable[..., Any]:
    """A quantised operator that takes float tensors, quantises all but those in `floats`, and gives float tensors."""
    names = [argument.name for argument in op._schema.arguments]  # type: ignore[attr-defined]

    def quantized(name: str, value: Any) -> Any:
        if isinstance(value, list):
            return [quantized(name, one) for one in value]
        is_float = name in floats or not isinstance(value, torch.Tensor)
        return value if is_float else torch.quantize_per_tensor(value, 0.08, 50, torch.quint8)

    @functools.wraps(op)
    def call(*arguments: Any, **keywords: Any) -> Any:
        positional = [quantized(name, value) for name, value in zip(names, arguments, strict=False)]
        return op(*positional, **{name: quantized(name, value) for name, value in keywords.items()}).dequantize()

    return call


def through_script(op: Callable[..., Any]) -> Callable[..., Any]:
    """The operator called from a script, which makes a tensor of its number; a trace takes over the script's graph.

    For torch.export, which goes through no script, it is called as it is.
    """
    # Scripts are kept: a graph into which one was traced does not keep it.
    compiled = functools.cache(torch.jit.CompilationUnit)

    @functools.wraps(op)
    def call(*arguments: Any, **keywords: Any) -> Any:
        if torch.compiler.is_exporting():
            return torch.tensor(op(*arguments, **keywords))
        tensors = [leaf for leaf in pytree.tree_leaves((arguments, keywords)) if isinstance(leaf, torch.Tensor)]
        names = iter(input_names(tensors))

        def text(value: Any) -> str:
            if isinstance(value, torch.Tensor):
                return next(names)
            return f"float('{value}')" if isinstance(value, float) else str(value)

        parts = [*map(text, arguments), *(f"{name}={text(value)}" for name, value in keywords.items())]
        target = op._schema.name.replace("::", ".")  # type: ignore[attr-defined]
        declared = ", ".join(f"{name}: Tensor" for name in input_names(tensors))
        source = f"def call({declared}):\n    return torch.tensor(torch.ops.{target}({', '.join(parts)}))\n"
        return compiled(source).call(*tensors)

    return call


def export(
    module: torch.nn.Module, tensors: Sequence[torch.Tensor], opset: int, dynamic: bool, **options: Any
) -> bytes:
    """Exports with the TorchScript exporter and has the checker look at the model; the inputs are x0, x1 and so on."""
    names = input_names(tensors)
    tensors = [real_view(x) for x in tensors]
    axes = {name: {axis: f"{name}_{axis}" for axis in range(x.dim())} for name, x in zip(names, tensors, strict=True)}
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module,
            tuple(x.clone() for x in tensors),
            buffer,  # type: ignore[arg-type]
            dynamo=False,
            opset_version=opset,
            input_names=names,
            dynamic_axes={name: sizes for name, sizes in axes.items() if sizes} if dynamic else None,
            **options,
        )
    onnx.checker.check_model(buffer.getvalue(), full_check=True)
    return buffer.getvalue()


def load(model: bytes) -> tuple[Callable[[Sequence[torch.Tensor]], list[torch.Tensor]], bool]:
    """A function that runs the model, and whether it is onnx's reference, for what the runtime has no kernel for."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        return functools.partial(run_session, session), False
    except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented:
        evaluator = ReferenceEvaluator(onnx.load_from_string(model))
        return functools.partial(run_reference, evaluator), True


def run_session(session: Any, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Runs the model in ONNX Runtime; an input that the graph has not kept is not fed."""
    kept = {value.name for value in session.get_inputs()}
    feeds = {
        name: real_view(x).detach().contiguous()
        for name, x in zip(input_names(tensors), tensors, strict=True)
        if name in kept
    }
    if any(output.type.startswith("seq") for output in session.get_outputs()):
        outputs = session.run(None, {name: x.numpy() for name, x in feeds.items()})
        return [torch.from_numpy(np.array(y)) for x in outputs for y in (x if isinstance(x, list) else [x])]
    return [
        torch_value(x) for x in session.run_with_ort_values(None, {name: ort_value(x) for name, x in feeds.items()})
    ]


def run_reference(evaluator: Any, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Runs the model in onnx's reference; bfloat16 is there a type of ml_dtypes."""
    feeds = {
        name: x.view(torch.int16).numpy().view(ml_dtypes.bfloat16) if x.dtype is torch.bfloat16 else x.numpy()
        for name, x in zip(input_names(tensors), (real_view(x).detach().contiguous() for x in tensors), strict=True)
        if name in evaluator.input_names
    }
    with np.errstate(all="ignore"):
        outputs = evaluator.run(None, feeds)
    arrays = [np.array(y) for x in outputs for y in (x if isinstance(x, list) else [x])]
    return [
        torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
        if array.dtype == ml_dtypes.bfloat16
        else torch.from_numpy(array)
        for array in arrays
    ]


def ort_value(x: torch.Tensor) -> Any:
    """The runtime's view of a tensor."""
    if x.dtype is torch.bfloat16:
        bits = x.view(torch.int16).numpy()
        return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(bits, onnx.TensorProto.BFLOAT16)
    return onnxruntime.OrtValue.ortvalue_from_numpy(x.numpy())


def torch_value(value: Any) -> torch.Tensor:
    """The tensor that the runtime gave; NumPy has no bfloat16."""
    if value.element_type() == onnx.TensorProto.BFLOAT16:
        return torch.utils.dlpack.from_dlpack(value._ortvalue.to_dlpack()).clone()
    return torch.from_numpy(np.array(value.numpy()))


def input_names(tensors: Sequence[torch.Tensor]) -> list[str]:
    """The names of the model's inputs: x0, x1 and so on."""
    return [f"x{position}" for position in range(len(tensors))]
