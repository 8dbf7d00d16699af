"""ONNX symbolic functions, right from opset 11 on."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import _C
from torch.onnx import errors
from torch.onnx._internal.torchscript_exporter import (
    _type_utils,
    jit_utils,
    registration,
    symbolic_helper,
    utils,
)

__all__ = ["linalg_eigh"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=11, custom=True)


# symgen: _known 07c1363a5c94cc6e
def _known(value: Any) -> Any:
    """The Python number, list of numbers, or text in a constant value; None where it is known only when the model runs."""
    if symbolic_helper._is_none(value):
        return None
    if isinstance(value, _C.Value) and symbolic_helper._is_packed_list(value):
        value = symbolic_helper._unpack_list(value)
    if isinstance(value, (list, tuple)):
        elements = [_known(element) for element in value]
        if None in elements:
            return None
        return [
            number for part in elements for number in (part if isinstance(part, list) else [part])
        ]
    if isinstance(value, _C.Value):
        value = (
            value.toIValue()
            if value.node().kind() == "prim::Constant"
            else symbolic_helper._maybe_get_const(value, "t")
        )
    if isinstance(value, torch.Tensor):
        return value.tolist()
    return value if isinstance(value, (int, float, str, list)) else None


# symgen: _static_size 11ff0519ee8bff60
def _static_size(value: _C.Value, axis: int) -> int | None:
    """The length of an axis where it is known at export, else None."""
    known = symbolic_helper._get_tensor_dim_size(value, axis)
    if known is None and value.node().kind() == "onnx::Reshape":
        # Nodes that the exporter's own passes made have no inferred shapes.
        sizes = _known(list(value.node().inputs())[1])
        known = sizes[axis] if sizes is not None and sizes[axis] > 0 else None
    return known


# symgen: _rank 6d888dc2ea092ca6
def _rank(value: _C.Value) -> int:
    """The rank of a tensor; raises where the exporter does not know it."""
    rank = symbolic_helper._get_tensor_rank(value)
    if rank is None:
        raise errors.SymbolicValueError(
            f"the rank of {value.debugName()} is not known at export", value
        )
    return rank


# symgen: _size c55557e33fa7e33f
def _size(g: jit_utils.GraphContext, value: _C.Value, axis: int) -> _C.Value:
    """The length of an axis as an int64 tensor of shape [1], also where it is dynamic."""
    known = _static_size(value, axis)
    if known is not None:
        return g.op("Constant", value_t=torch.tensor([known], dtype=torch.int64))
    if axis < 0:
        axis += _rank(value)
    return g.op(
        "Gather", g.op("Shape", value), g.op("Constant", value_t=torch.tensor([axis])), axis_i=0
    )


# symgen: _cast_like 7ccf97423759ad9a
def _cast_like(g: jit_utils.GraphContext, value: _C.Value, like: _C.Value) -> _C.Value:
    """The tensor in the dtype of `like`, also where that is unknown at export."""
    known = _type_utils.JitScalarType.from_value(like, _type_utils.JitScalarType.UNDEFINED)
    if known != _type_utils.JitScalarType.UNDEFINED:
        return symbolic_helper._maybe_cast_to_type(g, value, known)
    if g.opset < 15:
        raise errors.SymbolicValueError(
            "a dtype that is unknown at export needs opset 15 (CastLike)", like
        )
    return g.op("CastLike", value, like)


# symgen: _scalar 9451145ccc11ca13
def _scalar(g: jit_utils.GraphContext, number: Any, like: _C.Value) -> _C.Value:
    """A constant of the dtype of `like`, also where that is unknown at export."""
    known = _type_utils.JitScalarType.from_value(like, _type_utils.JitScalarType.UNDEFINED)
    if known == _type_utils.JitScalarType.UNDEFINED:
        return _cast_like(g, g.op("Constant", value_t=torch.tensor(number)), like)
    return g.op("Constant", value_t=torch.tensor(number, dtype=known.dtype()))


# symgen: _counting decb757d6866fe64
def _counting(g: jit_utils.GraphContext, count: _C.Value) -> _C.Value:
    """0, 1 … count − 1 as int64; `count` has the shape [1]."""
    return g.op(
        "Range",
        _scalar(g, 0, count),
        symbolic_helper._squeeze_helper(g, count, [0]),
        _scalar(g, 1, count),
    )


# symgen: _column_numbers 66b87dd4a4c49673
def _column_numbers(g: jit_utils.GraphContext, matrix: _C.Value) -> _C.Value:
    """The number of each column, in the shape [n]."""
    return _counting(g, _size(g, matrix, -1))


# symgen: _row_numbers 59223ac12a4a4095
def _row_numbers(g: jit_utils.GraphContext, matrix: _C.Value) -> _C.Value:
    """The number of each row, in the shape [m, 1]."""
    return symbolic_helper._unsqueeze_helper(g, _counting(g, _size(g, matrix, -2)), [1])


# symgen: _swap_last_axes 98dda34671a0f2bb
def _swap_last_axes(g: jit_utils.GraphContext, matrix: _C.Value) -> _C.Value:
    """The transposed matrices."""
    rank = _rank(matrix)
    return g.op("Transpose", matrix, perm_i=[*range(rank - 2), rank - 1, rank - 2])


# symgen: _orthonormalized d7423f2a764fdd1e
def _orthonormalized(g: jit_utils.GraphContext, vectors: _C.Value, unit: _C.Value) -> _C.Value:
    """Columns that are nearly orthonormal, with the defect squared: a step of Newton's for the polar factor."""
    defect = g.op("Sub", unit, g.op("MatMul", _swap_last_axes(g, vectors), vectors))
    return g.op(
        "Add", vectors, g.op("MatMul", vectors, g.op("Mul", _scalar(g, 0.5, defect), defect))
    )


