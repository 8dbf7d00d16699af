"""Finds the functions that say an operator below the opset at which ONNX can."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

from symgen.lower.lowering import OlderForms
from symgen.match.knowledge import load_family

_FUNCTIONS = Path(__file__).with_name("older_forms_knowledge.py")
OLDER_FORMS: Mapping[str, str] = {
    "GreaterOrEqual": "greater_or_equal",
    "LessOrEqual": "less_or_equal",
    "Equal": "equal",
    "IsInf": "is_infinite",
    "Max": "larger_of",
    "Min": "smaller_of",
    "Pow": "power_of",
    "Relu": "rectified",
    "Softmax": "softmax_along",
    "LogSoftmax": "log_softmax_along",
    "BitwiseAnd": "bitwise_and",
    "BitwiseOr": "bitwise_or",
    "BitwiseXor": "bitwise_xor",
}
"""ONNX operators with the function that stands in for them at older opsets."""


@functools.cache
def load_older_forms() -> OlderForms:
    """The older forms, read as text as all knowledge is."""
    return OlderForms(OLDER_FORMS, load_family(_FUNCTIONS).helpers)
