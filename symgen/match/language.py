"""The plan language, in which the knowledge of `match/decompositions` is written.

An entry is a small pure Python function over a builder `op`. It is read as text and never executed; `lower` turns it
into code for a target. What the language has:

* `op.Name(...)` is a call of the ONNX operator `Name` in the form that it has at opset 20. Inputs go by position or by
  name, attributes by name. `lower` finds the form of older opsets in the schema history. `outputs=n` asks for a list of
  n results, as many as only the export knows.
* Tensors (and parameters named in `values=`) are graph values. `+ - * /`, unary `-`, comparisons, `&`, `|` and `~`
  between graph values are the ONNX operators; a Python number beside one becomes a constant of its dtype.
* All else is plain Python that runs at export time: `int`, `float`, `bool`, `str` and list parameters, `if`, `for`,
  comprehensions, arithmetic on ranks. `x is None` asks whether an optional tensor is absent.
* Names that start with a small letter are services of the builder, see `Services`.
* A call of another function of the knowledge, with `op` as first argument, is a call of a shared helper.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])

torch: Any = None
"""The module as generated code sees it, for `torch.float64` and `torch.finfo`; `import math` is understood as well."""

Values = Sequence[Any]
"""The annotation of a helper's argument that is a list of graph values."""


def decomposition(
    *names: str,
    promote: Sequence[str] | None = None,
    kind: str = "",
    widen: bool = True,
    precise: bool = False,
    as_float: Sequence[str] = (),
    unrounded: Sequence[str] = (),
    values: Sequence[str] = (),
    ignore: Mapping[str, str] | None = None,
    only: Mapping[str, object] | None = None,
    since: int = 9,
    limits: Sequence[str] = (),
    returns_list: bool = False,
    quantized: Sequence[str] = (),
    dynamo_only: str = "",
    torchscript_only: str = "",
) -> Callable[[_Function], _Function]:
    """Marks a function as the translation of the operators `names`.

    Args:
        promote: the parameters cast to a common dtype; without it the promotion table of torch decides, and an empty
            tuple means none.
        kind: the kind of promotion, where the table has none or another one; see `PromotionKind`.
        widen: whether half precision is computed in float32.
        precise: whether all floating point is computed in float64, lest the runtime's float32 kernels cost ulps.
        as_float: promoted parameters of which whole numbers count as float32.
        unrounded: promoted parameters of which a number, or a 0-d tensor, meets half precision as it is.
        values: parameters that stay graph values although their type is a number or a list of numbers.
        ignore: parameters without influence on the result, each with the reason.
        only: parameters of which a single value is served; any other raises.
        since: an opset below which the translation is not right, where the ONNX schemas cannot tell.
        limits: sentences on what is not served; the body raises there.
        returns_list: whether the result is a list of tensors whose length only the exporter knows.
        quantized: parameters that may be quantised tensors; the result is quantised as the first of them is.
        dynamo_only: why only the dynamo exporter asks for it.
        torchscript_only: why the dynamo exporter is better off without it.
    """
    del (
        names,
        promote,
        kind,
        widen,
        precise,
        as_float,
        unrounded,
        values,
        ignore,
        only,
        since,
        limits,
        returns_list,
        quantized,
        dynamo_only,
        torchscript_only,
    )
    return lambda function: function


def helper(function: _Function) -> _Function:
    """Marks a function that several entries share. Its arguments without annotation are graph values."""
    return function


