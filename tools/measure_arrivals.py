"""Measures under which names operators reach the exporter, and writes `symgen/introspect/arrivals.tsv`.

Each overload is called with arguments made up from its schema, by hand or by OpInfo. The call is traced, and scripted,
and goes through the exporter's passes up to the look-up of symbolic functions, which is replaced by one that notes the
names. Run it after a torch upgrade: `python tools/measure_arrivals.py`. A test measures a sample of it again:
`python tools/measure_arrivals.py absolute clip` only prints those rows.
"""

from __future__ import annotations

import importlib
import itertools
import json
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parent.parent
sys.path.insert(0, str(REPOSITORY))

import torch  # noqa: E402
from torch import _C  # noqa: E402
from torch.onnx import OperatorExportTypes  # noqa: E402
from torch.onnx._internal.torchscript_exporter import utils  # noqa: E402
from torch.onnx._internal.torchscript_exporter._globals import GLOBALS  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402

from symgen.introspect.native_functions import load_native_functions  # noqa: E402
from symgen.introspect.torch_install import find_torch  # noqa: E402
from symgen.model.schema import Argument, AtenSchema  # noqa: E402
from symgen.model.types import BaseType, ListType, OptionalType, Type  # noqa: E402

TABLE = REPOSITORY / "symgen" / "introspect" / "arrivals.tsv"
OPSET = 20
OPINFO = "torch.testing._internal.common_methods_invocations"
SECONDS_PER_OVERLOAD = 20
Arguments = tuple[tuple[Any, ...], dict[str, Any]]
AROUND_IN_PLACE = frozenset({"clone", "type_as"})
INDEX_NAMES = frozenset({"index", "indices", "target", "offsets"})


@dataclass(frozen=True)
class Recipe:
    """One way to make up arguments: a shape and dtype for the tensors, values for the rest."""

    shape: tuple[int, ...]
    dtype: torch.dtype = torch.float32
    integer: int = 1
    string: str = "mean"
    length: int = 2

    def value(self, argument: Argument, *, indices: bool) -> Any:
        """A value for one argument; with `indices`, tensors that are named so hold int64."""
        if indices and argument.name in INDEX_NAMES:
            return Recipe(self.shape, torch.int64, self.integer, self.string, self.length)._of(argument.type)
        return self._of(argument.type)

    def _of(self, kind: Type) -> Any:
        match kind:
            case OptionalType(element):
                return self._of(element)
            case ListType(element, size):
                return [self._of(element) for _ in range(size or self.length)]
            case BaseType("Tensor") if self.dtype.is_floating_point or self.dtype.is_complex:
                return torch.rand(self.shape, dtype=self.dtype) * 0.8 + 0.1
            case BaseType("Tensor"):
                return torch.ones(self.shape, dtype=self.dtype)
        constants = {
            "Scalar": 0.5 if self.dtype.is_floating_point else 1, "int": self.integer, "SymInt": self.integer,
            "float": 0.5, "bool": False, "str": self.string, "ScalarType": torch.float32, "Layout": torch.strided,
            "Device": torch.device("cpu"), "MemoryFormat": torch.contiguous_format,
        }  # fmt: skip
        return constants.get(str(kind))


SHAPES = [(3, 3), (2, 3, 4, 4), (4,), (2, 4, 4), (2, 3, 4, 4, 4), ()]
DTYPES = [torch.float32, torch.int64, torch.bool, torch.complex64]
RECIPES = [
    *(Recipe(shape, dtype) for shape in SHAPES for dtype in DTYPES),
    *(Recipe((2, 4, 4), integer=integer, length=length) for integer in [0, 2, 4] for length in [1, 3]),
    *(Recipe((3, 3), integer=integer, length=length) for integer in [0, 2, 3] for length in [1, 2]),
    *(Recipe((3, 3), string=string) for string in ["reflect", "constant", "ij", "none", "fro", "L", "trunc"]),
]


