"""Files that symgen did not write: what can't be read statically gets no finding rather than a wrong one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Found = Callable[..., list[tuple[str, int]]]

RIGHT = {
    "one body for overloads of several lengths": """
@_onnx_symbolic("aten::std")
def std(g, input, *args):
    return _std(g, input, *args)


@_onnx_symbolic("aten::div", opset=[9, 10])
@symbolic_helper.parse_args("v", "v", "s")
def div(g, self, other, *args):
    return g.op("Div", self, other)
""",
    "a parameter that stands for two": """
@_onnx_symbolic("aten::min", opset=[9, 12, 18])
def min(g, self, dim_or_other=None, keepdim=None):
    return _smallest(g, self, dim_or_other, keepdim)
""",
    "functions made by a maker": """
def _make(name):
    @symbolic_helper.parse_args("v")
    def symbolic(g, self):
        return g.op(name, self)

    return symbolic


for _name, _onnx in (("sinh", "Sinh"), ("cosh", "Cosh")):
    _onnx_symbolic(f"aten::{_name}")(_make(_onnx))
asinh = _onnx_symbolic("aten::asinh")(_make("Asinh"))
""",
    "functions put into globals": """
def _register(name):
    def decorate(function):
        globals()[name] = function
        return _onnx_symbolic("aten::" + name)(function)

    return decorate


__all__ = ["sinh", "cosh"]
_register("sinh")(lambda g, self: g.op("Sinh", self))
_register("cosh")(lambda g, self: g.op("Cosh", self))
""",
    "a maker with parameters applied": """
@_onnx_symbolic("aten::avg_pool1d", opset=[9, 10], decorate=[symbolic_helper._apply_params("avg_pool1d", 1)])
@_onnx_symbolic("aten::avg_pool2d", opset=[9, 10], decorate=[symbolic_helper._apply_params("avg_pool2d", 2)])
def _avg_pool(name, rank):
    @symbolic_helper.parse_args("v", "is", "is", "is", "i", "i", "none")
    def symbolic(g, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override=None):
        return _pool(g, name, rank, input, kernel_size, stride, padding, ceil_mode, count_include_pad)

    return symbolic
""",
    "a decorator from elsewhere": """
from somewhere import with_dtype


@_onnx_symbolic("aten::hypot")
@with_dtype("float")
def hypot(g, dtype, x, y, more):
    return _hypot(g, dtype, x, y, more)
""",
    "a decorator that rearranges": """
def _swapped(function):
    def wrapper(g, self, other):
        return function(g, other, self)

    return wrapper


@_onnx_symbolic("aten::rsub")
@_swapped
def rsub(g, first, second, third=None):
    return _sub(g, first, second, third)
""",
    "a decorator that keeps the parameters": """
def _promoted(*names):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(g, *args):
            return function(g, *[_cast(g, value) for value in args])

        return wrapper

    return decorate


@_onnx_symbolic("aten::hypot")
@_promoted("self", "other")
def hypot(g, self, other):
    return _hypot(g, self, other)
""",
    "opsets told apart by a function": """
def _takes_axes(g):
    return g.opset >= 13


@_onnx_symbolic("aten::vdot")
def vdot(g, self, other):
    product = g.op("Mul", self, other)
    if _takes_axes(g):
        return g.op("ReduceSum", product, g.op("Constant", value_t=torch.tensor([0])), keepdims_i=0)
    return g.op("ReduceSum", product, axes_i=[0], keepdims_i=0)
""",
    "opsets told apart by arithmetic": """
@_onnx_symbolic("aten::vdot")
def vdot(g, self, other):
    product = g.op("Mul", self, other)
    if max(g.opset, 11) < 13:
        return g.op("ReduceSum", product, axes_i=[0], keepdims_i=0)
    return g.op("ReduceSum", product, g.op("Constant", value_t=torch.tensor([0])), keepdims_i=0)
""",
    "opsets told apart by a parameter": """
def _total(g, self, opset):
    if opset < 13:
        return g.op("ReduceSum", self, axes_i=[0], keepdims_i=0)
    return g.op("ReduceSum", self, g.op("Constant", value_t=torch.tensor([0])), keepdims_i=0)


@_onnx_symbolic("aten::vdot")
def vdot(g, self, other):
    return _total(g, g.op("Mul", self, other), g.opset)
""",
    "opsets told apart in every way": """
