"""Batch norms in training, of which torch.export makes an operator that no file declares: right in whole models."""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from symgen.config import Config, NewOptions, Target
from symgen.model.result import Status
from symgen.pipeline import new

torch = pytest.importorskip("torch")
pytest.importorskip("onnxscript")
OPS = [f"aten::_native_batch_norm_legit{kind}" for kind in ("", "_functional", "_no_training")]
CHANNELS = 4
MOMENTUM = 0.3


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """A package as `symgen new --target torchlib` writes it."""
    folder = tmp_path_factory.mktemp("batch_norms")
    config = Config(
        target=Target.TORCHLIB, package=folder / "batch_norm_ops", tests=folder / "tests", no_verify=True, force=True
    )
    run = new(OPS, config, NewOptions())
    assert {outcome.op: outcome.status for outcome in run.outcomes} == dict.fromkeys(OPS, Status.WRITTEN)
    sys.path.insert(0, str(folder))
    import batch_norm_ops  # type: ignore[import-not-found]

    yield batch_norm_ops
    sys.path.remove(str(folder))


class Functional(torch.nn.Module):  # type: ignore[misc, name-defined]
    """A call of the function; the running statistics that it writes are among the results."""

    def __init__(self, dtype: Any) -> None:
        super().__init__()
        self.affine = torch.nn.Parameter(torch.rand(2, CHANNELS, dtype=dtype))
        self.running = torch.nn.Parameter(torch.rand(2, CHANNELS, dtype=dtype) + 0.5, requires_grad=False)

    def forward(self, x: Any) -> Any:
        mean, variance = self.running[0].clone(), self.running[1].clone()
        found = torch.nn.functional.batch_norm(x, mean, variance, *self.affine, training=True, momentum=MOMENTUM)
        return found, mean, variance


class Native(Functional):
    """A call of the operator below, which gives the statistics of the batch too."""

    def forward(self, x: Any) -> Any:
        mean, variance = self.running[0].clone(), self.running[1].clone()
        return (*torch.native_batch_norm(x, *self.affine, mean, variance, True, MOMENTUM, 1e-5), mean, variance)


class WithoutStatistics(Functional):
    """A call that is given no running statistics."""

    def forward(self, x: Any) -> Any:
        return (torch.nn.functional.batch_norm(x, None, None, *self.affine, training=True),)


class Layer(torch.nn.Module):  # type: ignore[misc, name-defined]
    """A layer in a model, in training or not."""

    def __init__(self, dtype: Any) -> None:
        super().__init__()
        self.norm = torch.nn.BatchNorm2d(CHANNELS, dtype=dtype)

    def forward(self, x: Any) -> Any:
        return (self.norm(x),)


def export(model: Any, x: Any, opset: int, package: Any) -> bytes:
    """The model with a batch of any size, looked at by the checker; modules stay in the mode in which they are."""
    import onnx

    program = torch.onnx.export(
        copy.deepcopy(model),
        (x,),
        dynamo=True,
        opset_version=opset,
        input_names=["x0"],
        dynamic_shapes=({0: torch.export.Dim("batch", min=2)},),
        custom_translation_table=package.translation_table(opset),
        verbose=False,
    )
    data: bytes = program.model_proto.SerializeToString()
    onnx.checker.check_model(data, full_check=True)
    return data


@pytest.mark.parametrize("opset", [18, 24])
@pytest.mark.parametrize("kinds", ["float32", "float16/float32", "float16", "float64"])
@pytest.mark.parametrize("make", [Functional, Native, WithoutStatistics, Layer])
@pytest.mark.filterwarnings("ignore")
def test_a_batch_norm_in_training(make: Any, kinds: str, opset: int, package: Any) -> None:
    from symgen.verify.roundtrip import load

    of_input, _, of_weights = kinds.partition("/")
    dtype = getattr(torch, of_input)
    torch.manual_seed(0)
    model = make(getattr(torch, of_weights or of_input)).train()
    run, is_reference = load(export(model, torch.randn(3, CHANNELS, 5, 6).to(dtype), opset, package))
    assert not is_reference
    for batch in (3, 7):
        x = (torch.randn(batch, CHANNELS, 5, 6) * 3 + 1).to(dtype)
        expected = copy.deepcopy(model)(x)
        for want, got in zip(expected, run([x]), strict=True):
            torch.testing.assert_close(got, want.detach())


@pytest.mark.filterwarnings("ignore")
def test_a_layer_that_is_not_in_training(package: Any) -> None:
    from symgen.verify.roundtrip import load

    model = Layer(torch.float32).eval()
    run, _ = load(export(model, torch.randn(3, CHANNELS, 5, 6), 18, package))
    x = torch.randn(7, CHANNELS, 5, 6)
    torch.testing.assert_close(run([x])[0], model(x)[0].detach())
