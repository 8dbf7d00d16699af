"""What the results of steps are called."""

from __future__ import annotations

from collections.abc import Mapping

NOUNS: Mapping[str, str] = {
    "add": "total", "sub": "difference", "rsub": "difference", "mul": "product", "div": "quotient", "neg": "opposite",
    "abs": "size", "exp": "exponential", "log": "logarithm", "sqrt": "root", "rsqrt": "inverse_root", "pow": "power",
    "reciprocal": "inverse", "where": "choice", "eq": "is_equal", "ne": "is_other", "lt": "is_less", "gt": "is_greater",
    "le": "is_at_most", "ge": "is_at_least", "maximum": "larger", "minimum": "smaller", "sum": "sum_of_all",
    "mean": "average", "amax": "largest", "amin": "smallest", "view": "rearranged", "reshape": "rearranged",
    "_unsafe_view": "rearranged", "expand": "expanded", "permute": "permuted_axes", "transpose": "turned",
    "unsqueeze": "longer", "squeeze": "shorter", "slice": "part", "select": "selected", "cat": "joined_parts",
    "constant": "constant", "scalar_tensor": "constant", "full": "filled", "full_like": "filled", "ones_like": "ones",
    "zeros_like": "zeros", "_to_copy": "converted", "convert_element_type": "converted", "arange": "numbers",
    "sym_size": "length", "length.add": "length", "length.sub": "length", "length.mul": "length", "mm": "product",
    "length.floordiv": "length", "bmm": "product", "mv": "product", "dot": "product", "matmul": "product",
    "isnan": "is_nan", "isinf": "is_infinite", "logical_and": "both", "logical_or": "either", "logical_not": "is_not",
    "gather": "gathered", "index_select": "gathered", "cumsum": "running_sum", "constant_pad_nd": "padded",
    "flip": "reversed_order", "_softmax": "shares", "_log_softmax": "log_shares", "clamp_min": "bounded",
    "clamp_max": "bounded",
}  # fmt: skip
"""What the result of a step is called."""
