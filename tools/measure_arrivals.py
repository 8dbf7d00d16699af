"""Measures under which names operators reach the exporter; writes `symgen/introspect/arrivals.tsv`.

Each overload is called with arguments made up from its schema, or with OpInfo's samples where those do not fit. The call
is traced, and scripted, and run through the exporter's passes up to the look-up of symbolic functions, which is replaced
by one that writes down the names. Run it with the repository as working directory:

    python tools/measure_arrivals.py
"""

from __future__ import annotations

import itertools
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import _C
from torch.onnx import OperatorExportTypes
from torch.onnx._internal.torchscript_exporter import utils
from torch.onnx._internal.torchscript_exporter._globals import GLOBALS

from symgen.introspect.catalogue import ATEN, Catalogue, load_catalogue
from symgen.model.names import OpName
from symgen.model.schema import Argument, AtenSchema
from symgen.model.types import BaseType, ListType, OptionalType, Type

OPSET = 20
SECONDS_PER_CALL = 10
TABLE = Path("symgen/introspect/arrivals.tsv")


class Unmeasurable(Exception):
    """No arguments were found with which the operator runs, or the exporter's passes fail."""


@dataclass(frozen=True)
class Recipe:
    """One way to make up arguments: a shape, a dtype, and numbers for the rest."""

    shape: tuple[int, ...]
    dtype: torch.dtype = torch.float32
    integer: int = 1
    string: str = "mean"
    length: int = 2

    def argument(self, kind: Type) -> Any:
        match kind:
            case OptionalType(element):
                return self.argument(element)
            case ListType(element, size):
                return [self.argument(element) for _ in range(size or self.length)]
            case BaseType("Tensor"):
                return self.tensor()
        return {
            "Scalar": 0.5 if self.dtype.is_floating_point else 1,
            "int": self.integer,
            "SymInt": self.integer,
            "float": 0.5,
            "bool": False,
            "str": self.string,
            "ScalarType": torch.float32,
            "Layout": torch.strided,
            "Device": torch.device("cpu"),
            "MemoryFormat": torch.contiguous_format,
            "complex": 1j,
        }.get(str(kind))

    def tensor(self) -> torch.Tensor:
        if self.dtype == torch.bool:
            return torch.ones(self.shape, dtype=torch.bool)
        if self.dtype.is_floating_point or self.dtype.is_complex:
            return torch.rand(self.shape, dtype=self.dtype) * 0.8 + 0.1
        return torch.ones(self.shape, dtype=self.dtype)


RECIPES = [
    *(Recipe(shape, dtype) for shape in [(3, 3), (2, 3, 4, 4), (4,), (2, 4, 4), (2, 3, 4, 4, 4), ()]
      for dtype in [torch.float32, torch.int64, torch.bool, torch.complex64]),
    *(Recipe((2, 4, 4), integer=integer, length=length) for integer in [0, 2, 4] for length in [1, 3]),
    *(Recipe((3, 3), integer=integer, length=length) for integer in [0, 2, 3] for length in [1, 2]),
    *(Recipe((3, 3), string=string) for string in ["reflect", "constant", "ij", "none", "fro", "L", "trunc"]),
]  # fmt: skip


def traced_names(schema: AtenSchema, samples: Sequence[tuple[Any, ...]] = ()) -> tuple[str, ...]:
    """The base names that the exporter looks up where a traced model calls the overload, in order, each once."""
    packet = getattr(getattr(torch.ops, schema.name.namespace), schema.name.base)
    overload = getattr(packet, schema.name.overload or "default")
    calls = [*((overload, arguments) for arguments in _made_up(schema)), *((packet, sample) for sample in samples)]
    for overload, arguments in calls:
        try:
            return _trace(overload, arguments, in_place=schema.is_inplace)
        except Exception:
            continue
    raise Unmeasurable(str(schema))


def scripted_names(schema: AtenSchema) -> tuple[str, ...]:
    """The base names that the exporter looks up where a scripted model calls the overload."""
    required = [argument for argument in schema.arguments if argument.default is None]
    parameters = ", ".join(f"{_identifier(argument)}: {_annotation(argument.type)}" for argument in required)
    given = ", ".join(
        f"{argument.name}={_identifier(argument)}" if argument.keyword_only else _identifier(argument)
        for argument in required
    )
    call = f"torch.ops.{schema.name.namespace}.{schema.name.base}({given})"
    try:
        unit = torch.jit.CompilationUnit(f"def f({parameters}):\n    return {call}\n")
        return _look_ups(unit.f.graph)
    except Exception as error:
        raise Unmeasurable(str(schema)) from error


