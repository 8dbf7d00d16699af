"""Models in which complex tensors pass through several operators; run as a script beside a package of functions.

Each is exported with dynamic axes, checked, run on two sizes, and compared with eager torch; the script prints what
was wrong with each as JSON, "" where nothing was. Beside a package for the dynamo exporter that one exports them.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch.fft import (
    fft,
    fft2,
    fftn,
    hfft,
    hfft2,
    hfftn,
    ifft,
    ifft2,
    ifftn,
    ihfft,
    ihfft2,
    ihfftn,
    irfft,
    irfft2,
    irfftn,
    rfft,
    rfft2,
    rfftn,
)

OPERATORS = (
    "_conj", "abs", "add", "angle", "complex", "conj", "div", "fft_fft", "fft_fft2", "fft_fftn", "fft_hfft",
    "fft_hfft2", "fft_hfftn", "fft_ifft", "fft_ifft2", "fft_ifftn", "fft_ihfft", "fft_ihfft2", "fft_ihfftn",
    "fft_irfft", "fft_irfft2", "fft_irfftn", "fft_rfft", "fft_rfft2", "fft_rfftn", "imag", "istft", "mul", "neg",
    "permute", "polar", "real", "reshape", "resolve_conj", "select", "slice", "stft", "sub", "transpose", "unsqueeze",
    "view", "view_as_complex", "view_as_real",
)  # fmt: skip

Tensor = torch.Tensor
Model = Callable[..., Tensor]
numbers, parts = torch.view_as_complex, torch.view_as_real
WINDOW = torch.hann_window(16)


class Rotary(torch.nn.Module):
    """Rotary embeddings as language models have them: pairs of features are turned by an angle for each position."""

    def __init__(self, rotate: Callable[[Tensor, Tensor], Tensor]) -> None:
        super().__init__()
        self.rotate = rotate
        frequencies = 1 / 10000 ** (torch.arange(0, 8, 2).float() / 8)
        self.register_buffer("angles", torch.outer(torch.arange(20.0), frequencies))

    def forward(self, queries: Tensor) -> Tensor:
        turns = torch.polar(torch.ones_like(self.angles), self.angles)[: queries.shape[1]]
        pairs = numbers(queries.float().reshape(*queries.shape[:-1], -1, 2))
        return parts(self.rotate(pairs, turns)).flatten(3).type_as(queries)


def spectrum(x: Tensor, **options: Any) -> Tensor:
    """A short-time transform with a window of 16."""
    return torch.stft(x, 16, 4, window=WINDOW, return_complex=True, **options)


def back(x: Tensor, **options: Any) -> Tensor:
    """What `spectrum` was made of."""
    return torch.istft(x, 16, 4, window=WINDOW, **options)


SIGNAL, LONGER = torch.randn(2, 64), torch.randn(3, 90)
PLANE, LARGER = torch.randn(3, 4, 6), torch.randn(2, 7, 5)
PAIRS, MORE = torch.randn(2, 3, 2), torch.randn(5, 4, 2)
QUERIES, OTHERS = torch.randn(2, 5, 3, 8), torch.randn(1, 9, 2, 8)

CHAINS: dict[str, tuple[Model, Tensor, Tensor]] = {
    "stft, abs": (lambda x: spectrum(x).abs(), SIGNAL, LONGER),
    "stft, view_as_real": (lambda x: parts(spectrum(x, center=False)), SIGNAL, LONGER),
    "stft, angle": (lambda x: (spectrum(x, normalized=True) + 3).angle(), SIGNAL, LONGER),
    "stft, mask, istft": (lambda x: back(spectrum(x) * (spectrum(x).abs() > 0.5).float()), SIGNAL, LONGER),
    "stft, istft": (lambda x: back(spectrum(x)), SIGNAL, LONGER),
    "stft, istft of a length": (lambda x: back(spectrum(x), length=70), SIGNAL, LONGER),
    "stft, istft of both sides": (
        lambda x: back(spectrum(x, onesided=False, normalized=True), normalized=True), SIGNAL, LONGER,
    ),
    "view_as_complex, mul, view_as_real": (lambda x: parts(numbers(x) * numbers(x + 1)), PAIRS, MORE),
    "complex, mul, div": (
        lambda x: parts(torch.complex(x[..., 0], x[..., 1]) * 2 / numbers(x * x + 1)), PAIRS, MORE,
    ),
    "mul, conj, real": (lambda x: (numbers(x) * numbers(x).conj()).real, PAIRS, MORE),
    "add, sub, imag": (lambda x: (torch.add(numbers(x), numbers(x), alpha=3) - 2 * numbers(x + 1)).imag, PAIRS, MORE),
    "polar, conj, neg, view_as_real": (
        lambda x: parts((-torch.polar(x[..., 0].abs(), x[..., 1]).conj()).resolve_conj()), PAIRS, MORE,
    ),
    "fft, abs": (lambda x: fft(x, norm="ortho").abs(), PLANE, LARGER),
    "fft, ifft, real": (lambda x: ifft(fft(x, dim=1), dim=1).real, PLANE, LARGER),
    "rfft, abs, log": (lambda x: rfft(x).abs().add(1).log(), PLANE, LARGER),
    "rfft, mul, irfft": (lambda x: irfft(rfft(x, 12) * rfft(x.flip(-1), 12), 12), PLANE, LARGER),
    "ihfft, hfft": (lambda x: hfft(ihfft(x, norm="forward"), 6), PLANE, LARGER),
    "fft2, imag": (lambda x: fft2(x, s=(3, 5)).imag, PLANE, LARGER),
    "ifft2, angle": (lambda x: ifft2(x + 9).real.exp(), PLANE, LARGER),
    "fftn, ifftn, abs": (lambda x: ifftn(fftn(x)).abs(), PLANE, LARGER),
    "rfft2, irfft2": (lambda x: irfft2(rfft2(x) * 0.5), PLANE, LARGER),
    "rfftn, irfftn": (lambda x: irfftn(rfftn(x, dim=(0, 2)), dim=(0, 2)), PLANE, LARGER),
    "ihfft2, hfft2": (lambda x: hfft2(ihfft2(x)), PLANE, LARGER),
    "ihfftn, hfftn": (lambda x: hfftn(ihfftn(x)), PLANE, LARGER),
    "rotary, view": (
        Rotary(lambda pairs, turns: pairs * turns.view(1, pairs.shape[1], 1, pairs.shape[-1])), QUERIES, OTHERS,
    ),
    "rotary, unsqueeze": (Rotary(lambda pairs, turns: pairs * turns.unsqueeze(0).unsqueeze(2)), QUERIES, OTHERS),
    "rotary, transpose": (
        Rotary(lambda pairs, turns: (pairs.transpose(1, 2) * turns).transpose(-2, 1)), QUERIES, OTHERS,
    ),
    "rotary, permute": (
        Rotary(lambda pairs, turns: (pairs.permute(2, 0, 1, 3) * turns).permute(1, 2, 0, 3)), QUERIES, OTHERS,
    ),
    "select, slice": (lambda x: parts(fft(x)[0, 1:, ::2]), PLANE, LARGER),
}  # fmt: skip

SPECTRUM, WIDER = torch.randn(3, 4, dtype=torch.complex64), torch.randn(5, 6, dtype=torch.complex64)

OF_COMPLEX: dict[str, tuple[Model, Tensor, Tensor]] = {
    "the numbers themselves": (lambda x: (x * x.conj() + 2 * x) / (x + 3), SPECTRUM, WIDER),
    "complex numbers of Python's": (lambda x: x * (1 + 2j) - 3j + x / (2 - 1j), SPECTRUM, WIDER),
    "a real tensor that turns complex": (lambda x: x.abs() * x + x.real * 1j, SPECTRUM, WIDER),
    "a real tensor is multiplied by a complex number": (lambda x: x * (1 + 2j), PLANE, LARGER),
    "two precisions": (lambda x: x * x.real.double(), SPECTRUM, WIDER),
    "a number that single precision rounds": (lambda x: x * 0.1 + 1e-9, SPECTRUM.cdouble(), WIDER.cdouble()),
    "functions of torch's own in between": (
        lambda x: torch.cat([x * x, x.mT.mT.flip(0)], -1).sum(-1) - x[:, 0],
        SPECTRUM,
        WIDER,
    ),
    "views": (lambda x: (x.T.unsqueeze(1)[1:, :, ::2] * 2).permute(2, 0, 1).reshape(-1), SPECTRUM, WIDER),
    "fft2 of complex numbers": (lambda x: ifft2(fft2(x, s=(3, 5)) * 2), SPECTRUM, WIDER),
    "hfft of complex numbers": (lambda x: hfft(x, norm="ortho"), SPECTRUM, WIDER),
    "stft": (spectrum, SIGNAL, LONGER),
    "istft of complex numbers": (lambda x: back(x), spectrum(SIGNAL), spectrum(LONGER)),
    "parts": (lambda x: torch.complex(x.real, x.imag.abs()) - torch.polar(x.abs(), x.angle()), SPECTRUM, WIDER),
    "whole numbers and complex ones": (lambda x: x + x.real.int() - torch.sin(x.imag.int()), SPECTRUM, WIDER),
}
"""Models of which the inputs and the outputs may be complex, as the dynamo exporter has them."""

OF_DYNAMO = {name: CHAINS[name] for name in ("stft, mask, istft", "rfft, mul, irfft", "rotary, unsqueeze")} | OF_COMPLEX
"""What is exported through the dynamo exporter, of which an export takes seconds."""

ENDED: dict[str, tuple[Model, Tensor, str]] = {
    "an operator of torch's own takes the numbers": (lambda x: fft(x).sin().real, PLANE, "aten::sin"),
    "a list of them is taken": (lambda x: parts(torch.cat([fft(x), fft(x)])), PLANE, "aten::cat"),
    "the length of a last axis is asked": (lambda x: fft(x).real * fft(x).size(-1), PLANE, "aten::size"),
    "the model itself takes them": (lambda x: (x * x).real, numbers(PAIRS), "no complex inputs"),
}  # fmt: skip


def as_module(model: Model) -> torch.nn.Module:
    """The model as a module."""
    if isinstance(model, torch.nn.Module):
        return model

    class Chain(torch.nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return model(x)

    return Chain()


def fault_of(model: Model, inputs: tuple[Tensor, ...], opset: int) -> str:
    """What is wrong with the exported model, "" where nothing is."""
    from symgen.verify import roundtrip

    module = as_module(model)
    run, _ = roundtrip.load(roundtrip.export(module, inputs[:1], opset, True))
    for x in inputs:
        (got,), expected = run([x]), module(x)
        if (got.shape, got.dtype) != (expected.shape, expected.dtype):
            return f"{got.dtype}{tuple(got.shape)}, not {expected.dtype}{tuple(expected.shape)}"
        if not torch.allclose(got, expected, rtol=1e-4, atol=1e-5):
            return f"{float((got - expected).abs().max())} apart"
    return ""


def fault_in_dynamo(model: Model, inputs: tuple[Tensor, ...], opset: int, table: Any) -> str:
    """The same of the dynamo exporter, through which complex tensors go as they are."""
    from symgen.verify import exporting, roundtrip

    module = roundtrip.call_module(as_module(model), inputs[:1], {}, carried=False)
    data = exporting.export_program(module, inputs[:1], opset, True, table)
    run, _ = roundtrip.load(data)
    for x in inputs:
        if not exporting.fits(data, [roundtrip.real_view(x).shape]):
            continue
        (got,), expected = run([x]), roundtrip.real_view(module(x))
        if (got.shape, got.dtype) != (expected.shape, expected.dtype):
            return f"{got.dtype}{tuple(got.shape)}, not {expected.dtype}{tuple(expected.shape)}"
        slack = 1e-12 if got.dtype is torch.float64 else 1e-5
        if not torch.allclose(got, expected, rtol=10 * slack, atol=slack):
            return f"{float((got - expected).abs().max())} apart"
    return ""


def refusal_of(model: Model, x: Tensor) -> str:
    """What the export says, and of which kind the error is; "" where it says nothing."""
    try:
        torch.onnx.export(as_module(model), (x,), io.BytesIO(), dynamo=False, opset_version=17)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def main_of_dynamo(opsets: list[int]) -> None:
    """Prints the faults of all models at each opset."""
    import torchlib_ops

    faults: dict[str, str] = {}
    for opset in opsets:
        table = torchlib_ops.translation_table(opset)
        for name, (model, x, larger) in OF_DYNAMO.items():
            try:
                faults[f"{name} at {opset}"] = fault_in_dynamo(model, (x, larger), opset, table)
            except Exception as error:
                faults[f"{name} at {opset}"] = f"{type(error).__name__}: {error}"
    print(json.dumps({"faults": faults}))


def main(opsets: list[int]) -> None:
    """Prints the faults of all chains at each opset, and what the export says of those that end."""
    import symbolics  # noqa: F401 - importing it registers the functions

    faults = {
        f"{name} at {opset}": fault_of(model, (x, larger), opset)
        for name, (model, x, larger) in CHAINS.items()
        for opset in opsets
    }
    refusals = {name: refusal_of(model, x) for name, (model, x, _) in ENDED.items()}
    print(json.dumps({"faults": faults, "refusals": refusals}))


if __name__ == "__main__":
    sys.path.insert(0, ".")
    target, *numbers_of_opsets = sys.argv[1:]
    (main_of_dynamo if target == "torchlib" else main)([int(opset) for opset in numbers_of_opsets])
