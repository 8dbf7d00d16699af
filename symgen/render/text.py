"""Text made safe to stand inside generated code."""

from __future__ import annotations

import json
import textwrap

from symgen.model.domain import Domain


def docstring(text: str) -> str:
    """The text ready to stand between triple quotes in a function's body; several lines end on one of their own."""
    safe = text.replace("\\", "\\\\").replace('"""', r"\"\"\"")
    first, *rest = safe.splitlines() or [""]
    if not rest:
        return safe
    return "\n".join([first, *textwrap.indent("\n".join(rest), "    ").splitlines(), "    "])


def python_string(text: str) -> str:
    """The text as a Python string literal in double quotes."""
    return json.dumps(text, ensure_ascii=False)


def export_call(domain: Domain) -> str:
    """The whole call that exports a model with nodes of a domain."""
    return f'torch.onnx.export(model, args, "model.onnx", dynamo=False, {domain.custom_opsets})'
