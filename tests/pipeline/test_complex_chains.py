"""Complex tensors through several operators, in models whose functions `symgen new` wrote."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import complex_chains
from beside_package import make_package, printed_by

OPSETS = (11, 17, 20)
OF_DYNAMO = ("_fft_c2c", "_fft_c2r", "_fft_r2c", "_conj_physical")
"""What only the dynamo exporter asks for."""


def said_beside(folder: Path, operators: Sequence[str], target: str, opsets: Sequence[int]) -> dict[str, Any]:
    """What the script says beside a package that holds the operators."""
    make_package(folder, operators, target)
    result: dict[str, Any] = printed_by(complex_chains, folder, target, *opsets)
    return result


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What becomes of the chains in the TorchScript exporter."""
    return said_beside(tmp_path_factory.mktemp("chains"), complex_chains.OPERATORS, "torchscript", OPSETS)


@pytest.fixture(scope="module")
def seen_in_dynamo(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What becomes of chains in the dynamo exporter."""
    pytest.importorskip("onnxscript")
    return said_beside(tmp_path_factory.mktemp("dynamo"), [*complex_chains.OPERATORS, *OF_DYNAMO], "torchlib", (18,))


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("chain", complex_chains.CHAINS)
def test_a_chain_is_right(chain: str, opset: int, seen: dict[str, Any]) -> None:
    assert seen["faults"][f"{chain} at {opset}"] == ""


@pytest.mark.parametrize("chain", complex_chains.OF_DYNAMO)
def test_a_chain_is_right_in_the_dynamo_exporter(chain: str, seen_in_dynamo: dict[str, Any]) -> None:
    assert seen_in_dynamo["faults"][f"{chain} at 18"] == ""


@pytest.mark.parametrize("chain", complex_chains.ENDED)
def test_a_chain_that_ends_says_where(chain: str, seen: dict[str, Any]) -> None:
    said = seen["refusals"][chain]

    assert said.startswith("SymbolicValueError: ")
    assert complex_chains.ENDED[chain][2] in said


def test_every_operator_of_the_family_is_in_a_chain() -> None:
    family = [name for name in complex_chains.OPERATORS if name.startswith("fft_")]

    assert len(family) == 18
