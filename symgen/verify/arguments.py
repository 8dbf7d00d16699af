"""Values for the arguments that are no tensors: by what the argument is called, and else by its type."""

from __future__ import annotations

from symgen.model.sample import DType, Value
from symgen.model.schema import Argument
from symgen.model.types import BaseType, ListType, Type, strip_optional

_INF = float("inf")
_NAN = float("nan")

BY_NAME: dict[str, tuple[Value, ...]] = {
    "dim": (0, -1, 1, -2, 2, (0,), (-1,), (0, 1), (-2, -1), (1,), (), (0, -1), (0, 2)),
    "axis": (0, -1, 1, -2),
    "dims": ((0,), (-1,), (0, 1), (1, 0), (-1, -2), (0, 2), (2, 0, 1), (0, 2, 1), (-1, 0, 1)),
    "dim0": (0, 1, -1),
    "dim1": (1, 0, -1, -2),
    "dim2": (2, -1),
    "axis0": (0, 1, -1),
    "axis1": (1, 0, -1, -2),
    "source": (0, -1, (0,), (0, 1), (-1,)),
    "destination": (1, 0, (1,), (1, 0), (0,)),
    "start_dim": (0, 1, -2),
    "end_dim": (1, -1, 0),
    "keepdim": (True, False),
    "diagonal": (1, -1, 0, 2, -2, 7, -7),
    "offset": (1, -1, 0, 2, -2),
    "k": (1, 2, 3, -1, 0, 4),
    "n": (1, 2, 0, 3, 5),
    "N": (3, 1, 5, 0),
    "sections": (2, 3, 1, 4),
    "indices": ((1,), (1, 2), (0, 3), (-1,), (2, 1), (1, 9)),
    "split_size": (2, 1, 3, 9),
    "split_sizes": ((1, 2), (2, 2), (3, 1), (0, 3)),
    "chunks": (2, 1, 3, 7),
    "shifts": ((1,), (-2,), (1, -1), (7,)),
    "repeats": (2, (2, 1), (1, 2, 3), (0, 2), 1),
    "size": ((3, 4), (2, 3), (4, 3), (12,), (2, 6), (-1,), (2, -1), (1,), (6,), (4,), (2, 3, 4), (), (0,)),
    "shape": ((12,), (4, 3), (-1,), (2, 6), (2, -1)),
    "sizes": ((2, 2), (3, 1), (1, 3), (4,), (-1, 2)),
    "dtype": (DType("float64"), DType("float32"), DType("int64"), DType("float16"), DType("int32"), DType("bool")),
    "correction": (0, 1, 2, 0.5),
    "unbiased": (False, True),
    "reduction": (1, 0, 2),
    "reduce": ("sum", "mean", "amax", "amin", "prod"),
    "side": ("left", "right"),
    "right": (True, False),
    "out_int32": (True, False),
    "interpolation": ("linear", "lower", "higher", "midpoint", "nearest"),
    "rounding_mode": ("floor", "trunc"),
    "approximate": ("tanh", "none"),
    "indexing": ("ij", "xy"),
    "interpolation_mode": (0, 1, 2),
    "padding_mode": (0, 1, 2),
    "mode": ("constant", "reflect", "replicate", "circular", "sum", "mean", "max", "complete", "reduced", "r"),
    "norm": ("ortho", "backward", "forward"),
    "ord": (2, 1, 0, -1, 3.5, _INF, -_INF, -2, "fro", "nuc"),
    "p": (2, 1, 0.5, 3, 0, _INF, -_INF),
    "UPLO": ("L", "U"),
    "q": (0.5, 0.0, 1.0, 0.3, 0.77),
    "bins": (5, 1, 10),
    "eps": (1e-3, 1e-1, 1e-5),
    "atol": (0.5, 0.0, 1e-2),
    "rtol": (0.25, 0.0, 1e-2),
    "margin": (0.5, 2.0, 0.0, -0.5),
    "delta": (0.5, 2.5, 1e-3),
    "groups": (2, 1, 4),
    "upscale_factor": (2, 1),
    "downscale_factor": (2, 3, 1),
    "num_groups": (2, 4, 1),
    "kernel_size": (2, (2, 3), (3,), 3, (2,), (2, 1, 2)),
    "stride": (2, (2, 1), (1,), (1, 1), (1, 2, 1)),
    "padding": (1, (1, 0), (0, 1), (1,), (1, 1), (1, 2), (1, 1, 1, 1), (2, 1, 0, 1), (1, 0, 1)),
    "dilation": (2, (1, 2), (2,), (1, 1)),
    "output_size": (2, (3, 2), (4, 5), (3,), (2, 3, 2), (12, 10), (7,)),
    "normalized_shape": ((4,), (3, 4)),
    "pad": ((1, 1), (1, 2), (0, 1, 2, 0), (-1, 1), (1, 1, 1, 1), (1, 0, 1, 0, 0, 1)),
    "start": (1, 0, -2, -1),
    "end": (2, -1, 9, 3),
    "step": (2, 1, 3),
    "length": (2, 1, 3),
    "index": (0, 1, -1),
    "steps": (5, 1, 2, 0),
    "num_classes": (7, 10),
    "maxnorm": (1.0, 0.5),
    "scale": (2.0, 0.5, -1.5, 1, 3),
    "alpha": (2, 0.5, -3, 0, 1.5),
    "beta": (2, 0.5, -3, 0, 1.5),
    "descending": (True, False),
    "stable": (True, False),
    "largest": (False, True),
    "sorted": (True, False),
    "upper": (True, False),
    "left": (True, False),
    "unitriangular": (True, False),
    "transpose": (True, False),
    "some": (True, False),
    "full_matrices": (False, True),
    "blank": (0, 1),
    "exponent": (2, 3, 0, -1, 0.5, 2.5, -2.0),
    "total_length": (5,),
}
"""Values by name; of these, the ones are tried that fit the argument's type."""

