"""Complex tensors through several operators, in models whose functions `symgen new` wrote."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import complex_chains

OPSETS = (11, 17, 20)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the script says beside a package that holds all the operators."""
    folder = tmp_path_factory.mktemp("chains")
    operators = [f"aten::{name}" for name in complex_chains.OPERATORS]
    new = [sys.executable, "-m", "symgen", "new", *operators, "--no-verify", "--force", "-q"]
    subprocess.run(new, cwd=folder, check=True, capture_output=True, timeout=120)
    script = [sys.executable, str(Path(complex_chains.__file__).resolve()), *map(str, OPSETS)]
    done = subprocess.run(script, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("chain", complex_chains.CHAINS)
def test_a_chain_is_right(chain: str, opset: int, seen: dict[str, Any]) -> None:
    assert seen["faults"][f"{chain} at {opset}"] == ""


@pytest.mark.parametrize("chain", complex_chains.ENDED)
def test_a_chain_that_ends_says_where(chain: str, seen: dict[str, Any]) -> None:
    said = seen["refusals"][chain]

    assert said.startswith("SymbolicValueError: ")
    assert complex_chains.ENDED[chain][2] in said


def test_every_operator_of_the_family_is_in_a_chain() -> None:
    family = [name for name in complex_chains.OPERATORS if name.startswith("fft_")]

    assert len(family) == 18
