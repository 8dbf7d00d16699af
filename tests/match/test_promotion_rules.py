"""The promotion table is what the installed torch's reference implementations say."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from symgen.introspect.torch_install import find_torch
from symgen.match.promotion import load_promotion_rules


@pytest.fixture
def tool(repository: Path) -> object:
    path = repository / "tools" / "promotion_rules.py"
    spec = importlib.util.spec_from_file_location("promotion_rules", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_table_is_up_to_date(tool: object) -> None:
    written = tool.TABLE.read_text(encoding="utf-8")  # type: ignore[attr-defined]
    lines = ["operator\tpositions\tkind"]
    for name, (positions, kind) in tool.rules(find_torch().root / "_refs").items():  # type: ignore[attr-defined]
        lines.append(f"{name}\t{','.join(map(str, positions))}\t{kind}")

    assert written == "\n".join(lines) + "\n", "run tools/promotion_rules.py"


def test_the_rules_are_positions_of_arguments_and_a_kind() -> None:
    rules = load_promotion_rules()

    assert rules["atan2"] == ((0, 1), "INT_TO_FLOAT")
    assert rules["isfinite" if "isfinite" in rules else "eq"][1] == "ALWAYS_BOOL"
    assert len(rules) > 140
