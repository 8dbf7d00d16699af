"""ONNX translations of PyTorch's operators: the `custom_translation_table` of torch.onnx.export."""

from typing import Any

import torch
from torch.onnx import _constants

__all__ = ["translation_table"]


# symgen: translation_table 785da43b22022711
def translation_table(opset_version: int | None = None) -> dict[Any, Any]:
    """The operators of this package with the functions that translate them, in the forms that are valid at an opset.

    The exporter takes it as its `custom_translation_table`, with the same opset; without one it is the exporter's own.
    """
    opset = _constants.ONNX_DEFAULT_OPSET if opset_version is None else opset_version
    registries = [
        pair
        for module in list(globals().values())
        for pair in getattr(module, "REGISTRIES", {}).items()
    ]
    table = {}
    for since, registry in sorted(registries, key=lambda pair: pair[0]):
        for name, functions in registry.items() if since <= opset else ():
            namespace, _, rest = name.partition("::")
            base, _, overload = rest.partition(".")
            operator = getattr(getattr(torch.ops, namespace), base)
            table[getattr(operator, overload or "default")] = functions.overloads[0]
    return table