def _identifier(argument: Argument) -> str:
    return f"x_{argument.name}"


def _annotation(kind: Type) -> str:
    match kind:
        case OptionalType(element):
            return f"Optional[{_annotation(element)}]"
        case ListType(element):
            return f"List[{_annotation(element)}]"
    names = {"Tensor": "Tensor", "int": "int", "SymInt": "int", "float": "float", "Scalar": "float", "bool": "bool",
             "str": "str", "ScalarType": "int", "Layout": "int", "Device": "torch.device", "MemoryFormat": "int"}  # fmt: skip
    return names[str(kind)]


def _made_up(schema: AtenSchema) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Positional and keyword arguments for the required parameters, by each recipe and with index tensors mixed in."""
    for recipe in RECIPES:
        values = {a.name: recipe.argument(a.type) for a in schema.arguments if a.default is None}
        for indices in (False, True):
            given = dict(values)
            if indices:
                for name in ("index", "indices", "target", "mask", "offsets"):
                    if isinstance(given.get(name), torch.Tensor):
                        given[name] = torch.zeros(recipe.shape, dtype=torch.bool if name == "mask" else torch.int64)
            positional = tuple(given[a.name] for a in schema.arguments if a.name in given and not a.keyword_only)
            yield positional, {a.name: given[a.name] for a in schema.arguments if a.name in given and a.keyword_only}


def _trace(
    overload: Callable[..., Any], arguments: tuple[tuple[Any, ...], dict[str, Any]], *, in_place: bool
) -> tuple[str, ...]:
    positional, keywords = arguments
    leaves, structure = torch.utils._pytree.tree_flatten((positional, keywords))
    places = [index for index, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]

    def call(*tensors: torch.Tensor) -> Any:
        filled = list(leaves)
        for place, tensor in zip(places, tensors, strict=True):
            filled[place] = tensor
        args, kwargs = torch.utils._pytree.tree_unflatten(filled, structure)
        if in_place:
            args = (args[0].clone() if isinstance(args[0], torch.Tensor) else [x.clone() for x in args[0]], *args[1:])
        result = overload(*args, **kwargs)
        return args[0] if in_place else result

    tensors = tuple(leaves[place].detach() for place in places)
    graph, *_ = torch.jit._get_trace_graph(call, tensors, strict=False)
    names = _look_ups(graph)
    return tuple(name for name in names if not (in_place and name == "clone"))


def _look_ups(graph: _C.Graph) -> tuple[str, ...]:
    """Runs the exporter's passes over a graph and returns the aten names that it would look up."""
    seen: dict[str, None] = {}
    original = utils._run_symbolic_function

    def note(graph: Any, block: Any, node: _C.Node, *rest: Any, **named: Any) -> Any:
        namespace, _, name = node.kind().partition("::")
        if namespace != ATEN:
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


def _samples(base: str) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """OpInfo's first few samples for an operator."""
    from torch.testing._internal.common_methods_invocations import op_db

    found = []
    for info in op_db:
        names = {info.name.replace(".", "_"), info.name.rpartition(".")[2], info.aten_name, *(a.name for a in info.aliases)}
        if base in names:
            for dtype in (torch.float32, torch.int64, torch.complex64):
                if dtype in info.dtypes:
                    samples = itertools.islice(info.sample_inputs("cpu", dtype), 12)
                    found += [((sample.input, *sample.args), sample.kwargs) for sample in samples]
    return found


def in_child(measure: Callable[[], Any]) -> Any:
    """The result of a measurement in a forked process, which some operators kill; None where it is killed."""
    import json
    import os

    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        signal.alarm(SECONDS_PER_CALL)
        try:
            os.write(writing, json.dumps(measure()).encode())
        except BaseException:
            pass
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return json.loads(answer) if answer else None


def main() -> None:
    from torch.testing._internal.common_methods_invocations import op_db  # before the forks
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    catalogue = load_catalogue()
    out = open("/tmp/measured.tsv", "w")
    for name in catalogue:
        for schema in catalogue.overloads_reaching(name):
            def both():
                r = []
                for f in (lambda: traced_names(schema, _samples(schema.name.base)), lambda: scripted_names(schema)):
                    try: r.append(" ".join(f()))
                    except Unmeasurable: r.append("?")
                return r
            r = in_child(both) or ["!", "!"]
            out.write("\t".join([name.base, str(schema.name), *r]) + "\n"); out.flush()

if __name__ == "__main__":
    main()
