"""Operators that torch has only from a later opset than 9: how many symgen has right at those of older runtimes."""

from __future__ import annotations

import pytest

from symgen.config import Config
from symgen.model.names import parse_op_name
from symgen.model.result import Status
from symgen.pipeline.survey import Judgement, survey
from symgen.sources import Sources, load_sources

pytestmark = pytest.mark.benchmark

DTYPES = {"float32", "int64", "bool"}
FLOORS = {11: 24, 13: 28, 20: 30}
"""How many of the operators have to be right at an opset; torch alone has 12, 17 and 21 of those with samples."""


@pytest.fixture(scope="module")
def sources() -> Sources:
    return load_sources(Config())


@pytest.mark.parametrize("opset", FLOORS)
def test_lower_opsets_are_served(opset: int, sources: Sources) -> None:
    registered = sources.catalogue.registered
    later = [op for op in registered.functions if op.startswith("aten::") and registered.opsets(op)[0] > 9]
    ops = [op for op in later if sources.catalogue.is_native(parse_op_name(op))]
    right = []
    for op in ops:
        (judgement,) = survey([op], sources, Config(opset=opset))
        if is_right_at(judgement, opset, registered.opsets(op)[0]):
            right.append(op)
    print(opset, len(right), "of", len(ops), "not:", *(op for op in ops if op not in right))
    assert len(right) >= FLOORS[opset]


def is_right_at(judgement: Judgement, opset: int, first_of_torch: int) -> bool:
    """Whether every sample of the dtypes that runtimes have kernels for is right from this opset on."""
    if judgement.status is Status.UNCHANGED:
        return first_of_torch <= opset
    evidence = judgement.evidence
    wrong = [
        one for one in (*evidence.failures, *evidence.refused) if set((one.dtype or "float32").split("/")) <= DTYPES
    ]
    is_served = judgement.status in {Status.VERIFIED, Status.PARTIAL}
    return is_served and not wrong and bool(evidence.opsets) and min(evidence.opsets) <= opset
