"""What `symgen verify` is asked for: operators of the package, files, and folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from symgen.config import Config, Target
from symgen.errors import UnknownNameError, UsageError
from symgen.pipeline.verify import find_standing

TORCHSCRIPT = '''from torch.onnx._internal.torchscript_exporter import registration


@registration.onnx_symbolic("aten::{name}", opset={opset})
def {name}(g, self):
    """Nothing."""
    return self
'''
TORCHLIB = '''from onnxscript.function_libs.torch_lib.registration import Registry, torch_op

REGISTRIES = {{18: Registry()}}


@torch_op("aten::{name}", registry=REGISTRIES[18], trace_only=True)
def aten_{name}(self):
    """Nothing."""
    return self
'''


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    monkeypatch.chdir(tmp_path)
    package = tmp_path / "symbolics"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "symbolic_opset9.py").write_text(TORCHSCRIPT.format(name="hypot", opset=9))
    (package / "symbolic_opset13.py").write_text(TORCHSCRIPT.format(name="hypot", opset=13))
    (package / "symbolic_opset11.py").write_text(TORCHSCRIPT.format(name="frac", opset=11))
    return Config()


def names(targets: list[str], config: Config) -> dict[str, list[str]]:
    return {one.op: [path.name for path in one.files.values()] for one in find_standing(targets, config)}


ALL = {"aten::frac": ["symbolic_opset11.py"], "aten::hypot": ["symbolic_opset13.py", "symbolic_opset9.py"]}


@pytest.mark.parametrize(
    ("targets", "found"),
    [
        ([], ALL),
        (["symbolics"], ALL),
        (["aten::hypot"], {"aten::hypot": ALL["aten::hypot"]}),
        (["symbolics/symbolic_opset9.py"], {"aten::hypot": ["symbolic_opset9.py"]}),
        (["symbolics/symbolic_opset13.py", "symbolics/symbolic_opset9.py"], {"aten::hypot": ALL["aten::hypot"]}),
    ],
)
def test_operators_files_and_folders(targets: list[str], found: dict[str, list[str]], config: Config) -> None:
    assert names(targets, config) == found


def test_a_package_for_the_dynamo_exporter(tmp_path: Path, config: Config) -> None:
    package = tmp_path / "torchlib_ops"
    package.mkdir()
    (package / "aten_pointwise.py").write_text(TORCHLIB.format(name="hypot"))
    (package / "tracing.py").write_text("def _dtype(value):\n    return value.dtype\n")
    asked = Config(target=Target.TORCHLIB, package=Path("torchlib_ops"))
    assert names(["torchlib_ops"], asked) == names([], asked) == {"aten::hypot": ["aten_pointwise.py"]}


@pytest.mark.parametrize("path", ["symbolics/__init__.py", "empty"])
def test_what_registers_nothing_is_an_error(path: str, tmp_path: Path, config: Config) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match=f"{path} registers no operator"):
        find_standing([path], config)


def test_an_operator_that_the_package_lacks_names_the_nearest(config: Config) -> None:
    with pytest.raises(UnknownNameError, match="symbolics registers no aten::erf"):
        find_standing(["aten::erf"], config)


@pytest.mark.parametrize("path", ["nothing.py", "nothing/"])
def test_what_is_not_there_is_said(path: str, config: Config, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no \S*nothing"):
        find_standing([f"{tmp_path}/{path}"], config)


def test_no_overload_is_taken(config: Config) -> None:
    with pytest.raises(UsageError, match=r"aten::sum\.default: a function is verified for all overloads"):
        find_standing(["aten::sum.default"], config)
