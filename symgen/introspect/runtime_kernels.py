"""Which operators ONNX Runtime's CPU provider has a kernel for, per type, as its own registry says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symgen.model.onnx import OnnxSchema

_PROVIDER = "CPUExecutionProvider"
_DOMAINS = {"", "ai.onnx"}


@dataclass(frozen=True)
class Kernel:
    """One kernel: the opsets that it serves, and the types that it takes for each type variable."""

    first: int
    last: int
    types: Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Kernels:
    """The kernels of the default domain by operator."""

    by_operator: Mapping[str, tuple[Kernel, ...]]

    def types(self, schema: OnnxSchema, opset: int) -> frozenset[str]:
        """The types, as `tensor(float)`, that the runtime takes for the operator's widest type variable at an opset.

        An operator without a kernel, but with a function body in its schema, runs as that body: it isn't listed here.
        """
        variable = max(schema.constraints, key=lambda constraint: len(constraint[1]), default=("", frozenset()))[0]
        serving = (k for k in self.by_operator.get(schema.name, ()) if k.first <= opset <= k.last)
        return frozenset().union(*(kernel.types.get(variable, frozenset()) for kernel in serving))


def load_kernels() -> Kernels:
    """Asks the installed ONNX Runtime."""
    from onnxruntime.capi.onnxruntime_pybind11_state import get_all_opkernel_def

    found: dict[str, tuple[Kernel, ...]] = {}
    for definition in get_all_opkernel_def():
        if definition.provider == _PROVIDER and definition.domain in _DOMAINS:
            types = {name: frozenset(allowed) for name, allowed in definition.type_constraints.items()}
            first, last = definition.version_range
            kernel = Kernel(first, last, types)
            found[definition.op_name] = (*found.get(definition.op_name, ()), kernel)
    return Kernels(found)
