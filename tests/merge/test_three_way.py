"""Three-way merges of one definition: what merges, what conflicts, what is shown."""

from __future__ import annotations

import pytest

from symgen.merge.threeway import ThreeTexts

BASE = '''\
def hypot(g, input, other):
    """hypot"""
    a = g.op("Abs", input)
    b = g.op("Abs", other)
    larger = g.op("Max", a, b)
    return g.op("Sqrt", larger)
'''


def changed(*pairs: tuple[str, str]) -> str:
    text = BASE
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


MERGES = {
    "far apart": ([('"""hypot"""', '"""mine"""')], [('"Sqrt"', '"Exp"')]),
    "neighbouring lines": ([("a = g", "a = 1 or g")], [("b = g", "b = 2 or g")]),
    "the same change": ([('"Max"', '"Min"')], [('"Max"', '"Min"')]),
    "a line more, a parameter renamed": (
        [("    return", "    # tuned\n    return")],
        [("input", "self")],
    ),
    "an own line that takes over": ([('    b = g.op("Abs", other)\n', "    b = other\n")], [('"Sqrt"', '"Exp"')]),
}
CONFLICTS = {
    "the same line": ([('"Max"', '"Min"')], [('"Max"', '"Mean"')]),
    "a line that is gone": ([('"Max"', '"Min"')], [('    larger = g.op("Max", a, b)\n', "")]),
    "an own line with a parameter that was renamed": (
        [("    return", "    assert input is not None\n    return")],
        [("input", "self")],
    ),
    "two lines at one place": ([("    b =", "    x = 1\n    b =")], [("    b =", "    y = 2\n    b =")]),
}


@pytest.mark.parametrize(("mine", "new"), MERGES.values(), ids=MERGES.keys())
def test_what_does_not_overlap_is_merged(mine: list[tuple[str, str]], new: list[tuple[str, str]]) -> None:
    merged = ThreeTexts(BASE, changed(*mine), changed(*new)).merged()
    assert merged == changed(*new, *(pair for pair in mine if pair not in new))


@pytest.mark.parametrize(("mine", "new"), CONFLICTS.values(), ids=CONFLICTS.keys())
def test_what_overlaps_is_a_conflict(mine: list[tuple[str, str]], new: list[tuple[str, str]]) -> None:
    texts = ThreeTexts(BASE, changed(*mine), changed(*new))
    assert texts.merged() is None
    assert "last generated" in texts.diff()


def test_without_a_base_nothing_is_merged() -> None:
    texts = ThreeTexts(None, changed(('"Max"', '"Min"')), BASE)
    assert texts.merged() is None
    assert '-    larger = g.op("Min", a, b)\n+    larger = g.op("Max", a, b)\n' in texts.diff()


def test_conflict_markers_show_all_three() -> None:
    text = ThreeTexts(BASE, changed(('"Max"', '"Min"')), changed(('"Max"', '"Mean"'))).with_conflict_markers()
    lines = [line for line in text.splitlines() if line[:7] in ("<<<<<<<", "|||||||", "=======", ">>>>>>>")]
    assert lines == ["<<<<<<< in the file", "||||||| last generated", "=======", ">>>>>>> newly generated"]
