"""Texts that verification runs."""

from __future__ import annotations

from symgen.model.definition import Definition, ModuleText, Registration
from symgen.render.standalone import standalone_source

HEAD = """from __future__ import annotations

registered = {}


def _onnx_symbolic(op):
    return lambda function: registered.setdefault(op, function)
"""


def test_a_function_of_a_builtins_name_does_not_hide_it_from_helpers() -> None:
    helper = Definition("_larger", "def _larger(a, b):\n    return max(a, b)\n", exported=False)
    function = Definition(
        "max", "def max(g, x):\n    return _larger(x, 1)\n", (Registration("aten::max", (11,)),), requires=("_larger",)
    )
    namespace: dict[str, dict[str, object]] = {}

    exec(standalone_source(ModuleText(HEAD, (helper, function))), namespace)

    written = namespace["registered"]["aten::max"]
    assert callable(written)
    assert written(None, 3) == 3
