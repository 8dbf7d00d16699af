"""Exports one sample of each operator with both exporters and measures the models; a process of its own.

    python exporters.py PACKAGE < operators > measured

PACKAGE is the folder that holds what `symgen new` wrote. Each line of the answer is an object: the operator, the
sample, and for either exporter `{"right", "nodes", "seconds", "why"}`.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import logging
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import onnx
import onnxruntime
import torch

from symgen.config import Config
from symgen.model.names import parse_op_name
from symgen.model.sample import SampleSpec
from symgen.model.schema import AtenSchema
from symgen.sources import load_sources
from symgen.verify import roundtrip
from symgen.verify.calls import Call, make_call
from symgen.verify.compare import TOLERANCES, compare_all
from symgen.verify.opinfo_samples import collect, load_op_db
from symgen.verify.task import VerifyTask

OPSET = 20
MOST_TRIED = 3
"""Samples that are tried until both exporters are right."""
ROUNDS, SECONDS_A_ROUND = 7, 0.02


def main() -> None:
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    op_db = load_op_db()
    catalogue = load_sources(Config()).catalogue
    for line in sys.stdin:
        name = parse_op_name(line.strip())
        arrival = catalogue.arrives_as(name).op
        schemas = catalogue.overloads_reaching(arrival)
        answer = {"op": name.qualified, **_measured(VerifyTask(arrival.qualified, schemas), op_db)}
        print(json.dumps(answer), flush=True)


def _measured(task: VerifyTask, op_db: Sequence[Any]) -> dict[str, Any]:
    """The largest sample that both exporters have right, else the largest; in float32 where there are any."""
    known = collect(task, op_db)
    samples = [one for one in known if one.dtypes[:1] == ("float32",)] or list(known)
    samples.sort(key=lambda sample: -sum(torch.Size(x.shape).numel() for x in sample.tensors))
    tried = []
    for sample in samples[:MOST_TRIED]:
        tried.append({"sample": str(sample), **_both(task.schemas, task, sample)})
        if tried[-1]["symgen"]["right"] and tried[-1]["dynamo"]["right"]:
            return tried[-1]
    return tried[0] if tried else {"sample": "", "symgen": {"right": False}, "dynamo": {"right": False}}


def _both(schemas: Sequence[AtenSchema], task: VerifyTask, sample: SampleSpec) -> dict[str, Any]:
    call = make_call(task.name, schemas, sample)
    measured = {}
    runs: dict[str, Callable[[], object]] = {}
    for exporter, export in (("symgen", _by_symgen), ("dynamo", _by_dynamo)):
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                model = export(call)
            measured[exporter], runs[exporter] = _judged(model, call)
        except Exception as error:
            measured[exporter] = {"right": False, "why": f"{type(error).__name__}: {error}"[:200]}
    if len(runs) == len(measured):
        for exporter, seconds in _seconds(runs).items():
            measured[exporter]["seconds"] = seconds
    return measured


def _by_symgen(call: Call) -> onnx.ModelProto:
    return onnx.load_from_string(roundtrip.export(call.module(), call.tensors, OPSET, dynamic=False))


def _by_dynamo(call: Call) -> onnx.ModelProto:
    program = torch.onnx.export(
        call.module(), tuple(call.tensors), dynamo=True, opset_version=OPSET, verbose=False, optimize=True
    )
    assert program is not None
    return program.model_proto


def _judged(model: onnx.ModelProto, call: Call) -> tuple[dict[str, Any], Callable[[], object]]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    given = dict(zip(_input_names(model, call), call.tensors, strict=False))
    feeds = {value.name: given[value.name].contiguous().numpy() for value in session.get_inputs()}
    got = [torch.from_numpy(y) for x in session.run(None, feeds) for y in (x if isinstance(x, list) else [x])]
    compared = compare_all(call.eager(), got, TOLERANCES)
    right = compared.verdict == "right"
    return {"right": right, "nodes": count_nodes(model), "why": compared.detail}, lambda: session.run(None, feeds)


def _input_names(model: onnx.ModelProto, call: Call) -> list[str]:
    """The names of the inputs in the order of the call: ours, of which a model may lack some, or the exporter's own."""
    names = [value.name for value in model.graph.input]
    ours = roundtrip.input_names(call.tensors)
    return ours if set(names) <= set(ours) else names


def count_nodes(model: onnx.ModelProto) -> int:
    """The nodes of a model, those of its branches, loops and functions too; a constant is data and none."""
    graphs = [model.graph.node, *(function.node for function in model.functions)]
    return sum(1 for node in itertools.chain(*map(_nodes, graphs)) if node.op_type != "Constant")


def _nodes(nodes: Sequence[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    for node in nodes:
        yield node
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                yield from _nodes(graph.node)


def _seconds(runs: dict[str, Callable[[], object]]) -> dict[str, float]:
    """The shortest time of one run of each, measured in turn so that what else the machine does falls on both."""
    counts = {name: max(int(SECONDS_A_ROUND / (_timed(run, 3) + 1e-9)), 1) for name, run in runs.items()}
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(ROUNDS):
        for name, run in runs.items():
            best[name] = min(best[name], _timed(run, counts[name]))
    return best


def _timed(run: Callable[[], object], count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        run()
    return (time.perf_counter() - start) / count


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    __import__("symbolics")
    main()
