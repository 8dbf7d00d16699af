"""Text made safe to stand inside generated code."""

from __future__ import annotations

import itertools
import json
import textwrap
from pathlib import Path

from symgen.model.domain import Domain

_WIDTH = 84
"""Of prose in generated code: what fits behind an indentation in the narrowest usual line length."""


def docstring(text: str) -> str:
    """The text ready to stand between triple quotes in a function's body; several lines end on one of their own.

    The first paragraph stays as it is (it holds schemas), and so does code, which is indented; prose is wrapped.
    """
    safe = text.replace("\\", "\\\\").replace('"""', r"\"\"\"")
    schemas, *prose = safe.split("\n\n")
    wrapped = [_filled(paragraph) for paragraph in prose]
    first, *rest = "\n\n".join([schemas, *wrapped]).splitlines() or [""]
    if not rest:
        return safe
    return "\n".join([first, *textwrap.indent("\n".join(rest), "    ").splitlines(), "    "])


def _filled(paragraph: str) -> str:
    return "\n".join(
        "\n".join(lines) if is_code else textwrap.fill(" ".join(lines), _WIDTH)
        for is_code, lines in itertools.groupby(paragraph.splitlines(), lambda line: line.startswith(" "))
    )


def python_string(text: str) -> str:
    """The text as a Python string literal in double quotes; a long one as several that stand together."""
    lines = textwrap.wrap(text, _WIDTH - 8, drop_whitespace=False) or [""]
    return "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)


def path_steps(folder: str) -> str:
    """A relative folder (`..`) as code behind a `Path`."""
    return "".join(f' / "{part}"' if part != ".." else ".parent" for part in Path(folder).parts)


def export_call(domain: Domain) -> str:
    """The whole call that exports a model with nodes of a domain, as a line of code in a docstring."""
    return f'    torch.onnx.export(model, args, "model.onnx", dynamo=False, {domain.custom_opsets})'