BY_TYPE: dict[str, tuple[Value, ...]] = {
    "float": (0.5, 2.0, 0.0, -1.5, 1e-6, _INF, -_INF, _NAN),
    "Scalar": (2, 2.5, -3, 0, -0.75, 1e30, _INF, _NAN),
    "number": (2, 2.5, -3, 0),
    "int": (1, 2, 0, -1, 3),
    "SymInt": (1, 2, 0, -1, 3),
    "bool": (True, False),
    "ScalarType": BY_NAME["dtype"],
    "str": ("mean", "sum", "none"),
}
"""Values for an argument whose name says nothing."""

_LISTS: tuple[Value, ...] = ((1,), (2, 1), (1, 2, 1), (0,), (0, 1), ())

UNTOUCHED = frozenset({"Layout", "Device", "MemoryFormat", "Generator", "Dimname", "Storage", "Stream", "QScheme"})
"""Types whose arguments stay at their defaults: they say where and how a tensor is stored, not what is in it."""


def candidate_values(argument: Argument) -> tuple[Value, ...]:
    """The values worth trying for an argument that is no tensor, the plainest first."""
    kind = strip_optional(argument.type)
    named = tuple(value for value in BY_NAME.get(argument.name, ()) if fits(value, kind))
    if named:
        return named
    if isinstance(kind, ListType):
        element = kind.element
        if element == BaseType("float"):
            return tuple(value for value in ((1.5, 2.5), (0.5,), (2.0, 1.0, 0.5)) if fits(value, kind))
        return tuple(value for value in _LISTS if fits(value, kind))
    return BY_TYPE.get(str(kind), ())


def fits(value: Value, kind: Type) -> bool:
    """Whether a value may stand where this type is declared."""
    kind = strip_optional(kind)
    if isinstance(kind, ListType):
        if isinstance(value, tuple):
            return all(fits(element, kind.element) for element in value) and (kind.size in (None, 1, len(value)))
        return kind.size is not None and fits(value, kind.element)
    match str(kind):
        case "int" | "SymInt":
            return isinstance(value, int) and not isinstance(value, bool)
        case "float":
            return isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool))
        case "Scalar" | "number":
            return isinstance(value, bool | int | float)
        case "bool":
            return isinstance(value, bool)
        case "str":
            return isinstance(value, str)
        case "ScalarType":
            return isinstance(value, DType)
    return False


def as_declared(value: Value, kind: Type) -> Value:
    """The value in the declared type: a script takes no int where it wants a float."""
    return float(value) if isinstance(value, int) and str(strip_optional(kind)) == "float" else value


def is_edge(value: object) -> bool:
    """Whether it is a number at which formulas take another branch: no distance, no limit."""
    return isinstance(value, float) and value in (0.0, _INF, -_INF)


def default_value(argument: Argument) -> Value | str:
    """The default as a value where it can be compared, else its text; None where there is none."""
    text = argument.default
    if text is None:
        return None
    plain: dict[str, Value] = {"True": True, "False": False, "None": None, "Mean": 1}
    if text in plain:
        return plain[text]
    for reader in (int, float):
        try:
            return reader(text)
        except ValueError:
            continue
    return text.strip("'\"")
