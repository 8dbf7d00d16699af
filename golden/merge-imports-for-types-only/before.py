from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from torch.onnx._internal.torchscript_exporter import registration

if TYPE_CHECKING:
    import torch
    from torch import _C

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9)


@_onnx_symbolic("aten::frac")
def frac(g, self):
    return g.op("Sub", self, g.op("Floor", self))
