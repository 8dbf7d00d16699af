"""A trial of an export that no operator stops: each that fails is recorded, and a stub takes its place.

So one export shows everything that stands in the way, each operator asked with the very arguments that it gets.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

import onnx
import torch
from torch.onnx import errors
from torch.onnx._internal.torchscript_exporter import jit_utils, utils

from symgen.model.scan import Place
from symgen.verify.runner import brief
from symgen.verify.scan_jobs import ForeignNode, OpUse, Refusal
from symgen.verify.scanning.graphs import BRANCHES, first_opset, looked_up, visits
from symgen.verify.scanning.places import place_of

_STUB = "symgen.stub::Missing"
_OWN_DOMAINS = frozenset({"onnx", "prim", "symgen.stub"})
_STEP = 500
"""After how many operators progress is told."""
_PASSES_AFTER = 10_000
"""Graphs with more operators than this are not taken on to the exporter's later passes, which are slow."""
_WORDS = re.compile(r"\s+")


class StoppedError(BaseException):
    """Ends an export that has shown what it can; the exporter doesn't catch it."""


@dataclass
class Trial:
    """What an export has shown so far."""

    opset: int
    tell: Callable[[int], None]
    on_graph: Callable[[Any, int], None] = lambda graph, parameters: None
    """Is given the graph before any pass has touched it, and how many of its last inputs are parameters."""
    met: dict[str, OpUse] = field(default_factory=dict)
    """The operators that have no function and were asked for."""
    refusals: dict[tuple[str, str], Refusal] = field(default_factory=dict)
    foreign: dict[str, ForeignNode] = field(default_factory=dict)
    visited: int = 0
    stubs: int = 0
    complete: bool = False
    failure: str = ""
    _uncertain: set[int] = field(default_factory=set)
    """Values behind a stub whose shape nobody knows; what refuses them may do so for that reason alone."""

    @property
    def has_seen_blocks(self) -> bool:
        """Whether no branch or loop has failed, the inside of which the exporter has not seen then."""
        return not any(refusal.op in BRANCHES for refusal in self.refusals.values())

    def record(self, node: Any, inputs: Any, error: Exception) -> None:
        """Records a failure of one operator."""
        op = looked_up(node.kind())
        if isinstance(error, errors.UnsupportedOperatorError):
            known = self.met.get(op) or OpUse(op, node.kind(), 0, place_of(node), since=first_opset(op), met=True)
            self.met[op] = replace(known, count=known.count + 1)
        elif not self._is_behind_stub(inputs):
            self._refuse(op, node, error)

    def _refuse(self, op: str, node: Any, error: Exception) -> None:
        key = (op, message := short_message(error))
        known = self.refusals.get(key)
        if known is None:
            self.refusals[key] = Refusal(op, 1, place_of(node), message)
        else:
            self.refusals[key] = replace(known, count=known.count + 1)

    def spread(self, inputs: Any, results: Any) -> None:
        """What is made of an uncertain value is uncertain, as long as its shape isn't known."""
        if self._uncertain and self._is_behind_stub(inputs):
            found = results if isinstance(results, list | tuple) else [results]
            self.doubt([value for value in found if isinstance(value, torch._C.Value)])

    def doubt(self, values: list[Any]) -> None:
        """Marks values whose shape isn't known."""
        self._uncertain |= {value.unique() for value in values if not value.isCompleteTensor()}

    def _is_behind_stub(self, inputs: Any) -> bool:
        flat = [one for value in inputs for one in (value if isinstance(value, list | tuple) else [value])]
        values = [value for value in flat if isinstance(value, torch._C.Value)]
        return any(value.unique() in self._uncertain for value in values)


def short_message(error: Exception) -> str:
    """What an error says, in one line, without the values of the graph that differ from use to use."""
    text = brief(error).partition("[Caused by the value")[0].partition("(node defined in")[0]
    return _WORDS.sub(" ", text).removeprefix("SymbolicValueError: ").removeprefix("OnnxExporterError: ").strip()