@_onnx_symbolic("aten::vdot")
def vdot(g, self, other):
    product, opset, is_old = g.op("Mul", self, other), g.opset, g.opset < 13
    if opset in (9, 10):
        return g.op("ReduceSum", product, axes_i=[0], keepdims_i=0)
    if opset in range(11, 13):
        return g.op("ReduceSum", product, axes_i=[0], keepdims_i=0)
    if not is_old and opset == 13:
        return g.op("ReduceSum", product, g.op("Constant", value_t=torch.tensor([0])), keepdims_i=0)
    assert 14 <= g.opset < 21
    axes = g.op("Constant", value_t=torch.tensor([0]))
    return g.op("ReduceSum", product, axes, keepdims_i=0) if g.opset > 13 else g.op("ReduceSum", product, axes_i=[0])
""",
    "a branch that no served opset takes": """
@_onnx_symbolic("aten::hardsigmoid", opset=[9, 13])
def hardsigmoid(g, self):
    if g.opset < 21:
        return g.op("HardSigmoid", self)
    return g.op("HardSigmoid", self, g.op("Constant", value_t=torch.tensor(0.2)))


def _unused(g, self):
    if g.opset < 13:
        return g.op("ReduceSum", self, axes_i=[0])
    return g.op("ReduceSum", self, g.op("Constant", value_t=torch.tensor([0])))
""",
    "opsets told apart by names with several values": """
@_onnx_symbolic("aten::vdot")
def vdot(g, self, other):
    product, is_old = g.op("Mul", self, other), g.opset < 13
    if is_old:
        return g.op("ReduceSum", product, axes_i=[0], keepdims_i=0)
    return g.op("ReduceSum", product, g.op("Constant", value_t=torch.tensor([0])), keepdims_i=0)


@_onnx_symbolic("aten::inner")
def inner(g, self, other):
    product = g.op("Mul", self, other)
    old = False
    if symbolic_helper._is_fp(self):
        old = g.opset < 13
    if old:
        return g.op("ReduceSum", product, axes_i=[0], keepdims_i=0)
    if new := g.opset >= 13:
        return g.op("ReduceSum", product, g.op("Constant", value_t=torch.tensor([0])), keepdims_i=0)
    return product if new else g.op("ReduceSum", product, axes_i=[0], keepdims_i=0)
""",
    "opsets told apart by the exporter's global": """
@_onnx_symbolic("aten::vdot")
def vdot(g, self, other):
    product = g.op("Mul", self, other)
    if _globals.GLOBALS.export_onnx_opset_version >= 13 and symbolic_helper._is_value(product):
        return g.op("ReduceSum", product, g.op("Constant", value_t=torch.tensor([0])), keepdims_i=0)
    elif g.opset <= 12:
        return g.op("ReduceSum", product, axes_i=[0], keepdims_i=0)
    return symbolic_helper._reducesum_helper(g, product, keepdims_i=0)
""",
    "an early refusal": """
@_onnx_symbolic("aten::isposinf")
def isposinf(g, self):
    if g.opset < 10:
        symbolic_helper._onnx_opset_unsupported("isposinf", 9, 10, self)
    return g.op("IsInf", self, detect_negative_i=0)


@_onnx_symbolic("aten::isneginf")
def isneginf(g, self):
    _require(g, 10)
    return g.op("IsInf", self, detect_positive_i=0)
""",
    "two versions of a function": """
if torch.__version__ >= "2.10":

    @_onnx_symbolic("aten::deg2rad")
    def deg2rad(g, self):
        return _times(g, self, torch.pi / 180)

else:

    @_onnx_symbolic("aten::deg2rad")
    def deg2rad(g, self):
        return _times(g, self, 0.0174532925)


try:
    from vendor import registered

    _onnx_symbolic("aten::rad2deg")(registered)
except ImportError:

    @_onnx_symbolic("aten::rad2deg")
    def rad2deg(g, self):
        return _times(g, self, 180 / torch.pi)


__all__ = ["deg2rad", "rad2deg"]
""",
    "a computed list of exports": """
_TABLE = {"deg2rad": torch.pi / 180}
_TABLE.update(rad2deg=180 / torch.pi)
__all__ = ["something"] + [name for name in _TABLE]


@_onnx_symbolic("aten::deg2rad")
def deg2rad(g, self):
    return _times(g, self, _TABLE["deg2rad"])
""",
    "a list of exports that grows": """
__all__ = ["other"]


def _export(function):
    __all__.append(function.__name__)
    return function