def by_hand(base: str) -> list[Arguments]:
    """Arguments for operators whose shapes must fit together in a way that a schema does not tell."""
    rand, zeros = torch.rand, torch.zeros(2, dtype=torch.int64)
    cell = [rand(2, 3), rand(2, 4), rand(4, 3), rand(4, 4)]
    norm = [rand(2, 3, 4), rand(3), rand(3), rand(3), rand(3), True, 0.1, 1e-5, False]
    conv = [rand(1, 2, 5, 5), rand(2, 2, 3, 3), None, [1, 1], [0, 0], [1, 1]]
    calls: dict[str, list[Any]] = {
        "affine_grid_generator": [rand(1, 2, 3), [1, 1, 2, 2], False],
        "batch_norm": norm,
        "conv_tbc": [rand(5, 2, 3), rand(3, 3, 4), rand(4)],
        "convolution": [*conv, False, [0, 0], 1],
        "_convolution": [*conv, False, [0, 0], 1, False, False, False, False],
        "_convolution_mode": [rand(1, 2, 5, 5), rand(2, 2, 3, 3), None, [1, 1], "same", [1, 1], 1],
        "cosine_embedding_loss": [rand(2, 3), rand(2, 3), torch.ones(2)],
        "ctc_loss": [rand(5, 1, 3).log_softmax(2), torch.tensor([[1, 2]]), [5], [2]],
        "einsum": ["ij,jk->ik", [rand(2, 3), rand(3, 2)]],
        "embedding_bag": [rand(4, 3), zeros, zeros[:1]],
        "fill": [rand(2), 1.0],
        "fractional_max_pool2d": [rand(1, 1, 5, 5), [2, 2], [2, 2], rand(1, 1, 2)],
        "fractional_max_pool3d": [rand(1, 1, 5, 5, 5), [2, 2, 2], [2, 2, 2], rand(1, 1, 3)],
        "grid_sampler": [rand(1, 1, 3, 3), rand(1, 2, 2, 2), 0, 0, False],
        "gru": [rand(5, 2, 3), rand(1, 2, 4), [rand(12, 3), rand(12, 4)], False, 1, 0.0, False, False, False],
        "gru_cell": [rand(2, 3), rand(2, 4), rand(12, 3), rand(12, 4)],
        "instance_norm": [*norm[:-2], 1e-5, False],
        "lstm_cell": [rand(2, 3), [rand(2, 4), rand(2, 4)], rand(16, 3), rand(16, 4)],
        "nll_loss": [rand(2, 3), zeros],
        "nll_loss_nd": [rand(2, 3), zeros],
        "nll_loss2d": [rand(1, 3, 2, 2), zeros.expand(1, 2, 2)],
        "quantize_per_tensor": [rand(3), 0.1, 0, torch.quint8],
        "quantize_per_channel": [rand(2, 3), torch.ones(2), zeros, 0, torch.quint8],
        "fake_quantize_per_channel_affine": [rand(2, 3), torch.ones(2), zeros.int(), 0, 0, 255],
        "rnn_relu": [rand(5, 2, 3), rand(1, 2, 4), cell[2:], False, 1, 0.0, False, False, False],
        "rnn_tanh": [rand(5, 2, 3), rand(1, 2, 4), cell[2:], False, 1, 0.0, False, False, False],
        "rnn_relu_cell": cell,
        "rnn_tanh_cell": cell,
    }
    return [(tuple(calls[base]), {})] if base in calls else []


def by_opinfo(base: str) -> Iterator[Arguments]:
    """OpInfo's first few samples for an operator."""
    for info in importlib.import_module(OPINFO).op_db:
        aliases = (alias.name for alias in info.aliases)
        if base in {info.name.replace(".", "_"), info.name.rpartition(".")[2], info.aten_name, *aliases}:
            for dtype in {torch.float32, torch.int64, torch.complex64} & set(info.dtypes):
                for sample in itertools.islice(info.sample_inputs("cpu", dtype), 12):
                    yield (sample.input, *sample.args), sample.kwargs


def by_schema(schema: AtenSchema) -> Iterator[Arguments]:
    """Values for the required parameters, by each recipe."""
    required = [argument for argument in schema.arguments if argument.default is None]
    for recipe, indices in itertools.product(RECIPES, (False, True)):
        values = {argument: recipe.value(argument, indices=indices) for argument in required}
        positional = tuple(value for argument, value in values.items() if not argument.keyword_only)
        yield positional, {argument.name: value for argument, value in values.items() if argument.keyword_only}


def traced_names(schema: AtenSchema) -> tuple[str, ...] | None:
    """The base names that the exporter looks up for a traced call, in order, each once; None where no call succeeds."""
    base = schema.name.base
    packet = getattr(torch.ops.aten, base)
    overload = getattr(packet, schema.name.overload or "default")
    calls = itertools.chain(
        ((overload, arguments) for arguments in by_schema(schema)),
        ((packet, arguments) for arguments in by_hand(base)),
        ((packet, arguments) for arguments in by_opinfo(base)),
    )
    for function, arguments in calls:
        try:
            return _trace(function, arguments, in_place=schema.is_inplace)
        except Exception:  # arguments that do not fit show in a hundred ways
            continue
    return None


