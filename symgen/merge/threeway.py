"""Three texts of one definition: the last generated, the one in the file, the newly generated."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from symgen.merge.diff3 import Region, merge_regions
from symgen.merge.names import free_names

_SEAM = "\0"
_BASE, _MINE, _NEW = "last generated", "in the file", "newly generated"


@dataclass(frozen=True)
class ThreeTexts:
    """The texts of one definition, with LF line ends. `base` is None where the last generated text is lost."""

    base: str | None
    mine: str
    new: str

    def merged(self) -> str | None:
        """The file's text with the generator's changes in it; None where both changed the same lines.

        A person's line that uses a name which the new text no longer has (a renamed parameter) is a conflict too.
        """
        if self.base is None:
            return None
        text = _merge(self.base, self.mine, self.new)
        return None if text is None or self._loses_a_name(text) else text

    def _loses_a_name(self, merged: str) -> bool:
        try:
            unknown = free_names(merged).all - free_names(self.mine).all - free_names(self.new).all
        except SyntaxError:
            return True
        return bool(unknown)

    def with_conflict_markers(self) -> str:
        """The merge with both sides' lines where they differ."""
        base, mine, new = (text.splitlines(keepends=True) for text in (self.base or "", self.mine, self.new))
        return "".join(line for region in merge_regions(base, mine, new) for line in _marked(region))

    def diff(self) -> str:
        """What the person changed and what the generator changed, as two unified diffs."""
        if self.base is None:
            return _diff(self.mine, self.new, _MINE, _NEW)
        return _diff(self.base, self.mine, _BASE, _MINE) + _diff(self.base, self.new, _BASE, _NEW)


def _merge(base: str, mine: str, new: str) -> str | None:
    """Merges line by line; where that conflicts, with a seam between the lines, which keeps apart what only touches."""
    texts = [text.splitlines(keepends=True) for text in (base, mine, new)]
    seamed = [[part for line in lines for part in (line, _SEAM)] for lines in texts]
    for old, one, other in (texts, seamed):
        regions = list(merge_regions(old, one, other))
        if not any(region.is_conflict for region in regions):
            return "".join(line for region in regions for line in region.merged if line != _SEAM)
    return None


def _marked(region: Region) -> list[str]:
    """The merged lines; for a conflict both sides' and the base's between markers."""
    if not region.is_conflict:
        return list(region.merged)
    sides = [f"<<<<<<< {_MINE}\n", *region.mine, f"||||||| {_BASE}\n", *region.base]
    return [*sides, "=======\n", *region.new, f">>>>>>> {_NEW}\n"]


def _diff(old: str, new: str, old_name: str, new_name: str) -> str:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), old_name, new_name, lineterm="")
    return "".join(f"{line}\n" for line in lines)
