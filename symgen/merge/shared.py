"""Helpers in a module of their own, which other files import: those that no file calls any more."""

from __future__ import annotations

import re
from collections.abc import Iterable

from symgen.merge.leftovers import is_untouched_helper
from symgen.merge.locate import survey
from symgen.merge.source import parse_source

_WORD = re.compile(r"[^\W\d]\w*")


def unneeded_helpers(content: bytes, path: str, others: Iterable[bytes]) -> list[str]:
    """The keys of helpers that symgen wrote, nobody edited, and neither another file nor one that stays has a word of.

    Args:
        content: the module with the helpers.
        path: its name, for messages.
        others: the files that may import from it.

    Raises:
        MergeError: where the module is not Python, or not byte-exact for libcst.
    """
    ground = survey(parse_source(content, path))
    statements = ground.source.statements
    helpers = {one.name: one for index, one in enumerate(statements) if is_untouched_helper(ground, index)}
    pending = [one.text for one in statements if one.name not in helpers and not one.is_import]
    pending += [other.decode("utf-8", "replace") for other in others]
    for text in pending:
        pending += [helpers.pop(name).text for name in helpers.keys() & set(_WORD.findall(text))]
    return [one.marker.key for one in helpers.values() if one.marker]