# symgen: _identity d88a028fb96314dd
def _identity(g: jit_utils.GraphContext, size: _C.Value, like: _C.Value) -> _C.Value:
    """The identity matrix of that size, in the dtype of another tensor; `size` has the shape [1]."""
    places = _counting(g, size)
    return _cast_like(
        g, g.op("Equal", symbolic_helper._unsqueeze_helper(g, places, [1]), places), like
    )


# symgen: _steps_of_sweep b7038f4b84730f73
def _steps_of_sweep(g: jit_utils.GraphContext, size: _C.Value) -> _C.Value:
    """How many steps let all pairs meet: the largest odd number that is not above the size."""
    return g.op(
        "Add", g.op("Sub", size, _scalar(g, 1, size)), g.op("Mod", size, _scalar(g, 2, size))
    )


# symgen: _partners e2210ff1680f4ff5
def _partners(
    g: jit_utils.GraphContext, step: _C.Value, size: _C.Value, places: _C.Value
) -> _C.Value:
    """The column that each column meets in a step; itself, where it meets none."""
    cycle = _steps_of_sweep(g, size)
    turn = g.op("Mod", step, cycle)
    # Columns meet whose numbers add up to the turn, modulo an odd number; the one that would meet itself meets the
    # column behind the cycle, where there is one.
    alone = g.op(
        "Mod",
        g.op(
            "Mul", turn, g.op("Div", g.op("Add", cycle, _scalar(g, 1, cycle)), _scalar(g, 2, cycle))
        ),
        cycle,
    )
    behind = g.op("Where", g.op("Less", cycle, size), cycle, alone)
    met = g.op("Mod", g.op("Sub", turn, places), cycle)
    return g.op(
        "Where",
        g.op("Equal", places, cycle),
        alone,
        g.op("Where", g.op("Equal", places, alone), behind, met),
    )


# symgen: _plane_rotations fee5f5234eb7ca8a
def _plane_rotations(
    g: jit_utils.GraphContext,
    weights: _C.Value,
    couplings: _C.Value,
    partner: _C.Value,
    places: _C.Value,
) -> tuple[_C.Value, ...]:
    """(c, s) such that the columns c · xᵢ − s · x_partner(i) are not coupled, the heavier of each pair in front.

    `weights` are the squares of the columns, or a diagonal, `couplings` the products of
    partners. The tangent is Rutishauser's, the smaller of the two that there are,
    unless that would leave the lighter column in front.
    """
    zero, one = _scalar(g, 0, weights), _scalar(g, 1, weights)
    difference = g.op("Sub", g.op("Gather", weights, partner, axis_i=-1), weights)
    is_free = g.op("Or", g.op("Equal", couplings, zero), g.op("Equal", partner, places))
    ratio = g.op("Div", difference, g.op("Where", is_free, one, g.op("Add", couplings, couplings)))
    direction = g.op("Where", g.op("Less", places, partner), one, g.op("Neg", one))
    sign = g.op("Where", g.op("Equal", difference, zero), direction, g.op("Sign", ratio))
    tangent = g.op(
        "Where",
        is_free,
        zero,
        g.op(
            "Div",
            sign,
            g.op(
                "Add", g.op("Abs", ratio), g.op("Sqrt", g.op("Add", g.op("Mul", ratio, ratio), one))
            ),
        ),
    )
    cosine = g.op("Div", one, g.op("Sqrt", g.op("Add", g.op("Mul", tangent, tangent), one)))
    sine = g.op("Mul", tangent, cosine)
    is_swapped = g.op("Greater", g.op("Mul", direction, difference), zero)
    swapping = g.op(
        "Mul", g.op("Where", g.op("Equal", sine, zero), direction, g.op("Sign", sine)), cosine
    )
    return (
        g.op("Where", is_swapped, g.op("Abs", sine), cosine),
        g.op("Where", is_swapped, g.op("Neg", swapping), sine),
    )


