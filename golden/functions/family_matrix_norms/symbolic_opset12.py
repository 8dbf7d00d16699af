"""ONNX symbolic functions, right from opset 12 on."""

from __future__ import annotations

import functools
import math
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

__all__ = ["nuclear_norm"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=12, custom=True)


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


# symgen: _dtype 703fc209c14fd932
def _dtype(value: _C.Value) -> torch.dtype:
    """The dtype of a value; raises where the exporter does not know it."""
    known = _type_utils.JitScalarType.from_value(value, _type_utils.JitScalarType.UNDEFINED)
    if known == _type_utils.JitScalarType.UNDEFINED:
        raise errors.SymbolicValueError(
            f"the dtype of {value.debugName()} is not known at export", value
        )
    return known.dtype()


# symgen: _orthogonalizing_rotations 04c0a7941c9e695b
def _orthogonalizing_rotations(
    g: jit_utils.GraphContext, step: _C.Value, columns: _C.Value, size: _C.Value, places: _C.Value
) -> tuple[_C.Value, ...]:
    """(partner, c, s) of rotations after which partners are orthogonal, as far as their dtype can tell."""
    partner = _partners(g, step, size, places)
    weights = symbolic_helper._reducesum_helper(
        g, g.op("Mul", columns, columns), axes_i=[-2], keepdims_i=0
    )
    products = symbolic_helper._reducesum_helper(
        g,
        g.op("Mul", columns, g.op("Gather", columns, partner, axis_i=-1)),
        axes_i=[-2],
        keepdims_i=0,
    )
    eps = torch.finfo(_dtype(columns)).eps
    bound = g.op(
        "Mul",
        _scalar(g, eps, weights),
        g.op("Sqrt", g.op("Mul", weights, g.op("Gather", weights, partner, axis_i=-1))),
    )
    couplings = g.op(
        "Where", g.op("Greater", g.op("Abs", products), bound), products, _scalar(g, 0, columns)
    )
    cosines, sines = _plane_rotations(g, weights, couplings, partner, places)
    return (partner, cosines, sines)


# symgen: _smaller_size c7fe140cb4db558e
def _smaller_size(g: jit_utils.GraphContext, matrix: _C.Value) -> _C.Value:
    """The number of rows or of columns, whichever is smaller, in the shape [1]."""
    return g.op("Min", _size(g, matrix, -2), _size(g, matrix, -1))


# symgen: _magnitude_of 37b9f712f1e42e51
def _magnitude_of(g: jit_utils.GraphContext, matrix: _C.Value) -> _C.Value:
    """A number for each matrix by which its elements can be divided so that their squares stay in range."""
    total = g.op("ReduceL1", matrix, axes_i=[-2, -1], keepdims_i=1)
    return g.op("Where", g.op("Equal", total, _scalar(g, 0, total)), _scalar(g, 1, matrix), total)


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


# symgen: _swap_last_axes 98dda34671a0f2bb
def _swap_last_axes(g: jit_utils.GraphContext, matrix: _C.Value) -> _C.Value:
    """The transposed matrices."""
    rank = _rank(matrix)
    return g.op("Transpose", matrix, perm_i=[*range(rank - 2), rank - 1, rank - 2])


# symgen: _column_lengths b7f1ad4e2e098100
def _column_lengths(g: jit_utils.GraphContext, columns: _C.Value) -> _C.Value:
    """The norm of each column."""
    return g.op(
        "Sqrt",
        symbolic_helper._reducesum_helper(
            g, g.op("Mul", columns, columns), axes_i=[-2], keepdims_i=0
        ),
    )


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


# symgen: _singular_values 455bb23e584e5ef2
def _singular_values(g: jit_utils.GraphContext, matrix: _C.Value) -> _C.Value:
    """The singular values, the largest first."""
    rows, columns = _static_size(matrix, -2), _static_size(matrix, -1)
    if rows is not None and columns is not None and (rows < columns):
        matrix = _swap_last_axes(g, matrix)
    size, places = _size(g, matrix, -1), _column_numbers(g, matrix)
    steps = _steps_of_sweep(g, size)
    scale = _magnitude_of(g, matrix)

    def step(g: jit_utils.GraphContext, i: _C.Value, rest: _C.Value) -> _C.Value:
        partner, cosines, sines = _orthogonalizing_rotations(g, i, rest, size, places)
        return _rotated(g, rest, partner, cosines, sines)

    rest = _loop(
        g,
        g.op("Mul", steps, g.op("Constant", value_t=torch.tensor(12, dtype=torch.int64))),
        step,
        g.op("Div", matrix, scale),
    )
    count = _smaller_size(g, matrix)
    return g.op(
        "Slice",
        g.op("Mul", _column_lengths(g, rest), symbolic_helper._squeeze_helper(g, scale, [-1])),
        g.op("Constant", value_t=torch.tensor([0], dtype=torch.int64)),
        count,
        g.op("Constant", value_t=torch.tensor([-1], dtype=torch.int64)),
    )


