"""Stories that people told, laid out as folders, and what became of their models."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_EXPORT = """
import io, json, sys, warnings
warnings.filterwarnings("ignore")
import onnx, torch
{imports}
import {module} as story
model, inputs = {model}
buffer = io.BytesIO()
torch.onnx.export(model, inputs, buffer, dynamo=False, opset_version={opset}, custom_opsets={domains}, **{options})
proto = onnx.load_from_string(buffer.getvalue())
onnx.checker.check_model(proto, full_check=True)
def plain(value):
    if isinstance(value, bytes):
        return value.decode()
    return [plain(x) for x in value] if hasattr(value, "append") else value
def shape(value):
    return [axis.dim_value or axis.dim_param for axis in value.type.tensor_type.shape.dim]
print("\\n" + json.dumps({{
    "nodes": [
        [n.domain, n.op_type, list(map(bool, n.input)), len(n.output),
         {{a.name: plain(onnx.helper.get_attribute_value(a)) for a in n.attribute if a.type != a.TENSOR}}]
        for n in proto.graph.node
    ],
    "outputs": [[v.type.tensor_type.elem_type, shape(v)] for v in proto.graph.output],
    "domains": {{entry.domain: entry.version for entry in proto.opset_import}},
}}))
"""


@dataclass(frozen=True)
class Exported:
    """What a model became."""

    nodes: list[tuple[str, str, list[bool], int, dict[str, Any]]]
    """Domain, operator, which inputs are there, how many outputs, and the attributes that are no tensors."""
    outputs: list[tuple[int, list[int | str]]]
    domains: dict[str, int]

    def of(self, domain: str) -> list[tuple[str, list[bool], int, dict[str, Any]]]:
        """The nodes of a domain."""
        return [
            (name, inputs, outputs, attributes)
            for own, name, inputs, outputs, attributes in self.nodes
            if own == domain
        ]


@dataclass(frozen=True)
class Story:
    """A folder with somebody's files."""

    folder: Path

    def symgen(self, *arguments: str, status: int = 0) -> str:
        """Runs the command in the folder; returns what it printed on both streams."""
        command = [sys.executable, "-m", "symgen", *arguments]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=600, check=False)
        printed = done.stdout + done.stderr
        assert done.returncode == status, printed
        assert "Traceback" not in printed
        return printed

    def read(self, name: str = "user_mod.py") -> str:
        """A file's text."""
        return (self.folder / name).read_text("utf-8")

    def run(self, code: str) -> str:
        """Runs code in a new Python in the folder; returns what it printed."""
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=self.folder, capture_output=True, text=True, timeout=600, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def export(
        self,
        domains: Mapping[str, int],
        *,
        module: str = "user_mod",
        model: str = "story.model, story.inputs",
        opset: int = 17,
        package: bool = False,
        options: Mapping[str, Any] | None = None,
    ) -> Exported:
        """Exports a model of the story in a new Python, with the package of symbolic functions where that is wanted."""
        code = _EXPORT.format(
            imports="import symbolics" if package else "",
            module=module,
            model=model,
            opset=opset,
            domains=dict(domains),
            options=dict(options or {}),
        )
        return Exported(**json.loads(self.run(code).splitlines()[-1]))


def lay_out(folder: Path, files: Mapping[str, str]) -> Story:
    """Writes the files of a story into a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return Story(folder)
