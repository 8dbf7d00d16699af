"""SG012: from a later opset on, ONNX has an operator for what the function builds out of others."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from symgen.check.context import Context, opset_range
from symgen.check.findings import Finding
from symgen.check.onnx_calls import onnx_call
from symgen.check.reading.flow import Body
from symgen.check.reading.opsets import mask_between, opsets_in
from symgen.check.reading.reach import reach
from symgen.check.reading.registrations import Registration
from symgen.check.rules.rule import Example, Rule

CODE = "SG012"
NATIVE: Mapping[str, str] = {
    "aten::affine_grid_generator": "AffineGrid",
    "aten::bitwise_and": "BitwiseAnd",
    "aten::bitwise_not": "BitwiseNot",
    "aten::bitwise_or": "BitwiseOr",
    "aten::bitwise_xor": "BitwiseXor",
    "aten::blackman_window": "BlackmanWindow",
    "aten::celu": "Celu",
    "aten::col2im": "Col2Im",
    "aten::cross_entropy_loss": "SoftmaxCrossEntropyLoss",
    "aten::cumsum": "CumSum",
    "aten::einsum": "Einsum",
    "aten::fmod": "Mod",
    "aten::ge": "GreaterOrEqual",
    "aten::gelu": "Gelu",
    "aten::grid_sampler": "GridSample",
    "aten::hamming_window": "HammingWindow",
    "aten::hann_window": "HannWindow",
    "aten::hardswish": "HardSwish",
    "aten::isinf": "IsInf",
    "aten::layer_norm": "LayerNormalization",
    "aten::le": "LessOrEqual",
    "aten::linalg_det": "Det",
    "aten::mish": "Mish",
    "aten::native_layer_norm": "LayerNormalization",
    "aten::nll_loss": "NegativeLogLikelihoodLoss",
    "aten::round": "Round",
    "aten::stft": "STFT",
    "aten::tril": "Trilu",
    "aten::triu": "Trilu",
}
"""Operators of torch that an ONNX operator newer than opset 9 was made for; since when, the schemas say."""


def check(context: Context) -> Iterator[Finding]:
    """Looks for functions that still serve an opset with such an operator, and don't emit it."""
    for registration in context.module.registrations:
        native = NATIVE.get(registration.op)
        if native is None or registration.body is None or registration.repeated:
            continue
        since = _since(context, native)
        newer = context.served_by(registration) & ~mask_between(0, since - 1)
        if newer and since not in (registration.opsets or (since,)) and not _may_emit(context, registration, native):
            where = opset_range(list(opsets_in(newer)))
            message = f"ONNX has {native} since opset {since}, but this function still serves {where}"
            fix = f"register one that emits {native} in symbolic_opset{since}.py"
            yield context.finding(CODE, registration.node, message, fix=fix)


def _since(context: Context, native: str) -> int:
    """The opset of the operator's first version; beyond every export where ONNX has no such operator."""
    versions = context.index.onnx(native)
    return versions[0][0].since if versions else context.index.newest_opset + 1


def _may_emit(context: Context, registration: Registration, native: str) -> bool:
    """Whether the operator is emitted, or may be where a name is computed or another file's function is called."""
    assert registration.body is not None
    bodies = reach({registration.body: context.served_by(registration)})
    return any(_body_may_emit(body, native) for body in bodies)


def _body_may_emit(body: Body, native: str) -> bool:
    for call in body.op_calls:
        readable = onnx_call(call.node)
        if readable is None or readable.name == native:
            return True
    return any(
        attribute.attr.lower().strip("_") == native.lower() or _is_opset_file(attribute)
        for attribute in body.attributes
    )


def _is_opset_file(attribute: ast.Attribute) -> bool:
    """Whether it is something of another file of symbolic functions: `opset14.hardswish`, `symbolic_opset9.add`."""
    return isinstance(attribute.value, ast.Name) and "opset" in attribute.value.id and attribute.value.id != "opset"


RULE = Rule(
    code=CODE,
    name="a newer opset has the operator",
    why="""\
The function builds out of several nodes what ONNX has an operator for from a later opset on, and nothing takes over
there: models exported at that opset are larger and slower than they need be. Register another version of the function
in the file of that opset. Only pairs that mean the same are looked at, and only functions whose nodes can be read.""",
    check=check,
    wrong=(
        Example("""@_onnx_symbolic("aten::mish")  # <- SG012 Mish since opset 18
def mish(g, self):
    return g.op("Mul", self, g.op("Tanh", g.op("Softplus", self)))
"""),
    ),
    right=(
        Example("""@_onnx_symbolic("aten::mish")
def mish(g, self):
    if g.opset >= 18:
        return g.op("Mish", self)
    return g.op("Mul", self, g.op("Tanh", g.op("Softplus", self)))
"""),
    ),
)
