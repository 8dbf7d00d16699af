"""Definitions come out as they went in: without a trace."""

from __future__ import annotations

from pathlib import Path

import pytest
from torch.onnx._internal import torchscript_exporter

from merging import HEAD, HYPOT, merge, method, module, operator
from symgen.errors import MergeError
from symgen.merge.apply import merge_module
from symgen.merge.outcome import Action, Policy
from symgen.merge.remove import remove_definitions
from symgen.model.definition import ModuleText

TORCH_FILES = sorted(Path(torchscript_exporter.__file__).parent.glob("symbolic_opset[0-9]*.py"))
PATH = "symbolics/symbolic_opset9.py"
OWN = merge(None, HYPOT, operator("xlogy", "input", "other"))
EDITED = (OWN.after or b"").replace(b'"Sqrt"', b'"Exp"', 1)


@pytest.mark.parametrize("file", TORCH_FILES, ids=lambda file: file.stem)
def test_into_torch_s_own_files_and_out_again(file: Path) -> None:
    before = file.read_bytes()
    name = "hypot" if b"def fmax" in before else "fmax"
    wanted = operator(name, "input", "other", opsets=(int(file.stem.removeprefix("symbolic_opset")),))
    merged = merge(before, wanted, path=file.name)
    assert merged.changed
    assert not merged.failures
    again = merge(merged.after, wanted, path=file.name, bases=merged.bases)
    assert not again.changed
    removed = remove_definitions(merged.after or b"", [f"aten::{name}"], path=file.name, bases=merged.bases)
    assert removed.after == before
    assert removed.bases == {}


def test_torch_s_own_function_is_refused() -> None:
    file = TORCH_FILES[-1]
    outcome = merge(file.read_bytes(), operator("relu", "input"), path=file.name)
    assert not outcome.changed
    (failure,) = outcome.failures
    assert failure.action is Action.REFUSED
    assert failure.location is not None
    assert "relu" in file.read_text().splitlines()[failure.location.line - 1]


def test_what_others_still_use_stays() -> None:
    outcome = remove_definitions(OWN.after or b"", ["aten::xlogy"], path=PATH, head=HEAD, bases=OWN.bases)
    assert outcome.after == merge(None, HYPOT).after
    assert set(outcome.bases) == {"aten::hypot", "_promoted", "_largest"}


def test_a_file_with_nothing_but_its_head_left_goes() -> None:
    outcome = remove_definitions(OWN.after or b"", ["aten::xlogy", "aten::hypot"], path=PATH, head=HEAD)
    assert outcome.after is None
    assert outcome.changed


def test_a_file_of_the_user_s_does_not_go() -> None:
    before = OWN.after or b""
    mine = before.replace(b"_onnx_symbolic =", b"EPSILON = 1e-6\n_onnx_symbolic =")
    outcome = remove_definitions(mine, ["aten::xlogy", "aten::hypot"], path=PATH, head=HEAD)
    assert outcome.after is not None
    assert b"EPSILON" in outcome.after


def test_an_edited_helper_stays() -> None:
    mine = (OWN.after or b"").replace(b"assert count >= 0", b"assert count > 0")
    outcome = remove_definitions(mine, ["aten::xlogy", "aten::hypot"], path=PATH, head=HEAD)
    assert outcome.after is not None
    assert b"def _largest" in outcome.after
    assert b"def _promoted" not in outcome.after


def test_an_edited_function_is_a_conflict_until_it_is_forced() -> None:
    outcome = remove_definitions(EDITED, ["aten::hypot"], path=PATH, bases=OWN.bases)
    (conflict,) = outcome.failures
    assert not outcome.changed
    assert conflict.action is Action.CONFLICT
    assert conflict.location is not None
    assert '+    return g.op("Exp"' in conflict.diff
    forced = remove_definitions(EDITED, ["aten::hypot"], path=PATH, policy=Policy.FORCE)
    assert forced.after == merge(None, operator("xlogy", "input", "other")).after


def test_a_function_of_the_user_s_is_refused_and_one_that_is_not_there_is_nothing_to_do() -> None:
    before = b'import x\n\n\n@x.onnx_symbolic("aten::hypot", opset=9)\ndef hypot(g, a, b):\n    return a\n'
    refused = remove_definitions(before, ["aten::hypot"], path=PATH)
    assert [str(one.location) for one in refused.failures] == [f"{PATH}:4"]
    nothing = remove_definitions(before, ["aten::frac"], path=PATH)
    assert [one.action for one in nothing.definitions] == [Action.UNCHANGED]
    assert not refused.changed
    assert not nothing.changed


def test_a_test_without_its_operator() -> None:
    before = OWN.after or b""
    with pytest.raises(MergeError, match=r"symbolic_opset9\.py:3"):
        remove_definitions(b"x = 1\n\n<<<\n", ["test_hypot"], path=PATH)
    assert remove_definitions(before, ["test_hypot"], path=PATH).after == before


def test_a_method_comes_out_of_its_class() -> None:
    before = b"class Clip(Function):\n\tlimit = 1\n\n\tdef forward(ctx, x):\n\t\treturn x\n\t# end\n\n\nx = 1\n"
    merged = merge_module(before, ModuleText("", (method("Clip", "x"),)), path=PATH)
    assert merged.changed
    assert remove_definitions(merged.after or b"", ["Clip.symbolic"], path=PATH).after == before


def test_comments_of_the_user_s_stay() -> None:
    mine = (OWN.after or b"").replace(b"# symgen: aten::xlogy", b"# the logarithms\n\n# symgen: aten::xlogy")
    outcome = remove_definitions(mine, ["aten::xlogy"], path=PATH)
    assert b"# the logarithms\n" in (outcome.after or b"")


def test_helpers_that_nothing_needs_are_not_written() -> None:
    before = b"import x\n\nhypot = x.hypot\n"
    outcome = merge(before, HYPOT)
    assert outcome.after == before
    assert [one.key for one in outcome.definitions] == ["aten::hypot"]


def test_two_definitions_of_one_key_are_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="two different definitions of aten::hypot"):
        merge_module(None, module(HYPOT, operator("hypot", "self", "other")), path=PATH)
