"""Convolutions, averages and sums of whole numbers, through models exported with dynamic axes; run beside a package.

The argument says at which opset. The script prints as JSON the calls whose model differs from eager torch, for sizes
other than those exported, too, and how many calls it made.
"""

from __future__ import annotations

import importlib
import io
import itertools
import json
import sys
from collections.abc import Iterator

import onnxruntime
import torch

from call_module import Call, CallModule

Tensor = torch.Tensor
DTYPES = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


def numbers(*shape: int, dtype: torch.dtype) -> Tensor:
    """Numbers of the whole range, so that sums run over its ends."""
    ends = torch.iinfo(dtype)
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randint(ends.min, ends.max, shape, dtype=torch.int64, generator=generator).to(dtype)


def convolutions(axes: int) -> Iterator[tuple[str, torch.dtype, Call]]:
    """Convolutions and their transposes, with every argument away from its default, in each dtype torch takes."""
    function = (torch.conv1d, torch.conv2d, torch.conv3d)[axes - 1]
    back = (torch.conv_transpose1d, torch.conv_transpose2d, torch.conv_transpose3d)[axes - 1]
    kernel = (3, 2, 1)[:axes]
    for place, (stride, padding, dilation, groups) in enumerate(itertools.product((1, 2), (0, 2), (1, 2), (1, 2))):
        # Where places in a window lie apart, torch has the convolution of int64 alone.
        dtype = torch.int64 if dilation > 1 else DTYPES[place // 2 % len(DTYPES)]
        weight, bias = numbers(6, 4 // groups, *kernel, dtype=dtype), numbers(6, dtype=dtype)
        yield (
            f"conv{axes}d {dtype} {stride} {padding} {dilation} {groups}",
            dtype,
            lambda x, w=weight, b=bias, s=stride, p=padding, d=dilation, g=groups: function(x, w, b, s, p, d, g),
        )
        spreading, more = numbers(4, 3, *kernel, dtype=torch.int64), min(stride, dilation) - 1
        yield (
            f"conv_transpose{axes}d {stride} {padding} {dilation} {groups}",
            torch.int64,
            lambda x, w=spreading, s=stride, p=padding, d=dilation, g=groups, m=more: back(x, w, None, s, p, m, g, d),
        )


def averages(axes: int) -> Iterator[tuple[str, torch.dtype, Call]]:
    """Averages with the last window whole or not, the padding counted or not, and by a divisor."""
    pool = (torch.avg_pool1d, torch._C._nn.avg_pool2d, torch._C._nn.avg_pool3d)[axes - 1]
    for stride, padding, ceil, counted in itertools.product((1, 2, 4), (0, 1), (False, True), (False, True)):
        yield (
            f"avg_pool{axes}d {stride} {padding} {ceil} {counted}",
            torch.int64,
            lambda x, s=stride, p=padding, ceil=ceil, counted=counted: pool(x, 3, s, p, ceil, counted),
        )
    if axes > 1:
        yield f"avg_pool{axes}d by 5", torch.int64, lambda x: pool(x, 3, 2, 1, True, False, 5)


def sums(axes: int) -> Iterator[tuple[str, torch.dtype, Call]]:
    """Sums over each axis, some and all of them, alone and of products; (batch, channels, …) have as many more axes."""
    rank = axes + 2
    letters = "abcde"[:rank]
    for dtype in DTYPES:
        for dim in (*range(-1, rank - 1), (0, rank - 1), None):
            yield f"sum over {dim} of {rank} {dtype}", dtype, lambda x, d=dim: torch.sum(x, d, keepdim=d == 0)
    weight = numbers(4, 5, dtype=torch.int64)
    for equation in (f"{letters}->b", f"{letters}->", f"{letters},bz->az", "ab...->a", "ab...->...b"):
        operands = (weight,) if "z" in equation else ()
        yield f"einsum {equation}", torch.int64, lambda x, e=equation, o=operands: torch.einsum(e, x, *o)
    for equation in ("b,ab...->a", "b,ab...->...", "Ba,ab...", "xb,ab...->a"):
        first = {"b": weight[:, 0], "Ba": weight[:2, :1], "xb": weight[:1, :1]}[equation.partition(",")[0]]
        yield f"einsum {equation} of {rank}", torch.int64, lambda x, e=equation, o=first: torch.einsum(e, o, x)
    yield f"tensordot of {rank}", torch.int64, lambda x: torch.tensordot(x, weight, ([1], [0]))
    yield f"tensordot with 1 of {rank}", torch.int64, lambda x: torch.tensordot(x, weight[:1], ([1], [0]))
    yield f"trace of {rank}", torch.int64, lambda x: torch.trace(x.flatten(1))


def differs(call: Call, x: Tensor, larger: Tensor, opset: int) -> bool:
    """Whether the model exported for `x` gives other numbers than eager torch, for it or the larger one."""
    file = io.BytesIO()
    dynamic = {"x": dict(enumerate("abcde"[: x.dim()]))}
    torch.onnx.export(
        CallModule(call), (x,), file, dynamo=False, opset_version=opset, input_names=["x"], dynamic_axes=dynamic
    )
    session = onnxruntime.InferenceSession(file.getvalue(), providers=["CPUExecutionProvider"])
    for one in (x, larger):
        (got,) = session.run(None, {"x": one.numpy()})
        expected = call(one)
        if got.dtype != expected.numpy().dtype or not torch.equal(torch.from_numpy(got), expected):
            return True
    return False


def main(opset: int) -> None:
    """Makes every call along one and two axes, and some along three; einsum is there from opset 12 on."""
    sys.path.insert(0, "")
    importlib.import_module("symbolics")
    wrong, count = [], 0
    for axes in (1, 2, 3):
        step = 1 if axes < 3 else 5
        for name, dtype, call in itertools.islice((*convolutions(axes), *averages(axes), *sums(axes)), 0, None, step):
            if opset < 12 and name.startswith("einsum"):
                continue
            x, larger = numbers(2, 4, *(7, 6, 5)[:axes], dtype=dtype), numbers(3, 4, *(9, 8, 6)[:axes], dtype=dtype)
            count += 1
            if differs(call, x, larger, opset):
                wrong.append(name)
    print(json.dumps({"count": count, "wrong": wrong}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
