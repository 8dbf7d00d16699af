"""Files that hypothesis builds: nothing outside what was asked for changes, and asking again changes nothing."""

from __future__ import annotations

import ast
import codecs
import difflib
from dataclasses import dataclass

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from merging import EXPORTER, HYPOT, merge, operator
from symgen.errors import MergeError
from symgen.merge.remove import remove_definitions

NAMES = ["acos", "deg2rad", "frac", "logaddexp", "sinc", "xlogy", "zeta", "_scale", "helper", "Shape"]
IMPORTS = [
    "import functools",
    "import torch",
    "import os, sys",
    "import functools; import math",
    "from torch import _C  # noqa: F401",
    f"from {EXPORTER} import registration",
    f"from {EXPORTER} import (\n    registration,\n    symbolic_helper as helper_module,\n)",
    f"from {EXPORTER} import (jit_utils,\n                         registration)",
    "try:\n    import torch\nexcept ImportError:\n    torch = None",
    "if True:\n    import torch",
    "import torch.onnx as torch_onnx",
    "from . import _shared",
]
EXPORTS = [
    "",
    "__all__ = []",
    "__all__ = ['frac', 'xlogy']",
    '__all__ = ["xlogy", "frac"]  # not sorted',
    '__all__ = ("frac",)',
    '__all__ = "frac", "xlogy"',
    '__all__ = [\n    "frac",  # first\n    # last\n    "xlogy",\n]',
    '__all__ = [\n    "frac",\n    "xlogy"\n]',
    '__all__ = ["frac",\n           "xlogy"]',
    '__all__ = ["frac"]\n__all__ += ["xlogy"]',
    '__all__ = [name for name in dir() if name[0] != "_"]',
]
DECORATORS = [
    "",
    "_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9)",
    "_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9, custom=True)",
    "_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=11)",
    "def _onnx_symbolic(name):\n    return lambda function: function",
]
BETWEEN = [
    "EPSILON = 1e-6",
    "registration = None",
    "if True:\n    HALF = 0.5",
    "max = 3",
    "x = 1; y = 2",
    "class Box: pass",
]
COMMENTS = ["# ---- section ----", "# frac: see the manual", "#!odd", "\f", "", "   "]
CLOSING = [
    "",
    "del functools",
    "del torch",
    'if __name__ == "__main__":\n    print(1)',
    "# vim: set ts=4:",
    "\n\n# End:",
    "\n\n\n",
]


@st.composite
def functions(draw: st.DrawFn) -> str:
    """One function, perhaps registered, perhaps in an `if`, with what stands above and below it."""
    name = draw(st.sampled_from(NAMES))
    registered = draw(st.booleans()) and name[0].islower()
    decorator = f'@registration.onnx_symbolic("aten::{name}", opset=9)\n' if registered else ""
    body = draw(
        st.sampled_from(["    return g\n", "    # inside\n    return max(1, 2)\n    # end\n", ' "doc"; return g\n'])
    )
    text = f"{decorator}def {name}(g, self=None):" + (body if body.startswith(' "') else "\n" + body)
    if draw(st.booleans()) and draw(st.booleans()):
        text = "if True:\n\n" + "".join(f"    {line}" for line in text.splitlines(keepends=True))
    above = draw(st.lists(st.sampled_from(COMMENTS), max_size=4))
    below = draw(st.sampled_from(["", "", "# below\n"]))
    return "".join(f"{line}\n" for line in above) + text + below


@dataclass(frozen=True)
class Built:
    """A file as bytes, with its text for messages."""

    content: bytes

    def __repr__(self) -> str:
        return f"Built({self.content!r})"


def used(imports: str) -> str:
    """A statement that uses what is imported: an import that nothing else uses would go with the function, too."""
    names = [name for name in ("functools", "torch", "_C", "registration", "jit_utils") if name in imports]
    return f"USED = [{', '.join(names)}]\n"