# symgen: _turns d19b39b03201a61e
def _turns(
    g: jit_utils.GraphContext,
    count: _C.Value,
    going_on: _C.Value,
    body: Callable[..., tuple[_C.Value, Any]],
    state: Sequence[_C.Value],
) -> _C.Value | tuple[_C.Value, ...]:
    """An ONNX Loop of up to `count` turns; `body(g, i, *state)` gives whether to go on and the next state."""
    outputs, (inner,), _ = jit_utils.add_op_with_blocks(
        g, "Loop", count, going_on, *state, outputs=len(state), n_blocks=1
    )
    iteration = utils._add_input_to_block(inner.block)
    iteration.inferTypeFrom(torch.tensor(0))
    utils._add_input_to_block(inner.block).inferTypeFrom(torch.tensor(True))
    arguments = []
    for value in state:
        argument = utils._add_input_to_block(inner.block)
        argument.setType(value.type())
        arguments.append(argument)
    goes_on, results = body(inner, iteration, *arguments)
    utils._add_output_to_block(inner.block, goes_on)
    for result in results if isinstance(results, tuple) else (results,):
        utils._add_output_to_block(inner.block, result)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    for output, value in zip(outputs, state):
        output.setType(value.type())
    return outputs[0] if len(state) == 1 else tuple(outputs)


# symgen: _loop b001a3c6ef55919b
def _loop(
    g: jit_utils.GraphContext, count: _C.Value, body: Callable[..., Any], *state: _C.Value
) -> _C.Value | tuple[_C.Value, ...]:
    """`state = body(g, i, *state)` for i from 0 to count - 1, as an ONNX Loop."""

    def turn(
        inner: jit_utils.GraphContext, iteration: _C.Value, *arguments: _C.Value
    ) -> tuple[_C.Value, Any]:
        return inner.op("Constant", value_t=torch.tensor(True)), body(inner, iteration, *arguments)

    going_on = g.op("Constant", value_t=torch.tensor(True))
    count = symbolic_helper._reshape_helper(
        g, count, g.op("Constant", value_t=torch.tensor([], dtype=torch.int64))
    )
    return _turns(g, count, going_on, turn, state)


# symgen: _rotated 527cec915936bb4d
def _rotated(
    g: jit_utils.GraphContext,
    matrix: _C.Value,
    partner: _C.Value,
    cosines: _C.Value,
    sines: _C.Value,
) -> _C.Value:
    """The columns c · xᵢ − s · x_partner(i)."""
    return g.op(
        "Sub",
        g.op("Mul", matrix, symbolic_helper._unsqueeze_helper(g, cosines, [-2])),
        g.op(
            "Mul",
            g.op("Gather", matrix, partner, axis_i=-1),
            symbolic_helper._unsqueeze_helper(g, sines, [-2]),
        ),
    )