def scripted_names(schema: AtenSchema) -> tuple[str, ...] | None:
    """The base names that the exporter looks up for a scripted call; None where it cannot be scripted."""
    required = [argument for argument in schema.arguments if argument.default is None]
    parameters = ", ".join(f"x_{argument.name}: {_annotation(argument.type)}" for argument in required)
    given = ", ".join((f"{a.name}=" if a.keyword_only else "") + f"x_{a.name}" for a in required)
    source = f"def f({parameters}):\n    return torch.ops.aten.{schema.name.base}({given})\n"
    try:
        return looked_up(torch.jit.CompilationUnit(source).f.graph)
    except Exception:  # the compiler and the passes raise what they like
        return None


def _annotation(kind: Type) -> str:
    match kind:
        case OptionalType(element):
            return f"Optional[{_annotation(element)}]"
        case ListType(element):
            return f"List[{_annotation(element)}]"
    names = {"SymInt": "int", "Scalar": "float", "ScalarType": "int", "Layout": "int", "Device": "torch.device"}
    return names.get(str(kind), str(kind))


def _trace(function: Callable[..., Any], arguments: Arguments, *, in_place: bool) -> tuple[str, ...]:
    leaves, structure = pytree.tree_flatten(arguments)
    places = [place for place, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]

    def call(*tensors: torch.Tensor) -> Any:
        for place, tensor in zip(places, tensors, strict=True):
            leaves[place] = tensor.clone() if in_place else tensor
        positional, keywords = pytree.tree_unflatten(leaves, structure)
        result = function(*positional, **keywords)
        return positional[0] if in_place else result

    graph, *_ = torch.jit._get_trace_graph(call, tuple(leaves[place].detach() for place in places), strict=False)
    return looked_up(graph)


def looked_up(graph: _C.Graph) -> tuple[str, ...]:
    """Runs the exporter's passes over a graph; the base names of the aten operators that it looks up, each once."""
    seen: dict[str, None] = {}
    original = utils._run_symbolic_function

    def note(graph: _C.Graph, block: _C.Block, node: _C.Node, *rest: Any, **named: Any) -> Any:
        namespace, _, name = node.kind().partition("::")
        if namespace != "aten":
            return original(graph, block, node, *rest, **named)
        seen[name.removesuffix("_")] = None
        return None

    GLOBALS.export_onnx_opset_version = OPSET
    utils._run_symbolic_function = note
    try:
        utils._optimize_graph(graph, OperatorExportTypes.ONNX_FALLTHROUGH, params_dict={})
    finally:
        utils._run_symbolic_function = original
    return tuple(seen)


def in_child(measure: Callable[[AtenSchema], Any], schema: AtenSchema) -> Any:
    """The measurement, made in a forked process, as some operators kill theirs; None where that happens."""
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        signal.alarm(SECONDS_PER_OVERLOAD)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
        os.write(writing, json.dumps(measure(schema)).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return json.loads(answer) if answer else None


def measured_row(base: str, overloads: Sequence[AtenSchema]) -> tuple[str, str, str] | None:
    """The table's row for an operator; None where it arrives as itself, or nothing was to be seen."""
    own = base.removesuffix("_")
    scripted = _measure_all(scripted_names, overloads)
    traced = _measure_all(traced_names, overloads) or scripted
    if not traced or own in traced:
        return None
    return base, " ".join(traced), own if own in scripted or not scripted else " ".join(scripted)


def _measure_all(
    measure: Callable[[AtenSchema], tuple[str, ...] | None], overloads: Sequence[AtenSchema]
) -> dict[str, None]:
    """The names over all overloads, each once, without those that the exporter adds around a call in place."""
    found = itertools.chain.from_iterable(in_child(measure, schema) or () for schema in overloads)
    return {name: None for name in found if name not in AROUND_IN_PLACE or not overloads[0].is_inplace}


def main(names: Sequence[str]) -> None:
    """Measures the operators named and prints their rows; without names measures all and writes the table."""
    if not names:
        importlib.import_module(OPINFO)  # slow, so once, before the processes fork
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    install = find_torch()
    functions = load_native_functions(install)
    rows = []
    for base in names or sorted(functions):
        overloads = [schema for schema in functions.overloads(base) if schema.reaches_exporter]
        if overloads and (row := measured_row(base, overloads)):
            rows.append("\t".join(row))
    if names:
        print(*rows, sep="\n")
        return
    head = [
        "# What an export looks up for an operator that does not arrive under its own name:",
        "# the operator, the names for a traced call, the name for a scripted one.",
        f"# Measured with torch {install.version.partition('+')[0]} by tools/measure_arrivals.py.",
    ]
    TABLE.write_text("\n".join([*head, *rows]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
