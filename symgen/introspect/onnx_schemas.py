"""The operators that ONNX standardises, every version of each, as the installed onnx declares them."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symgen.errors import SymgenError
from symgen.introspect.cache import LazyEntries, Row, cached, to_rows, tuples
from symgen.model.onnx import OnnxAttribute, OnnxFormal, OnnxSchema

if TYPE_CHECKING:
    import onnx

HIGHEST_OPSET = 20
"""The newest opset that the TorchScript exporter writes; nothing newer may be matched against."""
DOMAINS = ("", "ai.onnx.ml")
_INSTALL_HINT = "install a newer onnx into this environment"


class OnnxNotFoundError(SymgenError):
    """No usable onnx is installed beside symgen."""


@dataclass(frozen=True)
class OnnxSchemas:
    """Every version of every operator in the default domain and `ai.onnx.ml`, by `domain::name`, oldest first."""

    versions: Mapping[str, tuple[OnnxSchema, ...]]

    def at(self, name: str, opset: int, domain: str = "") -> OnnxSchema | None:
        """The version of an operator that an opset holds: the newest at or below it. None where there is none."""
        usable = [schema for schema in self.history(name, domain) if schema.since_version <= opset]
        return usable[-1] if usable else None

    def history(self, name: str, domain: str = "") -> tuple[OnnxSchema, ...]:
        """Every version of an operator, oldest first; empty for a name that ONNX does not know."""
        return self.versions.get(_key(name, domain), ())

    @property
    def newest(self) -> int:
        """The newest opset of the default domain in which an operator is new, or has changed."""
        return max(all_[-1].since_version for key, all_ in self.versions.items() if key.startswith("::"))

    def names(self, opset: int, domain: str = "") -> tuple[str, ...]:
        """The operators that an opset holds and does not deprecate, sorted."""
        found = (key.removeprefix(f"{domain}::") for key in self.versions if key.startswith(f"{domain}::"))
        return tuple(sorted(n for n in found if (schema := self.at(n, opset, domain)) and not schema.deprecated))

    def nearest(self, text: str, opset: int = HIGHEST_OPSET, limit: int = 3) -> tuple[str, ...]:
        """The operators whose names come closest to `text`, best first."""
        from rapidfuzz import fuzz, process, utils

        matches = process.extract(
            text, self.names(opset), scorer=fuzz.ratio, processor=utils.default_process, limit=limit, score_cutoff=60
        )
        return tuple(name for name, _, _ in matches)

    def function_body(
        self, name: str, opset: int, domain: str = "", node: onnx.NodeProto | None = None
    ) -> onnx.FunctionProto | None:
        """The function that defines an operator in terms of others, in its newest form up to `opset`.

        Some bodies depend on the attributes and inputs of a call: those are given only with a `node`. None where there
        is no body, or none without a node.
        """
        import onnx.defs

        schema = self.at(name, opset, domain)
        if schema is None or not schema.has_function:
            return None
        serialized = _serialized_body(onnx.defs.get_schema(name, opset, domain), opset, node)
        return onnx.FunctionProto.FromString(serialized) if serialized else None


def load_onnx_schemas() -> OnnxSchemas:
    """The schemas of the installed onnx; from the cache where it has them, so that onnx is not imported.

    Raises:
        OnnxNotFoundError: where onnx is absent, or too old to know opset 20.
    """
    spec = importlib.util.find_spec("onnx")
    if spec is None or spec.origin is None:
        raise OnnxNotFoundError("onnx is not installed", hint=_INSTALL_HINT)
    root = Path(spec.origin).parent
    compiled = sorted(root.glob("onnx_cpp2py_export*"))
    rows = cached("onnx", [str(root)], [root / "__init__.py", *compiled], lambda: to_rows(_read_all()))
    return OnnxSchemas(LazyEntries(rows, _schema_from_row))


def _read_all() -> Mapping[str, tuple[OnnxSchema, ...]]:
    import onnx.defs

    known = onnx.defs.onnx_opset_version()
    if known < HIGHEST_OPSET:
        raise OnnxNotFoundError(
            f"onnx {onnx.__version__} knows opsets up to {known}, symgen needs {HIGHEST_OPSET}", hint=_INSTALL_HINT
        )
    return _collect(onnx.defs.get_all_schemas_with_history())


def _collect(schemas: Iterable[Any]) -> Mapping[str, tuple[OnnxSchema, ...]]:
    versions: dict[str, list[OnnxSchema]] = {}
    for schema in schemas:
        if schema.domain in DOMAINS:
            versions.setdefault(_key(schema.name, schema.domain), []).append(_schema(schema))
    return {key: tuple(sorted(found, key=lambda s: s.since_version)) for key, found in sorted(versions.items())}


def _key(name: str, domain: str) -> str:
    return f"{domain}::{name}"


def _schema_from_row(row: Row) -> OnnxSchema:
    name, domain, since_version, inputs, outputs, attributes, constraints, *flags = tuples(row)
    return OnnxSchema(
        name,
        domain,
        since_version,
        inputs=tuple(OnnxFormal(*formal) for formal in inputs),
        outputs=tuple(OnnxFormal(*formal) for formal in outputs),
        attributes=tuple(OnnxAttribute(*attribute) for attribute in attributes),
        constraints=tuple((variable, frozenset(types)) for variable, types in constraints),
        has_function=flags[0],
        deprecated=flags[1],
    )


def _schema(schema: Any) -> OnnxSchema:
    return OnnxSchema(
        name=schema.name,
        domain=schema.domain,
        since_version=schema.since_version,
        inputs=tuple(_formal(formal) for formal in schema.inputs),
        outputs=tuple(_formal(formal) for formal in schema.outputs),
        attributes=tuple(_attribute(attribute) for _, attribute in sorted(schema.attributes.items())),
        constraints=tuple(
            (constraint.type_param_str, frozenset(constraint.allowed_type_strs))
            for constraint in schema.type_constraints
        ),
        has_function=schema.has_function or schema.has_context_dependent_function,
        deprecated=schema.deprecated,
    )


def _formal(formal: Any) -> OnnxFormal:
    return OnnxFormal(formal.name, formal.type_str, formal.option.name.lower(), formal.is_homogeneous)


def _attribute(attribute: Any) -> OnnxAttribute:
    import onnx.helper

    proto = attribute.default_value
    default = onnx.helper.get_attribute_value(proto) if proto.name else None
    return OnnxAttribute(attribute.name, attribute.type.name, attribute.required, _plain(default))


def _serialized_body(schema: Any, opset: int, node: onnx.NodeProto | None) -> bytes:
    fixed = [version for version in schema.function_opset_versions if version <= opset]
    dependent = [version for version in schema.context_dependent_function_opset_versions if version <= opset]
    if fixed:
        return bytes(schema.get_function_with_opset_version(fixed[-1]))
    if dependent and node is not None:
        call = node.SerializeToString()
        return bytes(schema.get_context_dependent_function_with_opset_version(dependent[-1], call, []))
    return b""


def _plain(value: Any) -> object:
    """Strings as `str`, lists as tuples, float32 values as the shortest decimal that means them (0.01)."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, float):
        return _shortest(value)
    return tuple(_plain(item) for item in value) if isinstance(value, (list, tuple)) else value


def _shortest(value: float) -> float:
    import ctypes

    candidates = (float(f"{value:.{digits}g}") for digits in range(1, 10))
    return next((candidate for candidate in candidates if ctypes.c_float(candidate).value == value), value)
