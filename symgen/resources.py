"""The files that come with symgen beside its code."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def templates_folder() -> Path:
    """The folder of symgen's own templates."""
    return _folder("templates", "templates")


@cache
def audit_folder() -> Path:
    """The folder of what audits and verifications saw when this version was made."""
    return _folder("audit", "golden/audit")


def _folder(installed: str, in_checkout: str) -> Path:
    """A folder in the package where that was built as a wheel, else in the checkout."""
    package = Path(__file__).parent
    return package / installed if (package / installed).is_dir() else package.parent / in_checkout