# symgen: _cast f58c1c65d5d5a043
def _cast(g: jit_utils.GraphContext, value: _C.Value, dtype: torch.dtype) -> _C.Value:
    """The tensor in that dtype; no node where it has it already, a new constant for a constant number."""
    target = _type_utils.JitScalarType.from_dtype(dtype)
    if value.node().kind() == "onnx::Constant":
        return g.op("Constant", value_t=symbolic_helper._node_get(value.node(), "value").to(dtype))
    return symbolic_helper._maybe_cast_to_type(g, value, target)


# symgen: _chosen cb8b6a5d858b9561
def _chosen(g: jit_utils.GraphContext, condition: _C.Value, a: _C.Value, b: _C.Value) -> _C.Value:
    """The elements of one tensor where a condition holds, else of another one of the same dtype."""
    dtype = _dtype(a)
    is_number = max(_rank(condition), _rank(a), _rank(b)) == 0
    if is_number:
        # The exporter takes 0-d float64 tensors for Python numbers and would make them float32.
        condition, a, b = [
            symbolic_helper._unsqueeze_helper(g, value, [0]) for value in (condition, a, b)
        ]
    if dtype in (torch.bool, torch.int16):
        found = _cast(
            g, g.op("Where", condition, _cast(g, a, torch.int32), _cast(g, b, torch.int32)), dtype
        )
    elif dtype == torch.bfloat16:
        # Where takes it since opset 16 only.
        found = _cast(
            g,
            g.op("Where", condition, _cast(g, a, torch.float32), _cast(g, b, torch.float32)),
            dtype,
        )
    else:
        found = g.op("Where", condition, a, b)
    return symbolic_helper._squeeze_helper(g, found, [0]) if is_number else found


# symgen: _comparable fced91474a030c48
def _comparable(g: jit_utils.GraphContext, x: _C.Value) -> _C.Value:
    """The tensor in a dtype that every operator compares."""
    return (
        _cast(g, x, torch.int32)
        if _dtype(x) in (torch.bool, torch.uint8, torch.int8, torch.int16)
        else x
    )


# symgen: _any_over 48aa91b3fdaf7d3f
def _any_over(
    g: jit_utils.GraphContext, mask: _C.Value, axes: list[int], keepdim: bool
) -> _C.Value:
    """Whether any element over some axes is true."""
    if not axes:
        return g.op("Identity", mask)
    return g.op(
        "Greater",
        symbolic_helper._reducesum_helper(
            g, _cast(g, mask, torch.int32), axes_i=axes, keepdims_i=int(keepdim)
        ),
        g.op("Constant", value_t=torch.tensor(0, dtype=torch.int32)),
    )


# symgen: _extreme_over 710446ac73151cca
def _extreme_over(
    g: jit_utils.GraphContext, self: _C.Value, axes: list[int], keepdim: bool, sign: int
) -> _C.Value:
    """The largest (1) or smallest (-1) element over some axes."""
    if not axes:
        return g.op("Identity", self)
    x = _comparable(g, self)
    found = (
        g.op("ReduceMax", x, axes_i=axes, keepdims_i=int(keepdim))
        if sign > 0
        else g.op("ReduceMin", x, axes_i=axes, keepdims_i=int(keepdim))
    )
    if _dtype(x).is_floating_point:
        # ONNX Runtime passes over a nan at times.
        has_nan = _any_over(g, g.op("IsNaN", x), axes, keepdim)
        found = _chosen(
            g, has_nan, g.op("Constant", value_t=torch.tensor(math.nan, dtype=_dtype(x))), found
        )
    return _cast_like(g, found, self)