@st.composite
def files(draw: st.DrawFn, *, complete: bool = False) -> Built:
    """A Python file in one of many manners; a complete one imports what it uses."""
    head = draw(st.sampled_from(["", "# Copyright\n", '"""Docs."""\n', '# c\n\n"""Docs\n\nmore."""\n', "\n\n"]))
    future = draw(st.sampled_from(["", "from __future__ import annotations\n\n"]))
    imports = draw(st.lists(st.sampled_from(IMPORTS), max_size=5, unique=True))
    imports += [IMPORTS[0], IMPORTS[1], IMPORTS[5]] if complete else []
    gaps = draw(st.lists(st.sampled_from(["\n", "\n\n"]), min_size=8, max_size=8))
    parts = [head, future, *(one + gap for one, gap in zip(imports, gaps, strict=False))]
    parts += [f"\n{draw(st.sampled_from(EXPORTS))}\n\n{draw(st.sampled_from(DECORATORS))}\n", used("".join(parts))]
    for _ in range(draw(st.integers(0, 4))):
        blank = "\n" * draw(st.integers(0, 3))
        parts.append(blank + draw(st.one_of(functions(), st.sampled_from(BETWEEN).map("{}\n".format))))
    parts.append(draw(st.sampled_from(CLOSING)))
    text = "".join(parts)
    if draw(st.booleans()):
        text = text.replace("    ", draw(st.sampled_from(["  ", "\t", "   "])))
    return Built(encode(draw, text))


def encode(draw: st.DrawFn, text: str) -> bytes:
    """The text with its line ends and encoding, perhaps without its last line end."""
    text = text.removesuffix("\n") if draw(st.booleans()) else text
    kind = draw(st.sampled_from(["lf", "crlf", "mixed"]))
    if kind != "lf":
        lines = text.split("\n")
        ends = [kind == "crlf" or draw(st.booleans()) for _ in lines[1:]]
        text = lines[0] + "".join(("\r\n" if end else "\n") + line for end, line in zip(ends, lines[1:], strict=True))
    encoding = draw(st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "latin-1"]))
    if encoding == "latin-1":
        text = f"# -*- coding: latin-1 -*- \xe9\n{text}"
    return text.encode(encoding)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(files())
def test_only_what_was_asked_for_changes(built: Built) -> None:
    before = built.content
    try:
        ast.parse(before)
    except (SyntaxError, ValueError):
        assume(False)
    try:
        outcome = merge(before, HYPOT, operator("floor", "input"))
    except MergeError:
        assume(False)
    assert not outcome.failures
    after = outcome.after
    assert after is not None
    ast.parse(after)
    assert not lost_lines(before, after)
    again = merge(after, HYPOT, operator("floor", "input"), bases=outcome.bases)
    assert again.after == after
    assert again.bases == outcome.bases


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(
    files(complete=True), st.lists(st.sampled_from(["aten::hypot", "aten::floor"]), min_size=1, max_size=2, unique=True)
)
def test_what_goes_in_comes_out(built: Built, keys: list[str]) -> None:
    before = built.content
    # Of an import that is there conditionally and was added as well, nobody knows later which is whose.
    assume(b"import torch" not in before.partition(b"if True:")[2][:20])
    try:
        ast.parse(before)
        merged = merge(before, HYPOT, operator("floor", "input"))
    except (SyntaxError, ValueError, MergeError):
        assume(False)
    left = [one for one in (HYPOT, operator("floor", "input")) if one.key not in keys]
    expected = merge(before, *left).after if left else before
    removed = remove_definitions(merged.after or b"", keys, path="symbolic_opset9.py", bases=merged.bases)
    # Where a statement followed without a blank line, those that were put between stay. What is left stands where it
    # was put among what is gone now.
    assert sorted(written_lines(removed.after)) == sorted(written_lines(expected))
    if not left:
        assert written_lines(removed.after) == written_lines(before)


def written_lines(content: bytes | None) -> list[bytes]:
    """The lines that are not blank, without their ends."""
    return [line for line in (content or b"").splitlines() if line.strip()]


def lost_lines(before: bytes, after: bytes) -> list[bytes]:
    """The lines that are gone or changed, but for those of `__all__`, and for the end of an unended last line."""
    old, new = (content.removeprefix(codecs.BOM_UTF8).splitlines(keepends=True) for content in (before, after))
    exports = export_lines(before)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    kept = {i for block in matcher.get_matching_blocks() for i in range(block.a, block.a + block.size)}
    return [
        line
        for number, line in enumerate(old)
        if number not in kept
        and number + 1 not in exports
        and not (number == len(old) - 1 and any(other.startswith(line) for other in new))
    ]


def export_lines(content: bytes) -> set[int]:
    """The numbers of the lines that belong to a statement about `__all__`."""
    nodes = [node for node in ast.parse(content).body if "__all__" in ast.unparse(node)]
    return {number for node in nodes for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