@_onnx_symbolic("aten::deg2rad")
@_export
def deg2rad(g, self):
    return _times(g, self, torch.pi / 180)


other = None
""",
    "a name that looks like a registration": """
def _onnx_symbolic(name, opset=9):
    def decorate(function):
        for version in range(opset, 21):
            registration.registry.register(name, version, function, custom=True)
        return function

    return decorate


@_onnx_symbolic("aten::hardswish")
def hardswish(g, self):
    return g.op("vendor::HSwish", self)
""",
    "a registration at every opset": """
def hardswish(g, self):
    return g.op("vendor::HSwish", self)


for _opset in range(9, 21):
    registration.registry.register("aten::hardswish", _opset, hardswish, custom=True)
""",
    "attributes and inputs that are spread": """
@_onnx_symbolic("aten::nansum")
def nansum(g, self, dim, keepdim, dtype):
    inputs = [self] if dim is None else [self, dim]
    settings = {"keepdims_i": keepdim, "dtype_i": dtype}
    return g.op("ReduceSum", *inputs, **settings)
""",
    "parameters that are read out of sight": """
@_onnx_symbolic("aten::lerp")
def lerp(g, self, end, weight):
    return _lerp(g, **{name: locals()[name] for name in ("self", "end", "weight")})


@_onnx_symbolic("aten::heaviside")
def heaviside(g, self, values):
    def inner():
        return g.op("Where", g.op("Equal", self, self), values, self)

    return inner()


@_onnx_symbolic("aten::softshrink")
def softshrink(g, self, lambd=0.5):
    del lambd  # only ever 0.5
    return g.op("Shrink", self, bias_f=0.5, lambd_f=0.5)
""",
    "functions that only refuse": """
@_onnx_symbolic("aten::logcumsumexp")
def logcumsumexp(g, self, dim):
    return symbolic_helper._unimplemented("logcumsumexp", "not in ONNX")


@_onnx_symbolic("aten::searchsorted")
def searchsorted(g, *args):
    raise NotImplementedError
""",
    "code that no export reaches": """
@_onnx_symbolic("aten::positive")
def positive(g, self):
    return g.op("Identity", self)


def _unused(g, self):
    return g.op("ReduceSum", self, axes_i=[0])
""",
    "another thing with a method op": """
def query(column, database):
    return column.op("Likes")(database.op("Foo", bar=1))
""",
    "blocks that are added later": """
@_onnx_symbolic("aten::positive")
def positive(g, self):
    chosen = g.op("If", self)
    return _with_blocks(g, chosen)
""",
    "a default in another form": """
@_onnx_symbolic("aten::rot90")
def rot90(g, self, k=1, dims=(0, 1)):
    return _rot90(g, self, k, dims)
""",
    "a torch module that is only tried": """
try:
    from torch.onnx._internal import jit_utils as _utils
except ImportError:
    _utils = jit_utils
if torch.__version__ < "2.9":
    from torch.onnx import _globals as _old
""",
}
WRONG = {
    "too many arguments are asked for": (
        """
@_onnx_symbolic("aten::norm")
def norm(g, self, p, dim, keepdim):  # SG002
    return _norm(g, self, p, dim, keepdim)
""",
    ),
    "a maker's function": (
        """
@_onnx_symbolic("aten::softplus", decorate=[symbolic_helper._apply_params("softplus")])
def _softplus(name):
    @symbolic_helper.parse_args("v", "f", "i")  # SG003
    def symbolic(g, self, beta, threshold):
        return _made(g, name, self, beta, threshold)

    return symbolic
""",
    ),
    "a function bound by a decorator": (
        """
def _with(value):
    def apply(function):
        def inner(*args):
            return function(value, *args)

        return inner

    return apply


@_onnx_symbolic("aten::deg2rad", decorate=[_with(0.0174)])
@_onnx_symbolic("aten::rad2deg", decorate=[_with(57.29)])
def _scaled(factor, g, tensor):  # SG001
    return _times(g, tensor, factor)
""",
    ),
    "registered by a call": (
        """
def deg2rad(g, tensor):  # SG001
    return _times(g, tensor, torch.pi / 180)


registration.registry.register("aten::deg2rad", 9, deg2rad, True)
""",
    ),
    "a lambda": (
        """
_onnx_symbolic("aten::lerp")(lambda g, self, weight, end: _lerp(g, self, end, weight))  # SG001
""",
    ),
    "in a loop over constants": (
        """
