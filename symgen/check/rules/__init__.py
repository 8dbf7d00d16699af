"""The rules of `check`, one a file, and what finds them by their code."""

from __future__ import annotations

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
)
from symgen.check.rules.rule import Example, Rule

__all__ = ["RULES", "Example", "Rule"]

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
)
