"""Tensor indexing as `symgen fix aten::index aten::index_put` makes it: every pattern that eager torch takes.

Three things are lost before a symbolic function is called, in the exporter's own passes: it refuses to assign to
tensors that are apart, drops writes through a new axis, and takes a mask of several axes for an index of one, which the
function refuses where it can see it.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from .patterns import Index, Indexing, Pattern, inputs_of

OPSETS = (11, 16, 20)
ALL = Index("slice", (None, None, None))
REFUSED = (
    "export: Only consecutive 1-d tensor indices are supported in exporting aten::index_put",
    "refused: a mask of several axes beside other indices can't be assigned to with slices",
)
"""What an assignment may be told: the first by a pass of the exporter, before the function is called."""


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Pattern], str]]:
    """Says what becomes of a pattern, in a process that has imported the corrected functions."""
    folder = tmp_path_factory.mktemp("indexing")
    fix = [
        sys.executable,
        "-m",
        "symgen",
        "new",
        "--force",
        "--no-verify",
        "aten::index",
        "aten::index_put",
        "aten::copy",
    ]
    subprocess.run(fix, cwd=folder, check=True, capture_output=True)
    script = [sys.executable, str(Path(__file__).with_name("patterns.py")), str(folder)]
    with subprocess.Popen(script, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout

        def ask(pattern: Pattern) -> str:
            print(pattern.to_json(), file=process.stdin, flush=True)
            return process.stdout.readline().strip() or "the process died"

        yield ask
        process.stdin.close()


@st.composite
def patterns(draw: st.DrawFn) -> Pattern:
    """Any mix of ints, slices, an ellipsis, new axes, index tensors and masks over a small tensor."""
    shape = tuple(draw(st.lists(st.integers(2, 4), min_size=1, max_size=4)))
    broadcast = draw(st.sampled_from([(), (1,), (3,), (2, 3), (2, 1)]))
    mode = draw(st.sampled_from(["read", "read", "write", "write", "put", "add"]))
    parts: list[Index] = []
    axis, ellipsis_used, masked = 0, False, 0
    while axis < len(shape) and draw(st.integers(0, 9)):
        size = shape[axis]
        kinds = ["long", "long", "int32", "slice", "all"]
        kinds += ["bool"] if not masked else []
        if mode in ("read", "write"):
            kinds += ["int"] + ([] if ellipsis_used else ["ellipsis"]) + (["newaxis"] if mode == "read" else [])
        kind = draw(st.sampled_from(kinds))
        is_input = draw(st.booleans())
        match kind:
            case "long" | "int32":
                part_shape = draw(st.sampled_from([broadcast, broadcast[-1:], (1,), broadcast]))
                count = torch.Size(part_shape).numel()
                numbers = draw(st.lists(st.integers(-size, size - 1), min_size=count, max_size=count))
                parts.append(Index(kind, tuple(numbers), part_shape, is_input))
            case "bool":
                extent = shape[axis : axis + draw(st.integers(1, 2))]
                count = torch.Size(extent).numel()
                masked = draw(st.sampled_from([broadcast[-1] if broadcast else 1, 1]))
                meant = set(draw(st.permutations(range(count)))[: min(masked, count)])
                parts.append(Index("bool", tuple(place in meant for place in range(count)), extent, is_input))
                axis += len(extent) - 1
            case "slice":
                start = draw(st.integers(0, size - 1))
                stop = draw(st.sampled_from([None, size, start + 1, *([-1] if start + 1 < size else [])]))
                parts.append(Index("slice", (start, stop, draw(st.integers(1, 2)))))
            case "all":
                parts.append(ALL)
            case "int":
                parts.append(Index("int", (draw(st.integers(-size, size - 1)),)))
            case "newaxis":
                parts.append(Index("newaxis"))
                axis -= 1
            case "ellipsis":
                parts.append(Index("ellipsis"))
                ellipsis_used = True
                axis += draw(st.integers(0, len(shape) - axis)) - 1
        axis += 1
    if mode in ("put", "add"):
        parts = [ALL if part.kind == "slice" else part for part in parts]
        assume(any(part.is_tensor for part in parts))
    assume(parts)
    pattern = Pattern(shape, tuple(parts), "read", None, draw(st.sampled_from(OPSETS)), draw(st.booleans()))
    try:
        read = Indexing(pattern)(*inputs_of(pattern, 0)).shape
    except (IndexError, RuntimeError):
        assume(False)
        raise
    if mode == "read":
        return pattern
    kept = draw(st.integers(0, len(read)))
    ones = draw(st.lists(st.booleans(), min_size=kept, max_size=kept))
    values = tuple(1 if one else size for one, size in zip(ones, read[len(read) - kept :], strict=True))
    number = mode == "write" and draw(st.integers(0, 4)) == 0
    return Pattern(shape, pattern.parts, mode, None if number else values, pattern.opset, pattern.dynamic)


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(pattern=patterns())
def test_what_eager_torch_takes_is_right(judge: Callable[[Pattern], str], pattern: Pattern) -> None:
    verdict = judge(pattern)
    assert verdict == "right" or (pattern.mode == "write" and verdict.startswith(REFUSED)), f"{pattern}: {verdict}"


def tensor(*numbers: int, shape: tuple[int, ...] | None = None, is_input: bool = True) -> Index:
    return Index("long", numbers, shape or (len(numbers),), is_input)


def mask(*elements: int, shape: tuple[int, ...] | None = None, is_input: bool = True) -> Index:
    return Index("bool", tuple(map(bool, elements)), shape or (len(elements),), is_input)


BY_NAME = {
    "a negative index in the second of two tensors": Pattern((3, 4), (tensor(0, 1), tensor(-2, 3))),
    "three index tensors": Pattern((3, 4, 5), (tensor(0, -1), tensor(1, 2), tensor(-5, 4))),
    "index tensors that are no neighbours": Pattern((3, 4, 5), (tensor(0, 2), ALL, tensor(1, -1))),
    "tensors of two ranks": Pattern((3, 4), (tensor(0, 1, 2, -1, shape=(2, 2)), tensor(1, -2))),
    "a mask of two axes": Pattern((2, 3, 2), (mask(1, 0, 1, 0, 0, 1, shape=(2, 3)),)),
    "a mask of two axes beside an index": Pattern((2, 3, 4), (mask(1, 0, 0, 0, 0, 1, shape=(2, 3)), tensor(1, -1))),
    "a tensor behind an ellipsis": Pattern((2, 3, 4), (Index("ellipsis"), tensor(1, -1))),
    "a slice assigned beside a tensor": Pattern((4, 5), (tensor(0, -1), Index("slice", (1, 3, None))), "write", (2,)),
    "values that broadcast, behind an ellipsis": Pattern((2, 3, 4), (Index("ellipsis"), tensor(0, -2)), "write", (1,)),
    "rows of a mask": Pattern((3, 4), (mask(1, 0, 1),), "write", (4,)),
    "tensors apart, put": Pattern((3, 4, 5), (tensor(0, 1), ALL, tensor(2, -1)), "put", (4,)),
    "a tensor of two axes behind a slice, written": Pattern(
        (3, 4), (Index("slice", (1, 3, 1)), tensor(0, 1, -1, 2, shape=(2, 2))), "write", (2, 2, 2)
    ),
    "a tensor of two axes before a slice, written": Pattern(
        (3, 4), (tensor(0, 1, -1, 2, shape=(2, 2)), Index("slice", (1, 3, 1))), "write", (2, 1)
    ),
    "a mask of two axes before a slice, written": Pattern(
        (2, 3, 4), (mask(1, 0, 0, 0, 1, 1, shape=(2, 3)), Index("slice", (1, 3, 1))), "write", (2,)
    ),
    "an int beside a tensor of two axes, written": Pattern(
        (3, 4, 2), (Index("int", (-1,)), tensor(0, 1, -1, 2, shape=(2, 2))), "write", (2, 1)
    ),
    "a rank-2 mask, written": Pattern((2, 3), (mask(1, 0, 0, 0, 1, 1, shape=(2, 3)),), "write", None),
    "a repeated index, added": Pattern((4,), (tensor(1, 1, -3),), "add", (3,)),
    "repeated pairs, added": Pattern((3, 4), (tensor(0, 0, 2), tensor(1, 1, -1)), "add", ()),
    # Those that PyTorch's documentation of the exporter lists as not supported.
    "data[torch.tensor([[1, 2], [2, 3]]), torch.tensor([2, 3])]": Pattern(
        (4, 5, 2), (tensor(1, 2, 2, 3, shape=(2, 2), is_input=False), tensor(2, 3, is_input=False))
    ),
    "data.index_put((torch.tensor([2, 3]), None, torch.tensor([1, 2])), new)": Pattern(
        (4, 3, 5), (tensor(2, 3, is_input=False), ALL, tensor(1, 2, is_input=False)), "put", (2, 3)
    ),
    "data[torch.tensor([2, 3]), torch.tensor([1, 2])] = new": Pattern(
        (4, 5), (tensor(2, 3, is_input=False), tensor(1, 2, is_input=False)), "write", (2,)
    ),
    "data[torch.tensor([0, 2]), ..., torch.tensor([-1, -2])]": Pattern(
        (3, 4, 5), (tensor(0, 2, is_input=False), Index("ellipsis"), tensor(-1, -2, is_input=False))
    ),
}


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("name", BY_NAME)
def test_by_name(judge: Callable[[Pattern], str], name: str, opset: int) -> None:
    pattern = BY_NAME[name]
    for dynamic in (False, True):
        asked = Pattern(pattern.shape, pattern.parts, pattern.mode, pattern.values, opset, dynamic)
        assert judge(asked) == "right", str(asked)


def test_tensors_apart_are_refused_by_the_exporter_where_they_are_assigned_to(judge: Callable[[Pattern], str]) -> None:
    assigned = Pattern((4, 3, 5), (tensor(2, 3), ALL, tensor(1, 2)), "write", (2, 3))
    assert judge(assigned).startswith(REFUSED)
