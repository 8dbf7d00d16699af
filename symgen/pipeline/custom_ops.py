"""Decides what becomes of a custom operator: its schema asked of what registers it, its node exported in a child."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from symgen.config import HIGHEST_OPSET, LOWEST_OPSET, Config, NewOptions
from symgen.errors import ParseError, UnknownNameError, UsageError
from symgen.introspect.aten_schemas import parse_schema
from symgen.introspect.catalogue import load_catalogue
from symgen.lower.custom_nodes import nodes_of
from symgen.model.domain import Domain
from symgen.model.location import Location
from symgen.model.names import OpName, parse_op_name
from symgen.model.node import NodeSpec, NoNode
from symgen.model.result import Evidence, Outcome, Status
from symgen.model.schema import AtenSchema
from symgen.pipeline.classes import with_function
from symgen.pipeline.decide import failure_sentence
from symgen.pipeline.ready import Ready, Target
from symgen.render.custom_ops import render_custom_module
from symgen.render.node_tests import NodeTest, render_node_test
from symgen.render.standalone import standalone_source
from symgen.verify.messages import Failed
from symgen.verify.pool import Pool
from symgen.verify.user_jobs import NodesSeen, OperatorNodeJob, SchemaJob

TORCH_NAMESPACES = frozenset({"aten", "prim", "prims", "quantized", "quantized_decomposed", "onnx"})


@dataclass(frozen=True)
class CustomRequest:
    """A custom operator that was asked for, with its overloads."""

    asked: str
    op: OpName
    schemas: tuple[AtenSchema, ...]
    domain: Domain

    def outcome(self, status: Status, reason: str = "") -> Outcome:
        """The outcome as far as the request tells it."""
        domain = (self.domain.name, self.domain.version)
        return Outcome(self.asked, self.op.qualified, status, reason=reason, custom_opsets=(domain,))


def is_custom_op(text: str) -> bool:
    """Whether a name is that of an operator in a namespace that isn't torch's own."""
    namespace, parted, _ = text.partition("::")
    return bool(parted) and namespace not in TORCH_NAMESPACES


def resolve_custom_op(text: str, domain: Domain | None, options: NewOptions, pool: Pool) -> CustomRequest:
    """Finds the operator's schemas, in a stub file or in modules that a child process imports.

    Raises:
        UsageError: where the domain is missing, or what declares the operator.
        UnknownNameError: where the stub file or the modules declare no such operator.
        ParseError: where a stub or a schema can't be read, or a module can't be imported.
    """
    name = parse_op_name(text)
    if domain is None:
        raise UsageError(f"{name} is not one of torch's own operators", hint="say --domain for the node of your own")
    if not options.pyi and not options.imports:
        raise UsageError(f"nothing here declares {name}", hint="say --pyi FILE, or --import MODULE that registers it")
    loaded = _loaded(name, options.imports, pool) if options.imports else ()
    catalogue = load_catalogue([options.pyi] if options.pyi else [], loaded=loaded)
    schemas = catalogue.operator(name).overloads
    if len(schemas) > 1 and not loaded:
        raise UsageError(
            f"{name} is declared {len(schemas)} times, and a stub doesn't say which overload is which",
            location=schemas[1].location, hint="use --import",
        )  # fmt: skip
    return CustomRequest(text, name.without_overload(), schemas, domain)


def decide_custom_op(request: CustomRequest, config: Config, options: NewOptions, pool: Pool) -> Ready:
    """The decision for one custom operator."""
    nodes = nodes_of(request.schemas, request.domain)
    specs = tuple(node for node in nodes if isinstance(node, NodeSpec))
    refused = "; ".join(f"{node.schema.name}: {node.reason}" for node in nodes if isinstance(node, NoNode))
    if not specs:
        return Ready(request.outcome(Status.FAILED, refused))
    opset = config.opset or LOWEST_OPSET
    module = render_custom_module(request.op, specs, opset, config.package.name, config.templates)
    seen = NodesSeen()
    outcome = replace(request.outcome(Status.WRITTEN, refused), opset=opset)
    if not config.no_verify:
        answer = pool.ask(_job(specs, standalone_source(module), opset, options))
        if isinstance(answer, Failed):
            return Ready(request.outcome(Status.FAILED, f"the exports failed: {answer.error}"))
        outcome, seen = with_function(_judged(outcome, answer), answer), answer
    if outcome.status is Status.FAILED:
        return Ready(outcome)
    targets = [Target(config.package / f"{request.op.namespace}.py", module)]
    if seen.proven:
        targets.append(_test(request, specs, seen, opset, config, options))
    return Ready(outcome, tuple(targets))


def _loaded(name: OpName, imports: Sequence[str], pool: Pool) -> tuple[AtenSchema, ...]:
    answer = pool.ask(SchemaJob(tuple(imports), name.namespace))
    if isinstance(answer, Failed):
        raise ParseError(f"{', '.join(imports)} cannot be imported: {answer.error}")
    location = Location(f"<{', '.join(imports)}>")
    schemas = tuple(parse_schema(text, location) for text in answer.texts)
    if not any(schema.name.qualified == name.qualified for schema in schemas):
        known = sorted({schema.name.qualified for schema in schemas})
        raise UnknownNameError(f"{', '.join(imports)} registers no {name.qualified}", nearest=known[:3])
    return schemas


def _job(specs: tuple[NodeSpec, ...], source: str, opset: int, options: NewOptions) -> OperatorNodeJob:
    opsets = tuple(sorted({opset, HIGHEST_OPSET}))
    library = str(options.ort_library.resolve()) if options.ort_library else ""
    return OperatorNodeJob(specs, source, opsets, options.imports, library)


def _judged(outcome: Outcome, seen: NodesSeen) -> Outcome:
    evidence = replace(Evidence.of(seen.results), notes=seen.notes, runs=seen.runs)
    if not seen.results:
        return replace(outcome, reason="no call was found that the operator takes, so that nothing was exported")
    if not evidence.is_proof:
        return replace(outcome, status=Status.FAILED, reason=failure_sentence(evidence), evidence=evidence)
    return replace(outcome, status=Status.PARTIAL if outcome.reason else Status.VERIFIED, evidence=evidence)


def _test(
    request: CustomRequest,
    specs: tuple[NodeSpec, ...],
    seen: NodesSeen,
    opset: int,
    config: Config,
    options: NewOptions,
) -> Target:
    opsets = (seen.function_opset,) if seen.function_opset else tuple(sorted({opset, HIGHEST_OPSET}))
    library = _path_from(config.tests, options.ort_library) if options.ort_library else ""
    test = NodeTest(
        request.op, specs, seen.proven, opsets, options.imports, library, has_function=bool(seen.function_opset)
    )
    parent = os.path.relpath(config.package.resolve().parent, config.tests.resolve())
    steps = "".join(f' / "{part}"' if part != ".." else ".parent" for part in Path(parent).parts)
    module = render_node_test(test, config.package.name, steps, config.templates)
    return Target(config.tests / f"test_{request.op.namespace}.py", module, is_test=True)


def _path_from(folder: Path, path: Path) -> str:
    """The way to a file of the project; an absolute one to any other."""
    real = path.resolve()
    return os.path.relpath(real, folder.resolve()) if real.is_relative_to(Path.cwd()) else str(real)
