"""A checkout of onnxscript: where torchlib has its functions and their tests, as its own files say."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from symgen.introspect.torchlib_functions import TorchOp, parse_torch_ops
from symgen.pipeline.upstream.work_tree import WorkTree, check_python, open_work_tree, refusal

LAYOUT = PurePosixPath("onnxscript/function_libs/torch_lib/ops")
ROWS = "tests/function_libs/torch_lib/ops_test_data.py"
SUITE = "tests/function_libs/torch_lib/ops_test.py"
CORE = str(LAYOUT / "core.py")
"""The file of what belongs to no other module of ATen."""
_MODULES = ("fft", "linalg", "special")
"""The modules of ATen that its names begin with; those of `nn` don't."""


@dataclass(frozen=True)
class TorchlibCheckout(WorkTree):
    """One checkout of onnxscript at its head."""

    @cached_property
    def paths(self) -> frozenset[str]:
        """The files with functions, and those of the tests."""
        return self.files_in(str(LAYOUT), str(PurePosixPath(ROWS).parent))

    @cached_property
    def functions(self) -> Mapping[str, str]:
        """The text of each file with functions, by path."""
        texts = {path: self.read(path) for path in sorted(self.paths) if PurePosixPath(path).parent == LAYOUT}
        for path, content in texts.items():
            check_python(content, path)
        return {path: content.decode("utf-8") for path, content in texts.items() if path.endswith(".py")}

    @cached_property
    def registered(self) -> Mapping[str, tuple[tuple[str, TorchOp], ...]]:
        """What is registered: the files and functions, by operator."""
        found: dict[str, list[tuple[str, TorchOp]]] = {}
        for path, text in self.functions.items():
            for one in parse_torch_ops(text):
                found.setdefault(one.op.qualified, []).append((path, one))
        return {op: tuple(pairs) for op, pairs in found.items()}

    @cached_property
    def version(self) -> str:
        """Its version as the file `VERSION` has it; empty where there is none."""
        return self.text("VERSION") or ""

    def file_of(self, base: str, *, is_nn: bool) -> str:
        """The file that an operator belongs to: the one with a function of its name, else that of its module."""
        named = re.compile(rf"^def aten_{base}\(", re.MULTILINE)
        standing = (path for path, text in self.functions.items() if named.search(text))
        module = next((one for one in _MODULES if base.startswith(f"{one}_")), "nn" if is_nn else "core")
        path = str(LAYOUT / f"{module}.py")
        return next(standing, path if path in self.functions else CORE)


def open_torchlib_checkout(folder: Path, *, branch: str = "", commits: bool = True) -> TorchlibCheckout:
    """The checkout in a folder, if it can take a change; see `open_work_tree` for arguments and errors."""
    tree = open_work_tree(folder, branch=branch, commits=commits)
    text = tree.text(CORE)
    if text is None:
        raise refusal(folder, f"it is no checkout of onnxscript: it has no {CORE}")
    if "registration import torch_op" not in text:
        raise refusal(folder, "its functions are not registered by @torch_op", "name a newer checkout")
    return TorchlibCheckout(tree.git, tree.head, tree.branch)


def is_placeholder(node: ast.FunctionDef) -> bool:
    """Whether a function is there to be written: it is not registered, and raises NotImplementedError."""
    last = node.body[-1]
    raised = last.exc if isinstance(last, ast.Raise) else None
    name = raised.func if isinstance(raised, ast.Call) else raised
    return not node.decorator_list and isinstance(name, ast.Name) and name.id == "NotImplementedError"
