"""The three-way merge: each side's changes come in, and only where both changed the same lines there is a conflict."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from symgen.merge.diff3 import Region, merge_regions

LINES = st.lists(st.sampled_from("abcde"), max_size=12)


def merged(base: str, mine: str, new: str) -> str | None:
    regions = list(merge_regions(list(base), list(mine), list(new)))
    return None if any(r.is_conflict for r in regions) else "".join(line for r in regions for line in r.merged)


def test_changes_apart_from_each_other_come_together() -> None:
    assert merged("abcdefg", "aBcdefg", "abcdeFg") == "aBcdeFg"
    assert merged("abcdefg", "abcdefgh", "xabcdefg") == "xabcdefgh"
    assert merged("abcdefg", "abdefg", "abcdef") == "abdef"


def test_the_same_change_on_both_sides_is_no_conflict() -> None:
    assert merged("abc", "aXc", "aXc") == "aXc"


def test_different_changes_of_one_line_conflict() -> None:
    assert merged("abc", "aXc", "aYc") is None
    assert list(merge_regions("abc", "aXc", "aYc"))[1] == Region("b", "X", "Y")


@given(LINES, LINES)
def test_a_side_that_changed_nothing_gives_the_other(base: list[str], changed: list[str]) -> None:
    for mine, new in ((base, changed), (changed, base)):
        regions = list(merge_regions(base, mine, new))
        assert not any(region.is_conflict for region in regions)
        assert [line for region in regions for line in region.merged] == changed


@given(LINES, LINES, LINES)
def test_the_regions_are_the_whole_of_each_text(base: list[str], mine: list[str], new: list[str]) -> None:
    regions = list(merge_regions(base, mine, new))

    assert [line for region in regions for line in region.base] == base
    assert [line for region in regions for line in region.mine] == mine
    assert [line for region in regions for line in region.new] == new
