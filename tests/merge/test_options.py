"""What is merged how: into a PyTorch checkout, several operators at once, helpers that stand in the way."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from torch.onnx._internal import torchscript_exporter

from merging import HYPOT, LARGEST, PROMOTED, merge, method, module, operator
from symgen.errors import MergeError
from symgen.merge.apply import merge_module
from symgen.merge.outcome import Action, MergeOptions, MergeOutcome, Policy
from symgen.model.definition import Definition, Import, ModuleText, Registration

TORCH_FILE = Path(torchscript_exporter.__file__).with_name("symbolic_opset9.py")
UPSTREAM = MergeOptions(custom=False, markers=False)
PATH = "symbolics/symbolic_opset9.py"
OWN = merge(None, HYPOT)


def upstream(before: bytes, *definitions: Definition, options: MergeOptions = UPSTREAM) -> MergeOutcome:
    return merge_module(before, module(*definitions), path=TORCH_FILE.name, options=options)


def actions(outcome: MergeOutcome) -> dict[str, Action]:
    return {one.key: one.action for one in outcome.definitions}


def test_a_checkout_gets_no_markers_and_no_custom_registrations() -> None:
    before = TORCH_FILE.read_bytes()
    outcome = upstream(before, HYPOT)
    added = [line for line in (outcome.after or b"").splitlines() if line not in before.splitlines()]
    assert b'@_onnx_symbolic("aten::hypot")' in added
    assert not [line for line in added if b"symgen" in line or b"custom" in line]
    assert b"builtins.max(builtins.len" not in (outcome.after or b"")
    assert outcome.bases == {}


def test_what_a_checkout_has_already_is_unchanged_and_anything_else_of_the_name_is_refused() -> None:
    once = upstream(TORCH_FILE.read_bytes(), HYPOT).after or b""
    again = upstream(once, HYPOT)
    assert not again.changed
    assert set(actions(again).values()) == {Action.UNCHANGED}
    other = upstream(once, operator("hypot", "self", "other"))
    assert not other.changed
    assert actions(other)["aten::hypot"] is Action.REFUSED


def test_what_a_reviewer_reworded_in_a_checkout_is_the_same_code() -> None:
    once = upstream(TORCH_FILE.read_bytes(), HYPOT).after or b""
    reworded = once.replace(b"The function itself, which takes", b"The function, which takes")
    assert reworded != once
    outcome = upstream(reworded, HYPOT, operator("xlogy", "input", "other"))
    assert (actions(outcome)["_largest"], actions(outcome)["aten::xlogy"]) == (Action.UNCHANGED, Action.ADDED)


def test_the_module_that_registers_may_be_another() -> None:
    options = replace(UPSTREAM, registration=Import("torch.onnx._internal", "registration"))
    outcome = upstream(b"import functools\n", HYPOT, options=options)
    assert b"from torch.onnx._internal import registration\n" in (outcome.after or b"")
    assert b'@registration.onnx_symbolic("aten::hypot", opset=9)\n' in (outcome.after or b"")


def test_operators_stand_alone() -> None:
    mine = (OWN.after or b"").replace(b'"Sqrt"', b'"Exp"')
    outcome = merge(mine, HYPOT, operator("xlogy", "input", "other"), bases=OWN.bases)
    assert actions(outcome)["aten::hypot"] is Action.CONFLICT
    assert actions(outcome)["aten::xlogy"] is Action.ADDED
    assert b'"Exp"' in (outcome.after or b"")
    assert b"def xlogy" in (outcome.after or b"")
    assert set(outcome.bases) == {*OWN.bases, "aten::xlogy"}
    assert outcome.bases["aten::hypot"] == OWN.bases["aten::hypot"]


def test_a_helper_that_both_sides_changed_holds_up_what_needs_it() -> None:
    mine = (OWN.after or b"").replace(b"assert count >= 0", b"assert count > 0")
    changed = replace(LARGEST, source=LARGEST.source.replace("count >= 0", "count >= 1"))
    text = ModuleText("", (changed, PROMOTED, HYPOT, operator("xlogy", "input")))
    outcome = merge_module(mine, text, path=PATH, bases=OWN.bases)
    assert outcome.after == mine
    failures = {one.key: one for one in outcome.failures}
    assert set(failures) == {"aten::hypot", "aten::xlogy"}
    assert failures["aten::xlogy"].reason.startswith("needs _largest: edited since symgen wrote it")
    assert "+    assert count > 0" in failures["aten::xlogy"].diff
    forced = merge_module(mine, text, path=PATH, options=MergeOptions(Policy.FORCE), bases=OWN.bases)
    assert not forced.failures
    assert b"count >= 1" in (forced.after or b"")


def test_a_helper_that_nobody_edited_is_updated() -> None:
    changed = replace(LARGEST, source=LARGEST.source.replace("count >= 0", "count >= 1"))
    outcome = merge_module(OWN.after, ModuleText("", (changed, PROMOTED, HYPOT)), path=PATH, bases=OWN.bases)
    assert actions(outcome) == {
        "_largest": Action.REPLACED,
        "_promoted": Action.UNCHANGED,
        "aten::hypot": Action.UNCHANGED,
    }
    assert (outcome.after or b"").count(b"def _largest") == 1


def test_one_function_for_several_operators() -> None:
    both = replace(HYPOT, registrations=(Registration("aten::hypot", (9,)), Registration("aten::hypot_", (9, 11))))
    after = merge(None, both).after or b""
    assert b'@_onnx_symbolic("aten::hypot")\n@_onnx_symbolic("aten::hypot_", opset=[9, 11])\n' in after


def test_an_unedited_function_takes_the_name_of_its_operator_wherever_it_was_moved() -> None:
    text = (OWN.after or b"").decode()
    start = text.index("# symgen: aten::hypot")
    moved = text[:start].rstrip() + "\n\n\nif True:\n    X = 1\n\n\n" + text[start:]
    assert not merge(moved.encode(), HYPOT, bases=OWN.bases).changed


def test_a_helper_that_was_moved_below_what_it_decorates_is_noticed() -> None:
    plain = replace(HYPOT, source=HYPOT.source.partition("\n")[2])
    text = (merge(None, plain, operator("xlogy", "input")).after or b"").decode()
    start, end = text.index("# symgen: _promoted"), text.index("# symgen: aten::hypot")
    helper, other = text[start:end], text.index("# symgen: aten::xlogy")
    moved = text[:start] + text[end:other] + helper + text[other:]
    with pytest.raises(MergeError, match=r"aten::hypot needs _promoted above it, and _promoted stands below"):
        merge(moved.encode(), HYPOT)


def test_a_method_that_was_edited_is_merged() -> None:
    before = b"class Clip(Function):\n\tlimit = 1\n"
    first = merge_module(before, ModuleText("", (method("Clip", "x"),)), path=PATH)
    mine = (first.after or b"").replace(b"\t\treturn", b"\t\t# tuned\n\t\treturn")
    new = replace(method("Clip", "x"), source=method("Clip", "x").source.replace("One node", "A node"))
    merged = merge_module(
        mine, ModuleText("", (new,)), path=PATH, options=MergeOptions(Policy.MERGE), bases=first.bases
    )
    assert actions(merged) == {"Clip.symbolic": Action.MERGED}
    assert merged.after is not None
    assert b"A node" in merged.after
    assert b"\t\t# tuned\n" in merged.after
    conflict = merge_module(mine, ModuleText("", (new,)), path=PATH, bases=first.bases)
    assert actions(conflict) == {"Clip.symbolic": Action.CONFLICT}


def test_a_marker_that_was_deleted_gives_the_function_to_the_user() -> None:
    mine = (OWN.after or b"").replace(b"# symgen: aten::hypot", b"# mine now: aten::hypot")
    outcome = merge(mine, HYPOT, bases=OWN.bases, policy=Policy.FORCE)
    assert not outcome.changed
    assert actions(outcome) == {"aten::hypot": Action.REFUSED}


@pytest.mark.parametrize("policy", [Policy.SAFE, Policy.MERGE])
def test_an_edit_that_the_generator_caught_up_with_is_none(policy: Policy) -> None:
    mine = (OWN.after or b"").replace(b'"Sqrt"', b'"Exp"')
    caught_up = replace(HYPOT, source=HYPOT.source.replace('"Sqrt"', '"Exp"'))
    outcome = merge(mine, caught_up, bases=OWN.bases, policy=policy)
    assert actions(outcome)["aten::hypot"] is Action.REPLACED
    assert outcome.after == merge(None, caught_up).after
