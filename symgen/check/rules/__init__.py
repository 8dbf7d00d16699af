"""The rules of `check`, one a file, and what finds them by their code."""

from __future__ import annotations

from collections.abc import Iterable

from symgen.check.rules import (
    sg000_not_python,
    sg001_signature,
    sg002_arity,
    sg003_descriptors,
    sg004_exports,
    sg005_file_opset,
    sg006_twice,
    sg007_onnx,
    sg008_unread,
    sg009_edited,
    sg010_untested,
    sg011_unknown_name,
    sg012_native,
    sg013_moved,
    sg014_autograd,
    sg015_shadowed,
    sg016_torchlib,
)
from symgen.check.rules.rule import Example, Rule
from symgen.errors import UnknownNameError

__all__ = ["RULES", "Example", "Rule", "require_codes", "rule_of"]

RULES: tuple[Rule, ...] = (
    sg000_not_python.RULE,
    sg001_signature.RULE,
    sg002_arity.RULE,
    sg003_descriptors.RULE,
    sg004_exports.RULE,
    sg005_file_opset.RULE,
    sg006_twice.RULE,
    sg007_onnx.RULE,
    sg008_unread.RULE,
    sg009_edited.RULE,
    sg010_untested.RULE,
    sg011_unknown_name.RULE,
    sg012_native.RULE,
    sg013_moved.RULE,
    sg014_autograd.RULE,
    sg015_shadowed.RULE,
    sg016_torchlib.RULE,
)


def rule_of(code: str) -> Rule:
    """The rule of a code, in whatever case it is typed.

    Raises:
        UnknownNameError: where there is none; with the nearest.
    """
    found = next((rule for rule in RULES if rule.code == code.upper()), None)
    if found is None:
        raise _unknown(code)
    return found


def require_codes(codes: Iterable[str]) -> None:
    """Makes sure that each of these begins some code, as `SG01` does.

    Raises:
        UnknownNameError: for the first that doesn't; with the nearest codes.
    """
    for code in codes:
        if not any(rule.code.startswith(code) for rule in RULES):
            raise _unknown(code)


def _unknown(code: str) -> UnknownNameError:
    import difflib

    nearest = difflib.get_close_matches(code.upper(), [rule.code for rule in RULES], n=3, cutoff=0.5)
    return UnknownNameError(f"check has no code {code}", nearest=nearest)
