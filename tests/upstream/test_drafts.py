"""What a checkout gets: the function, its test, and what is said of them."""

from __future__ import annotations

import ast

import pytest

from checkouts import MiniCheckout
from drafting import decided, diffs, drafted, refused, without_versions
from golden import Golden
from symgen.merge.style import FileStyle
from symgen.pipeline.upstream.checkout import open_checkout
from symgen.pipeline.upstream.draft import draft
from symgen.pipeline.upstream.drafts import Contents, Draft, UnfitError
from symgen.pipeline.upstream.message import commit_message, subject
from symgen.pipeline.upstream.suite import CONSISTENCY_TESTS, RUNTIME_TESTS, add_row, add_test
from symgen.sources import Sources

OPS = ("aten::hypot", "aten::expm1", "aten::huber_loss", "aten::cumprod")


Four = tuple[Draft, ...]
_ROW = '    skip("cumprod", opsets=[onnx_test_common.opsets_before(11)], reason="Needs opset 11."),'
"""The table of expectations is kept compact, with its formatter off."""


@pytest.fixture(scope="module")
def four(newer: MiniCheckout, sources: Sources) -> Four:
    """The drafts of `OPS`, one upon the other."""
    return drafted(OPS, newer, sources)


def test_the_diffs_and_messages(four: Four, newer: MiniCheckout, golden: Golden) -> None:
    made = {f"{one.contribution.op.base}.diff": text for one, text in zip(four, diffs(four, newer), strict=True)}
    for one in four:
        made[f"{one.contribution.op.base}.txt"] = without_versions(commit_message([one.contribution]))
    golden.check("upstream/newer", made)


def test_the_layout_before_2_9(older: MiniCheckout, sources: Sources, golden: Golden) -> None:
    drafts = drafted(("aten::hypot", "aten::cumprod"), older, sources)
    made = {f"{one.contribution.op.base}.diff": text for one, text in zip(drafts, diffs(drafts, older), strict=True)}
    golden.check("upstream/older", made)


def test_a_diff_adds_lines_and_does_nothing_else(four: Four, newer: MiniCheckout) -> None:
    for text in diffs(four, newer):
        lines = [line for line in text.splitlines() if not line.startswith(("+++", "---"))]
        assert not [line for line in lines if line.startswith("-")]
        added = [line[1:] for line in lines if line.startswith("+")]
        assert [line for line in added if len(line) > 88] in ([], [_ROW])
        assert not [line for line in added if "symgen" in line or "custom" in line]


def test_each_commit_names_the_files_of_its_operator_alone(four: Four) -> None:
    hypot, _, _, cumprod = four
    folder = "torch/onnx/_internal/torchscript_exporter"
    assert set(hypot.files) == {f"{folder}/symbolic_opset9.py", RUNTIME_TESTS, CONSISTENCY_TESTS}
    assert set(cumprod.files) == {f"{folder}/symbolic_opset11.py", RUNTIME_TESTS, CONSISTENCY_TESTS}


def test_a_helper_is_written_once_and_called_from_later_files(
    four: Four, newer: MiniCheckout, sources: Sources
) -> None:
    hypot, expm1, *_ = four
    (path,) = hypot.code
    assert hypot.files[path].count(b"def _promoted_args(") == 1
    assert expm1.files[path].count(b"def _promoted_args(") == 1
    *_, later = drafted(("aten::diff", "aten::cumprod"), newer, sources)
    (path,) = later.code
    assert b"opset9._rank(" in later.files[path]
    assert b"def _rank(" not in later.files[path]


def test_what_no_branch_can_hide_lands_in_several_files(newer: MiniCheckout, sources: Sources) -> None:
    (one,) = drafted(("aten::nuclear_norm",), newer, sources)
    opsets = [int("".join(filter(str.isdigit, path.rpartition("/")[2]))) for path in one.code]
    assert opsets == [11, 18, 20]


def test_all_names_of_a_merged_file_are_bound_where_they_are_needed(four: Four) -> None:
    text = four[2].files[four[2].code[0]].decode()
    functions = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    assert functions["_promoted_args"].lineno < functions["huber_loss"].decorator_list[0].lineno
    assert functions["mse_loss"].lineno < functions["huber_loss"].lineno < functions["mse_loss"].lineno + 130


def test_the_message_says_what_is_refused(newer: MiniCheckout, sources: Sources) -> None:
    contents = Contents(open_checkout(newer.root))
    lower = "opset 9 is the first at which it can be said and is right"
    decision = refused(
        decided("aten::hypot", newer, sources), f"half precision raises; names of dimensions raise; {lower}"
    )
    text = commit_message([draft(decision, contents, sources).contribution])
    assert "- half precision raises\n- names of dimensions raise\n" in text
    assert "Nothing that the operator takes" not in text
    assert lower not in text


def test_a_subject_is_short(four: Four) -> None:
    contributions = [one.contribution for one in four]
    assert subject(contributions[:1]) == "[ONNX] Add aten::hypot to the TorchScript exporter"
    assert subject(contributions) == "[ONNX] Add 4 operators to the TorchScript exporter"
    assert all(len(line) <= 100 for line in commit_message(contributions).splitlines())


def test_a_helper_that_an_older_exporter_lacks_is_named(checkout: MiniCheckout, sources: Sources) -> None:
    path = checkout.root / "torch/onnx/_internal/torchscript_exporter/symbolic_helper.py"
    path.write_text(path.read_text("utf-8").replace("_if_scalar_type_as", "_was_scalar_type_as"), "utf-8")
    checkout.commit_all("An older one")
    with pytest.raises(UnfitError, match=r"calls symbolic_helper\._if_scalar_type_as, which .* does not have"):
        drafted(("aten::hypot",), checkout, sources)


def test_a_test_stands_behind_its_like() -> None:
    text = (
        "class TestIt(Base):\n"
        "    def test_logaddexp(self):\n        self.run_test(1)\n\n"
        "    def test_add(self):\n        self.run_test(1)\n\n    X = 1\n"
    )
    after = add_test(text, "test_logaddexp2", "def test_logaddexp2(self):\n    self.run_test(2)\n", FileStyle())
    names = [node.name for node in ast.parse(after).body[0].body if isinstance(node, ast.FunctionDef)]  # type: ignore[attr-defined]
    assert names == ["test_logaddexp", "test_logaddexp2", "test_add"]
    assert after.count("\n") == text.count("\n") + 3


@pytest.mark.parametrize(
    "text", ["x = 1\n", "class TestIt:\n    def test_it(self):\n        pass\n", "TESTED_OPS = ()\n"]
)
def test_a_file_of_another_shape_stays_as_it_is(text: str) -> None:
    assert add_test(text, "test_add", "def test_add(self):\n    pass\n", FileStyle()) == text
    assert add_row(text, "add", 11) == text


def test_a_row_that_is_there_stays_alone() -> None:
    text = 'TESTED_OPS = frozenset(\n    [\n        "add",\n    ]\n)\n'
    assert add_row(text, "add", 9) == text
    assert add_row(text, "tile", 9) == text.replace('"add",\n', '"add",\n        "tile",\n')