class Services:
    """What a builder offers beside the ONNX operators. Every method is translated, none is executed."""

    opset: int
    """The opset that is exported; branches on it are decided when the plan is lowered."""

    is_captured: bool
    """Whether torch.export has captured the model and said what shape each result has, which ONNX's has to be.

    That is so for the dynamo exporter alone, and decided when the plan is lowered.
    """

    outputs: int | None
    """How many results the caller unpacks, for operators that return a list; None where nobody knows."""

    def rank(self, value: Any) -> int:
        """The rank of a tensor; raises at export where it is unknown."""
        raise NotImplementedError

    def is_complex(self, argument: Any) -> bool:
        """Whether an argument is complex in the model, so that here it is a real tensor with a last axis of 2."""
        raise NotImplementedError

    def carried(self, value: Any) -> Any:
        """A complex result, as a real tensor with a last axis of 2; raises where what takes it does not know that."""
        raise NotImplementedError

    def dtype(self, value: Any) -> Any:
        """The `torch.dtype` of a tensor; raises at export where it is unknown."""
        raise NotImplementedError

    def cast(self, value: Any, dtype: Any) -> Any:
        """The tensor in that dtype (`"int64"`, or a `torch.dtype` known at export); no node where it has it."""
        raise NotImplementedError

    def constant(self, value: Any, dtype: Any = None, like: Any = None) -> Any:
        """A constant of Python numbers, of a dtype or of the dtype of another tensor."""
        raise NotImplementedError

    def size(self, value: Any, axis: int) -> Any:
        """The length of an axis as an int64 tensor of shape [1], also where it is dynamic."""
        raise NotImplementedError

    def static_size(self, value: Any, axis: int) -> int | None:
        """The length of an axis where it is known at export, else None."""
        raise NotImplementedError

    def static_numel(self, value: Any) -> int | None:
        """The number of elements where it is known at export, else None."""
        raise NotImplementedError

    def numel(self, value: Any) -> Any:
        """The number of elements as an int64 tensor of shape [1]."""
        raise NotImplementedError

    def ints(self, value: Any) -> Any:
        """A list of integers, of which some may be graph values, as one int64 tensor of shape [n]."""
        raise NotImplementedError

    def items(self, values: Any) -> list[Any]:
        """The tensors of a `Tensor[]` argument."""
        raise NotImplementedError

    def is_list(self, value: Any) -> bool:
        """Whether an argument that may be a number or a list of numbers is a list, known or not."""
        raise NotImplementedError

    def list(self, values: Sequence[Any]) -> Any:
        """A `Tensor[]` result."""
        raise NotImplementedError

    def number(self, value: Any) -> int | float | bool | None:
        """The Python number in a constant graph value, None where it is not constant."""
        raise NotImplementedError

    def known(self, value: Any) -> Any:
        """The Python number, or list of numbers, in a constant value; None where only the run of the model knows."""
        raise NotImplementedError

    def told(self, value: Any, name: str) -> Any:
        """The same, None only where the argument is absent; what only the model knows raises, by its name."""
        raise NotImplementedError

    def named_dtype(self, value: Any) -> Any:
        """The `torch.dtype` that an argument among `*args` names, None where it is absent."""
        raise NotImplementedError

    def common_dtype(self, *values: Any) -> Any:
        """The `torch.dtype` to which eager torch promotes some tensors."""
        raise NotImplementedError

    def index_kinds(self, indices: Values) -> Sequence[str]:
        """What each index of an assignment was in the model: `slice`, `int`, `tensor`, or `all` for an absent one."""
        raise NotImplementedError

    def as_indexed(self, indices: Values, place: int) -> Any:
        """One of the indices of an assignment as the model has it, without the view that the exporter took of it."""
        raise NotImplementedError

    def dequantized(self, value: Any) -> Any:
        """The float tensor that a quantised one stands for."""
        raise NotImplementedError

    def quantized(self, value: Any, scale: Any, zero_point: Any, like: Any) -> Any:
        """The tensor quantised by a scale and a zero point, in whole numbers as those of a quantised tensor."""
        raise NotImplementedError

    def requantized(self, value: Any, like: Any) -> Any:
        """The tensor quantised as the quantised tensor `like` is."""
        raise NotImplementedError

    def scale_of(self, value: Any) -> Any:
        """The scale of a quantised tensor."""
        raise NotImplementedError

    def zero_point_of(self, value: Any) -> Any:
        """The zero point of a quantised tensor, as a float tensor."""
        raise NotImplementedError

    def unpacked_count(self) -> int | None:
        """How many tensors the model unpacks the list into that the operator gives, None where it does not at once."""
        raise NotImplementedError

    def was_contiguous(self) -> bool:
        """Whether the operator's first tensor lay in memory row by row in the trace; true where that is unknown."""
        raise NotImplementedError

    def was_cast(self, argument: Any) -> bool:
        """Whether the exporter has cast an argument to the common dtype; asked only where `is_captured` is true."""
        raise NotImplementedError

    def loop(self, count: Any, body: Callable[..., Any], *state: Any) -> Any:
        """`state = body(op, i, *state)` for i from 0 to count − 1, as an ONNX `Loop`; the state's shapes may change."""
        raise NotImplementedError

    def repeat(self, test: Callable[..., Any], body: Callable[..., Any], *state: Any) -> Any:
        """`while test(op, *state): state = body(op, *state)`, as an ONNX `Loop`; `test` gives one bool."""
        raise NotImplementedError

    def cond(self, test: Any, then: Callable[..., Any], orelse: Callable[..., Any]) -> Any:
        """An ONNX `If`: the results of `then(op)` or `orelse(op)`."""
        raise NotImplementedError

    def fail(self, message: str, *values: Any) -> Any:
        """Raises `SymbolicValueError` at export; the message names the argument."""
        raise NotImplementedError
