import functools

import torch
from torch import _C
from torch.onnx._internal.torchscript_exporter import jit_utils
from torch.onnx._internal.torchscript_exporter import registration, symbolic_helper

__all__ = ["frac", "hypot", "ldexp", "xlogy"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9)


# symgen: _largest a5dd6548f6253685
def _largest(function, count: int):
    """The function itself, which takes `count` arguments at most."""
    assert count > 0
    return function


# symgen: _promoted cb9aa6a483f4274d
def _promoted(*names: str):
    """Casts the named arguments to the dtype that torch computes with."""

    def decorator(function):
        @functools.wraps(function)
        def wrapper(g: jit_utils.GraphContext, *args: _C.Value):
            return _largest(function, max(len(args), len(names)))(g, *args)

        return wrapper

    return decorator


@_onnx_symbolic("aten::frac")
def frac(g, self):
    return g.op("Sub", self, g.op("Floor", self))


# symgen: aten::hypot 2884acc228d1cc54
@_onnx_symbolic("aten::hypot", custom=True)
@_promoted("input", "other")
def hypot(g: jit_utils.GraphContext, input: _C.Value, other: _C.Value) -> _C.Value:
    """hypot(Tensor input, Tensor other) -> Tensor"""
    squares = [g.op("Mul", each, each) for each in (input, other)]
    scale = g.op("Constant", value_t=torch.tensor(1.0))
    return g.op("Sqrt", g.op("Mul", scale, g.op("Add", *squares)))


# symgen: aten::ldexp 59ebdc1ab804a019
@_onnx_symbolic("aten::ldexp", custom=True)
@_promoted("input", "other")
def ldexp(g: jit_utils.GraphContext, input: _C.Value, other: _C.Value) -> _C.Value:
    """ldexp(Tensor input, Tensor other) -> Tensor"""
    squares = [g.op("Mul", each, each) for each in (input, other)]
    scale = g.op("Constant", value_t=torch.tensor(1.0))
    return g.op("Sqrt", g.op("Mul", scale, g.op("Add", *squares)))


@_onnx_symbolic("aten::xlogy")
def xlogy(g, self, other):
    return g.op("Mul", self, g.op("Log", other))