for _op in ["relu", "hardswish"]:
    registration.custom_onnx_symbolic(f"aten::{_op}", opset=9)(lambda g, self: g.op("vendor::Act", self))  # SG015
""",
    ),
    "registered inside a function": (
        """
def _hardswish(g, self):
    return g.op("vendor::HSwish", self)


def register(opset):
    registration.registry.register("aten::hardswish", 9, _hardswish, custom=True)  # SG015
    registration.registry.register("aten::selu", opset, _hardswish, custom=True)
""",
    ),
    "a helper is reached at a newer opset": (
        """
def _total(g, self):
    return g.op("ReduceSum", self, axes_i=[0], keepdims_i=0)  # SG007


@_onnx_symbolic("aten::vdot")
def vdot(g, self, other):
    product = g.op("Mul", self, other)
    return _total(g, product) if g.opset >= 11 else product
""",
    ),
    "the wrong side of a condition": (
        """
@_onnx_symbolic("aten::vdot")
def vdot(g, self, other):
    product = g.op("Mul", self, other)
    if g.opset < 13:
        axes = g.op("Constant", value_t=torch.tensor([0]))
        return g.op("ReduceSum", product, axes, keepdims_i=0)  # SG007
    return g.op("ReduceSum", product, axes_i=[0], keepdims_i=0)  # SG007
""",
    ),
    "a condition that is no test of the opset": (
        """
@_onnx_symbolic("aten::vdot")
def vdot(g, self, other):
    if symbolic_helper._is_fp(self):
        return g.op("ReduceSum", self, axes_i=[0], keepdims_i=0)  # SG007
    return g.op("Mul", self, other)
""",
    ),
    "what no opset has": (
        """
def _never_reached(g, self):
    if _asks(g):
        return g.op("HardSigmoid", self, alpha=0.2)  # SG007
    first, second = g.op("Relu", self, outputs=2)  # SG007
    return g.op("Reluu", first, None)  # SG007
""",
    ),
    "a removed name in an annotation": (
        """
@_onnx_symbolic("aten::positive")
def positive(
    g: torch.onnx.SymbolicContext,  # SG013
    self,
):
    return _positive(g, self)
""",
    ),
    "parameters that only keywords reach": (
        """
@_onnx_symbolic("aten::softplus")
def softplus(g, self, *, beta=1.0, threshold=20.0):  # SG002
    return _softplus(g, self, beta, threshold)
""",
    ),
    "what no opset has that may lead to it": (
        """
def _unused(g, self):
    if g.opset >= 13:
        return g.op("ReduceSum", self, axes_i=[0])  # SG007
    return g.op("ReduceSum", self, axes_i=[0])
""",
    ),
    "a list where a number is due, and the other way round": (
        """
@_onnx_symbolic("aten::swapaxes")
def swapaxes(g, self, axis0, axis1):
    g.op("Concat", self, axis_i=[axis0])  # SG007
    return g.op("Transpose", self, perm_i=0) if axis1 else None  # SG007
""",
    ),
}


@pytest.mark.parametrize("body", RIGHT.values(), ids=RIGHT)
def test_what_only_looks_odd_has_no_finding(found: Found, body: str) -> None:
    assert found(body) == []


@pytest.mark.parametrize("body", [body for (body,) in WRONG.values()], ids=WRONG)
def test_what_is_wrong_is_found_where_it_stands(found: Found, body: str) -> None:
    expected = [(line.rpartition("  # ")[2], n) for n, line in enumerate(body.splitlines(), 1) if "  # SG" in line]
    assert list(dict.fromkeys(found(body))) == expected


def test_a_long_chain_of_conditions_is_read_to_its_end(found: Found) -> None:
    chain = "".join(f"    elif self == {number}:\n        return self\n" for number in range(2000))
    body = f"""
@_onnx_symbolic("aten::vdot")
def vdot(g, self, other):
    if g.opset < 13:
        return g.op("Mul", self, other)
{chain}    return g.op("ReduceSum", g.op("Mul", self, other), axes_i=[0])
"""
    (finding,) = found(body)
    assert finding[0] == "SG007"


@pytest.mark.parametrize("depth", [90, 900])
def test_deep_nesting_is_no_syntax_error(found: Found, depth: int) -> None:
    sums = " + ".join(["1"] * depth)
    assert found(f"_SUM = {sums}\n_JOINED = [{sums} for _ in range({sums})]\n") == []