# symgen: _eigen_decomposed 4634f9ddb743f3cb
def _eigen_decomposed(g: jit_utils.GraphContext, matrix: _C.Value) -> tuple[_C.Value, ...]:
    """(Eigenvalues from the smallest on, eigenvectors) of symmetric matrices."""
    size, places = _size(g, matrix, -1), _column_numbers(g, matrix)
    steps = _steps_of_sweep(g, size)
    is_diagonal = g.op("Equal", _row_numbers(g, matrix), places)
    zero = _scalar(g, 0, matrix)
    vectors = g.op("Expand", _identity(g, size, matrix), g.op("Shape", matrix))

    def step(
        g: jit_utils.GraphContext, i: _C.Value, rest: _C.Value, vectors: _C.Value
    ) -> tuple[_C.Value, ...]:
        partner = _partners(g, i, size, places)
        met = g.op("Gather", rest, partner, axis_i=-1)
        weights = symbolic_helper._reducesum_helper(
            g, g.op("Where", is_diagonal, rest, zero), axes_i=[-1], keepdims_i=0
        )
        products = symbolic_helper._reducesum_helper(
            g, g.op("Where", is_diagonal, met, zero), axes_i=[-1], keepdims_i=0
        )
        # Rounding makes the matrix unsymmetric, and two partners must see one coupling.
        couplings = g.op(
            "Mul",
            _scalar(g, 0.5, products),
            g.op("Add", products, g.op("Gather", products, partner, axis_i=-1)),
        )
        cosines, sines = _plane_rotations(g, weights, couplings, partner, places)
        rest = _rotated(g, rest, partner, cosines, sines)
        below = g.op("Gather", rest, partner, axis_i=-2)
        rest = g.op(
            "Sub",
            g.op("Mul", rest, symbolic_helper._unsqueeze_helper(g, cosines, [-1])),
            g.op("Mul", below, symbolic_helper._unsqueeze_helper(g, sines, [-1])),
        )
        return (rest, _rotated(g, vectors, partner, cosines, sines))

    # The heaviest of the negated ones come first, so that the smallest do.
    _, turned = _loop(
        g,
        g.op("Mul", steps, g.op("Constant", value_t=torch.tensor(12, dtype=torch.int64))),
        step,
        g.op("Neg", matrix),
        vectors,
    )
    basis = _orthonormalized(g, turned, _identity(g, size, matrix))
    # Quotients of Rayleigh's forgive the vectors their errors; those a few eps apart may have changed places.
    values = symbolic_helper._reducesum_helper(
        g, g.op("Mul", basis, g.op("MatMul", matrix, basis)), axes_i=[-2], keepdims_i=0
    )
    negated, _ = g.op("TopK", g.op("Neg", values), size, axis_i=-1, outputs=2)
    return (g.op("Neg", negated), basis)


# symgen: _lower_part 020caf475493bf8a
def _lower_part(g: jit_utils.GraphContext, matrix: _C.Value, offset: int = 0) -> _C.Value:
    """The matrices with zeros above a diagonal."""
    rows, columns = _row_numbers(g, matrix), _column_numbers(g, matrix)
    return g.op(
        "Where",
        g.op(
            "Greater",
            g.op("Sub", columns, g.op("Constant", value_t=torch.tensor(offset, dtype=torch.int64))),
            rows,
        ),
        _scalar(g, 0, matrix),
        matrix,
    )


# symgen: _upper_part 673d1005f1838b7d
def _upper_part(g: jit_utils.GraphContext, matrix: _C.Value, offset: int = 0) -> _C.Value:
    """The matrices with zeros below a diagonal."""
    rows, columns = _row_numbers(g, matrix), _column_numbers(g, matrix)
    return g.op(
        "Where",
        g.op(
            "Less",
            g.op("Sub", columns, g.op("Constant", value_t=torch.tensor(offset, dtype=torch.int64))),
            rows,
        ),
        _scalar(g, 0, matrix),
        matrix,
    )


# symgen: _symmetric b25874478d94962c
def _symmetric(g: jit_utils.GraphContext, matrix: _C.Value, upper: bool) -> _C.Value:
    """The symmetric matrices of which only one triangle is given."""
    if upper:
        return g.op("Add", _upper_part(g, matrix, 0), _swap_last_axes(g, _upper_part(g, matrix, 1)))
    return g.op("Add", _lower_part(g, matrix, 0), _swap_last_axes(g, _lower_part(g, matrix, -1)))


# symgen: aten::linalg_eigh 1b42db0c5347d7df
@_onnx_symbolic("aten::linalg_eigh")
@symbolic_helper.parse_args("v", "s")
def linalg_eigh(g: jit_utils.GraphContext, self: _C.Value, UPLO: str = "L") -> tuple[_C.Value, ...]:
    """linalg_eigh(Tensor self, str UPLO="L") -> (Tensor eigenvalues, Tensor eigenvectors)

    The eigenvalues of symmetric matrices, ascending, and the eigenvectors as columns
    """
    return _eigen_decomposed(g, _symmetric(g, self, UPLO.upper() == "U"))
