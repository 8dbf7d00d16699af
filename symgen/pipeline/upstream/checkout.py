"""A checkout of PyTorch: where its exporter has its files, as its own files say."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from symgen.introspect.registered import Registered, parse_registered
from symgen.pipeline.upstream.work_tree import WorkTree, open_work_tree, refusal

_LAYOUTS = (PurePosixPath("torch/onnx/_internal/torchscript_exporter"), PurePosixPath("torch/onnx"))
"""Where the symbolic functions stand since 2.9, and before; each file that is left in the older place is a shim."""
_REGISTERS = re.compile(rb"^_onnx_symbolic = functools\.partial\(registration\.onnx_symbolic\b", re.MULTILINE)
_SYMBOLIC_FILE = re.compile(r"symbolic_opset(\d+)\.py")


@dataclass(frozen=True)
class Checkout(WorkTree):
    """One checkout of PyTorch at its head."""

    layout: PurePosixPath
    """The folder with the `symbolic_opset<N>.py` that register."""

    @cached_property
    def paths(self) -> frozenset[str]:
        """The Python files of the exporter and its tests."""
        return self.files_in("torch/onnx", "test/onnx")

    def symbolic_file(self, opset: int) -> str:
        """The file of an opset, whether it is there or not."""
        return str(self.layout / f"symbolic_opset{opset}.py")

    @cached_property
    def opsets(self) -> tuple[int, ...]:
        """The opsets that have a file, rising."""
        names = (PurePosixPath(path) for path in self.paths if PurePosixPath(path).parent == self.layout)
        return tuple(sorted(int(m[1]) for name in names if (m := _SYMBOLIC_FILE.fullmatch(name.name))))

    @cached_property
    def registered(self) -> Registered:
        """What its exporter registers.

        Raises:
            ParseError: where one of its files is not Python, with the line.
        """
        wanted = [self.symbolic_file(opset) for opset in self.opsets]
        wanted.append(self.module_path("symbolic_helper"))
        return parse_registered({Path(path): self.read(path).decode("utf-8", "replace") for path in wanted})

    def module_path(self, stem: str) -> str:
        """The file of one of the exporter's modules, in the folder where this layout has it."""
        places = (self.layout, PurePosixPath("torch/onnx/_internal"), PurePosixPath("torch/onnx"))
        return next((path for place in places if (path := str(place / f"{stem}.py")) in self.paths), f"{stem}.py")

    def module_package(self, stem: str) -> str:
        """The package that one of the exporter's modules is imported from."""
        return str(PurePosixPath(self.module_path(stem)).parent).replace("/", ".")

    @cached_property
    def version(self) -> str:
        """Its version as `version.txt` has it; empty where there is none."""
        return self.text("version.txt") or ""


def open_checkout(folder: Path, *, branch: str = "", commits: bool = True) -> Checkout:
    """The checkout in a folder, if it can take a change; see `open_work_tree` for arguments and errors."""
    tree = open_work_tree(folder, branch=branch, commits=commits)
    return Checkout(tree.git, tree.head, tree.branch, _find_layout(tree, folder))


def _find_layout(tree: WorkTree, folder: Path) -> PurePosixPath:
    """The folder whose files register; the others of that name only hand on."""
    seen = False
    for layout in _LAYOUTS:
        text = tree.text(f"{layout}/symbolic_opset9.py")
        seen = seen or text is not None
        if text is not None and _REGISTERS.search(text.encode("utf-8", "surrogateescape")):
            return layout
    if seen:
        what = "its symbolic functions are not registered by @_onnx_symbolic, as those of torch 1.13 and later are"
        raise refusal(folder, what, "name a newer checkout")
    raise refusal(folder, f"it is no checkout of PyTorch: it has no {_LAYOUTS[1]}/symbolic_opset9.py")
