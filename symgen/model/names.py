"""Names of operators: `namespace::base.overload`, and how people type them."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass

from symgen.errors import UsageError

_QUALIFIED = re.compile(
    r"(?:(?P<namespace>[A-Za-z_]\w*)::)?(?P<base>[A-Za-z_]\w*)(?:\.(?P<overload>[A-Za-z_]\w*))?", re.ASCII
)
_PYTHON_PREFIXES = (
    "torch.nn.functional.",
    "torch.special.",
    "torch.linalg.",
    "torch.fft.",
    "torch.Tensor.",
    "torch.ops.aten.",
    "torch.",
    "Tensor.",
    "F.",
)
_PREFIX_OF_MODULE = {"torch.special.": "special_", "torch.linalg.": "linalg_", "torch.fft.": "fft_"}


@dataclass(frozen=True, order=True)
class OpName:
    """The name of an operator, with or without its overload."""

    namespace: str
    base: str
    overload: str = ""

    @property
    def qualified(self) -> str:
        """`aten::max`: the name that the exporter looks up; it knows no overloads."""
        return f"{self.namespace}::{self.base}"

    @property
    def identifier(self) -> str:
        """A Python identifier for a function of this operator: its name, with an underscore where it is a keyword."""
        return f"{self._name}_" if keyword.iskeyword(self._name) else self._name

    @property
    def test_name(self) -> str:
        """What the test of this operator is called."""
        return f"test_{self._name}"

    @property
    def _name(self) -> str:
        """The base; quantised operators have most of theirs from others, and stand in the same files."""
        return f"quantized_{self.base}" if self.namespace == "quantized" else self.base

    def without_overload(self) -> OpName:
        """The same operator, all overloads together."""
        return OpName(self.namespace, self.base)

    def __str__(self) -> str:
        return self.qualified + (f".{self.overload}" if self.overload else "")


def parse_op_name(text: str, *, default_namespace: str = "aten") -> OpName:
    """Reads an operator's name as people type it.

    Takes `elu`, `aten::elu`, `aten::max.dim`, `quantized::relu6`, `torch.elu`, `torch.nn.functional.elu`,
    `torch.special.i0e` (which is `aten::special_i0e`) and `Tensor.sinh`.

    Raises:
        UsageError: where the text is no such name; nothing of it is ever used as a path or as code.
    """
    rest = text
    for prefix in _PYTHON_PREFIXES:
        if text.startswith(prefix):
            rest = _PREFIX_OF_MODULE.get(prefix, "") + text.removeprefix(prefix)
            if "." in rest and prefix != "torch.ops.aten.":
                raise UsageError(f"{text!r} is not the name of an operator", hint="write it as aten::elu")
            break
    match = _QUALIFIED.fullmatch(rest)
    if match is None:
        raise UsageError(f"{text!r} is not the name of an operator", hint="names look like aten::elu or aten::max.dim")
    return OpName(match["namespace"] or default_namespace, match["base"], match["overload"] or "")
