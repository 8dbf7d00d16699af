"""All that a run draws on: what torch declares, what ONNX standardises, and what symgen knows."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from symgen.config import Config, Target
from symgen.introspect.arrivals import Arrival
from symgen.introspect.catalogue import Catalogue, load_catalogue
from symgen.introspect.onnx_schemas import OnnxSchemas, load_onnx_schemas
from symgen.introspect.torchlib_functions import load_torchlib_names
from symgen.match.knowledge import Knowledge, load_knowledge
from symgen.match.matcher import Candidate, Match, match_operator
from symgen.model.names import OpName
from symgen.model.schema import AtenSchema


@dataclass(frozen=True)
class Sources:
    """The declarations of the installed torch and onnx, and the knowledge."""

    catalogue: Catalogue
    schemas: OnnxSchemas
    knowledge: Knowledge
    derived: Mapping[str, Candidate] = field(default_factory=dict)
    """What was found of torch's own decompositions, by operator."""


def load_sources(config: Config) -> Sources:
    """Reads them.

    Raises:
        SymgenError: where one of them is absent or can't be read.
    """
    own = (config.decompositions,) if config.decompositions else ()
    return Sources(load_catalogue(), load_onnx_schemas(), load_knowledge((*own, *installed_decompositions())))


def installed_decompositions() -> Iterator[Path]:
    """The folders that installed distributions name under the entry point `symgen.decompositions`, as `package.folder`.

    They are found and read as text; no package is imported.
    """
    for entry_point in importlib.metadata.entry_points(group="symgen.decompositions"):
        package, *parts = entry_point.value.split(".")
        spec = importlib.util.find_spec(package)
        for location in (spec and spec.submodule_search_locations) or ():
            yield Path(location, *parts)


def arrival_in(sources: Sources, name: OpName, target: Target) -> Arrival:
    """How an operator reaches the exporter of a target.

    Traces take operators apart or rename them. torch.export leaves whole what its table or torchlib has a function for,
    and makes other operators of what writes in place.

    Raises:
        UnknownNameError: where nothing declares the operator.
    """
    found = sources.catalogue.arrives_as(name)
    if target is Target.TORCHSCRIPT:
        return found
    asked = name.without_overload()
    if name.qualified in load_torchlib_names() or found.op == asked:
        return Arrival(asked)
    if found.parts or found.op.base == asked.base.removesuffix("_"):
        return Arrival(found.op, f"torch.export calls {found.op.qualified} in its place")
    return found


def match_in(sources: Sources, op: OpName) -> Match:
    """The candidates of an operator that reaches the exporter under this name."""
    overloads = sources.catalogue.overloads_reaching(op)
    match = match_operator(op, overloads, parameter_names(sources, overloads), sources.schemas, sources.knowledge)
    found = sources.derived.get(op.qualified)
    return match if found is None else replace(match, candidates=(*match.candidates, found))


def parameter_names(sources: Sources, overloads: tuple[AtenSchema, ...]) -> tuple[str, ...]:
    """The parameters' names as the `.pyi` has them, from the longest overload for which it has names of its own."""
    found = [(sources.catalogue.stub_names(schema), schema) for schema in overloads]
    declared = [names for names, schema in found if names != tuple(a.name for a in schema.arguments)]
    return max(declared or [names for names, _ in found], key=len, default=())