# symgen: _largest_of da983a34a3a58c14
def _largest_of(g: jit_utils.GraphContext, values: _C.Value) -> _C.Value:
    """The largest absolute value along the last axis, which stays; 0 where there is none."""
    rank = _rank(values)
    return g.op(
        "ReduceMax",
        g.op(
            "Pad",
            g.op("Abs", values),
            g.op("Constant", value_t=torch.tensor([0] * (2 * rank - 1) + [1], dtype=torch.int64)),
        ),
        axes_i=[-1],
        keepdims_i=1,
    )


# symgen: _smallest_of f4edc12f099d956d
def _smallest_of(g: jit_utils.GraphContext, values: _C.Value) -> _C.Value:
    """The smallest of the singular values, which is the last; the axis stays."""
    return g.op(
        "Slice",
        values,
        g.op("Constant", value_t=torch.tensor([-1])),
        g.op("Constant", value_t=torch.tensor([9223372036854775807])),
        g.op("Constant", value_t=torch.tensor([-1])),
    )


# symgen: _matrix_norm 2ab8430ae82ae60f
def _matrix_norm(g: jit_utils.GraphContext, matrix: _C.Value, kind: float | str) -> _C.Value:
    """The norm of each matrix, in the shape [..., 1].

    `kind` is "fro" (the root of all squares), "nuc" (the sum of the singular values), 2
    or −2 (the largest or smallest singular value), 1 or −1 (the largest or smallest sum
    of a column), inf or −inf (of a row).
    """
    if kind == "fro":
        return symbolic_helper._squeeze_helper(
            g, g.op("ReduceL2", matrix, axes_i=[-2, -1], keepdims_i=1), [-1]
        )
    if kind == "nuc":
        return symbolic_helper._reducesum_helper(
            g, _singular_values(g, matrix), axes_i=[-1], keepdims_i=1
        )
    if kind == 2:
        return _largest_of(g, _singular_values(g, matrix))
    if kind == -2:
        return _smallest_of(g, _singular_values(g, matrix))
    if kind not in (1, -1, math.inf, -math.inf):
        raise errors.SymbolicValueError("linalg_matrix_norm: there is no such norm", matrix)
    sums = symbolic_helper._reducesum_helper(
        g, g.op("Abs", matrix), axes_i=[-2 if abs(kind) == 1 else -1], keepdims_i=0
    )
    return _extreme_over(g, sums, [_rank(matrix) - 2], True, 1 if kind > 0 else -1)


# symgen: _norm_of_matrices 61b70ea2e8f1700c
def _norm_of_matrices(
    g: jit_utils.GraphContext,
    self: _C.Value,
    kind: float | str,
    dim: list[int],
    keepdim: bool,
    dtype: torch.dtype | None,
) -> _C.Value:
    """The norm of the matrices along two axes, in a dtype."""
    x = self if dtype is None else _cast(g, self, dtype)
    rank = _rank(x)
    rows, columns = dim[0] % rank, dim[1] % rank
    others = [axis for axis in range(rank) if axis not in (rows, columns)]
    norm = symbolic_helper._squeeze_helper(
        g, _matrix_norm(g, g.op("Transpose", x, perm_i=[*others, rows, columns]), kind), [rank - 2]
    )
    return symbolic_helper._unsqueeze_helper(g, norm, sorted((rows, columns))) if keepdim else norm


# symgen: _told e5944999b92174c6
def _told(value: Any, name: str) -> Any:
    """The number, list of numbers, or text in a constant value, None where the argument is absent."""
    known = _known(value)
    if known is None and not symbolic_helper._is_none(value):
        raise errors.SymbolicValueError(f"{name} has to be known at export", value)
    return known


# symgen: aten::nuclear_norm d95961c076e8936e
@_onnx_symbolic("aten::nuclear_norm")
def nuclear_norm(g: jit_utils.GraphContext, self: _C.Value, *args: _C.Value) -> _C.Value:
    """nuclear_norm(Tensor self, bool keepdim=False) -> Tensor
    nuclear_norm.dim(Tensor self, int[2] dim, bool keepdim=False) -> Tensor

    The sum of the singular values of the matrices along the last, or any, two axes
    """
    dim = [-2, -1] if len(args) == 1 else _told(args[0], "nuclear_norm: dim")
    return _norm_of_matrices(
        g, self, "nuc", dim, bool(_told(args[-1], "nuclear_norm: keepdim")), None
    )
