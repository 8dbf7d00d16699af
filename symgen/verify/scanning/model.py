"""Scans one model in this process: runs it, reads its graph, and tries its export."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import torch
from torch.jit._trace import _get_trace_graph

from symgen.verify.runner import brief
from symgen.verify.scan_jobs import Baked, DroppedWrite, FunctionUse, ScanSeen, ScanStep, StateWrite
from symgen.verify.scanning.baked import Watch, watching
from symgen.verify.scanning.functions import function_in, looked_through
from symgen.verify.scanning.graphs import GraphSeen, read_graph, visits
from symgen.verify.scanning.loading import LoadedModel
from symgen.verify.scanning.places import blame
from symgen.verify.scanning.trial import Trial, try_export
from symgen.verify.scanning.writes import dropped_writes, writes_of_state

Tell = Callable[[ScanStep | ScanSeen], None]
"""Is told of each step, and of what was seen before one that may end the process."""


def scan_model(loaded: LoadedModel, opset: int, tell: Tell) -> ScanSeen:
    """Everything that a model's graph and a trial of its export show.

    Raises:
        UnusableError: where the model itself fails on its inputs.
    """
    tell(ScanStep("running the model"))
    loaded.run()
    tell(ScanStep("tracing"))
    scan = _Scan(loaded, opset, tell)
    error = scan.attempt()
    if error is not None and scan.graph is None and (function := function_in(error)):
        again = _Scan(loaded, opset, tell)
        with looked_through():
            again.attempt()
        return again.seen(FunctionUse(function, 1, blame(error), "fails", brief(error)))
    return scan.seen()


class _Scan:
    """One attempt at an export, with all that is seen on the way."""

    def __init__(self, loaded: LoadedModel, opset: int, tell: Tell) -> None:
        self._loaded = loaded
        self._options = loaded.options()
        self._opset = opset
        self._tell = tell
        self._trial = Trial(opset, self._told, self._read)
        self.graph: GraphSeen | None = None
        self._writes: tuple[DroppedWrite, ...] = ()
        self._state: tuple[StateWrite, ...] = ()
        self._baked: tuple[Baked, ...] = ()

    def attempt(self) -> Exception | None:
        """Exports as far as it goes; gives the error where the exporter itself failed."""
        with ExitStack() as stack:
            watch = None if self._loaded.is_scripted else stack.enter_context(watching(self._loaded.model))
            error = try_export(self._loaded.model, self._loaded.args, self._trial, self._options)
        if watch is not None:
            self._baked = self._varying(watch)
        return error

    def _varying(self, watch: Watch) -> tuple[Baked, ...]:
        """What was baked in; with dynamic axes only what another size changes."""
        every = tuple(watch.found.values())
        if not self._loaded.axes or not watch.sizes:
            return every
        larger = self._loaded.larger()
        try:
            with watching(self._loaded.model) as other, torch.no_grad():
                _get_trace_graph(larger.model, larger.positional, larger.keywords, strict=False)  # type: ignore[no-untyped-call]
        except Exception:
            return every
        return watch.varying(other)

    def seen(self, *functions: FunctionUse) -> ScanSeen:
        """What there is to tell; `functions` come first."""
        graph = self.graph or GraphSeen(0, (), ())
        known = {use.op for use in graph.uses}
        of_passes = (use for op, use in self._trial.met.items() if op not in known)
        return ScanSeen(
            nodes=graph.nodes,
            uses=(*(replace(use, met=use.op in self._trial.met) for use in graph.uses), *of_passes),
            refusals=tuple(self._trial.refusals.values()),
            writes=self._writes,
            state=self._state,
            baked=self._baked,
            functions=(*functions, *graph.functions),
            foreign=tuple(self._trial.foreign.values()),
            failure="" if self._trial.stubs else self._trial.failure,  # with stubs it may fail because of them
            complete=self._trial.complete and self._trial.has_seen_blocks,
            input_names=tuple(self._options["input_names"]),
            dynamic_axes=tuple(
                (name, tuple(axes.items())) for name, axes in (self._options["dynamic_axes"] or {}).items()
            ),
        )

    def _read(self, graph: Any, parameters: int) -> None:
        torch._C._jit_pass_inline(graph)
        seen = list(visits(graph))
        self.graph = read_graph(seen, self._opset)
        self._tell(ScanStep("judging operators", 0, self.graph.nodes))
        self._writes = dropped_writes(graph, seen)
        self._state = writes_of_state(graph, seen, parameters)
        self._tell(self.seen())

    def _told(self, visited: int) -> None:
        total = self.graph.nodes if self.graph else 0
        self._tell(ScanStep("judging operators", min(visited, total), total))