def try_export(model: Any, args: tuple[Any, ...], trial: Trial, options: dict[str, Any]) -> Exception | None:
    """Exports as far as it goes; gives the error where the exporter itself failed.

    All else that there is to know is in the trial afterwards.
    """
    buffer = io.BytesIO()
    try:
        with _listening(trial):
            torch.onnx.export(
                model,
                args,
                buffer,  # type: ignore[arg-type]
                dynamo=False,
                opset_version=trial.opset,
                export_params=False,
                **options,
            )
        onnx.checker.check_model(buffer.getvalue(), full_check=True)
    except StoppedError:
        return None
    except Exception as error:
        trial.failure = brief(error)
        return error
    return None


@contextlib.contextmanager
def _listening(trial: Trial) -> Iterator[None]:
    """Puts the trial between the exporter and its symbolic functions."""
    run, call = utils._run_symbolic_function, utils._run_symbolic_method
    convert, create = torch._C._jit_pass_onnx, utils._create_jit_graph

    def run_and_record(graph: Any, block: Any, node: Any, inputs: Any, *rest: Any) -> Any:
        trial.visited += 1
        if trial.visited % _STEP == 0:
            trial.tell(trial.visited)
        try:
            results = run(graph, block, node, inputs, *rest)
        except Exception as error:
            trial.record(node, inputs, error)
            return _stub(trial, graph, block, node, inputs, *rest)
        trial.spread(inputs, results)
        return results

    def convert_and_look(graph: Any, *rest: Any) -> Any:
        converted = convert(graph, *rest)
        trial.complete = True
        _look_for_foreign(converted, trial)
        if trial.stubs or trial.visited > _PASSES_AFTER:
            raise StoppedError
        return converted

    def create_and_show(*arguments: Any) -> Any:
        created = create(*arguments)
        trial.on_graph(created[0], len(created[1]))
        return created

    def call_and_record(graph: Any, name: str, symbolic: Any, arguments: Any) -> Any:
        try:
            return call(graph, name, symbolic, arguments)  # type: ignore[no-untyped-call]
        except Exception as error:
            trial.refusals[name, ""] = Refusal(name, 1, Place(), short_message(error))
            raise StoppedError from error

    with ExitStack() as stack:
        for owner, name, function in (
            (utils, "_run_symbolic_function", run_and_record),
            (utils, "_run_symbolic_method", call_and_record),
            (utils, "_create_jit_graph", create_and_show),
            (torch._C, "_jit_pass_onnx", convert_and_look),
            (torch._C, "_jit_pass_lint", lambda graph: None),  # it checks what passes made, and takes as long as they
        ):
            stack.enter_context(replaced(owner, name, function))
        yield


@contextlib.contextmanager
def replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Has a name stand for something else while the block runs."""
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


def _stub(
    trial: Trial, graph: Any, block: Any, node: Any, inputs: Any, env: Any, values: Any, new_nodes: Any, *_: Any
) -> Any:
    """A node with the results of the one that failed, so that the rest has something to go on with."""
    trial.stubs += 1
    outputs = list(node.outputs())
    if not outputs:
        return None
    context = jit_utils.GraphContext(
        graph=graph, block=block, opset=trial.opset, original_node=node, params_dict={},
        env=env, values_in_env=values, new_nodes=new_nodes,
    )  # fmt: skip
    taken = [value for value in inputs if isinstance(value, torch._C.Value)]
    made = context.op(_STUB, *taken, outputs=len(outputs))
    results = [made] if isinstance(made, torch._C.Value) else list(made)
    for result, output in zip(results, outputs, strict=True):
        result.setType(output.type())
    trial.doubt(results)
    return made


def _look_for_foreign(graph: Any, trial: Trial) -> None:
    for visit in visits(graph):
        name = visit.node.kind()
        domain = name.partition("::")[0]
        if domain in _OWN_DOMAINS:
            continue
        known = trial.foreign.get(name)
        if known is None:
            trial.foreign[name] = ForeignNode(name, 1, place_of(visit.node))
        else:
            trial.foreign[name] = replace(known, count=known.count + 1)
