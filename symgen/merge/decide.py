"""What becomes of a definition that is in the file already."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from symgen.merge.outcome import Action, Policy
from symgen.merge.threeway import ThreeTexts
from symgen.model.ownership import Marker, fingerprint


@dataclass(frozen=True)
class Decision:
    """`text` is what the file is to hold, None where it keeps what it has."""

    action: Action
    text: str | None = None
    marker: Marker | None = None
    reason: str = ""
    diff: str = ""
    base: str | None = None
    """The text to keep for the next three-way merge; None where the old one stays."""
    valid: bool = True
    """False for a text with conflict markers in it, which is no Python."""


def decide(
    texts: ThreeTexts, marker: Marker, policy: Policy, reformat: Callable[[Sequence[str]], list[str]]
) -> Decision:
    """Compares a marked definition with its new text.

    `reformat` lays texts out alike, for a person whose formatter is set otherwise than at the last generation.
    """
    wanted = Marker(marker.key, fingerprint(texts.new))
    found = wanted.fingerprint if texts.mine == texts.new else fingerprint(texts.mine)
    if found == wanted.fingerprint:
        if marker == wanted:
            return Decision(Action.UNCHANGED, base=texts.new)
        return Decision(Action.REPLACED, texts.mine, wanted, base=texts.new)
    if found == marker.fingerprint or policy is Policy.FORCE:
        return Decision(Action.REPLACED, texts.new, wanted, base=texts.new)
    if texts.base is not None and fingerprint(texts.base) != marker.fingerprint:
        texts = replace(texts, base=None)
    return _decide_edited(texts, marker, wanted, policy, reformat)


def _decide_edited(
    texts: ThreeTexts,
    marker: Marker,
    wanted: Marker,
    policy: Policy,
    reformat: Callable[[Sequence[str]], list[str]],
) -> Decision:
    merged = _merge(texts, reformat)
    reason = "edited since symgen wrote it"
    if policy is Policy.SAFE:
        advice = "--merge keeps the edits, --force drops them" if merged is not None else "--force drops the edits"
        return Decision(Action.CONFLICT, reason=f"{reason}; {advice}", diff=texts.diff())
    if merged is not None:
        if merged == texts.mine and marker == wanted:
            return Decision(Action.UNCHANGED, base=texts.new)
        return Decision(Action.MERGED, merged, wanted, base=texts.new)
    if policy is Policy.MARKERS:
        text = texts.with_conflict_markers()
        return Decision(Action.CONFLICT, text, wanted, reason=reason, diff=texts.diff(), base=texts.new, valid=False)
    why = "the last generated text is lost" if texts.base is None else "both sides changed the same lines"
    return Decision(Action.CONFLICT, reason=f"{reason}, and {why}", diff=texts.diff())


def _merge(texts: ThreeTexts, reformat: Callable[[Sequence[str]], list[str]]) -> str | None:
    merged = texts.merged()
    if merged is not None or texts.base is None:
        return merged
    base, mine, new = reformat([texts.base, texts.mine, texts.new])
    return ThreeTexts(base, mine, new).merged()
