"""The child processes that the tests share, and what it means to be verified."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from symgen.verify import Pool, Verification, VerifyTask, start_pool, verify


@pytest.fixture(scope="session")
def pool() -> Iterator[Pool]:
    with start_pool(workers=2, limit=6.0) as shared:
        yield shared


@pytest.fixture
def verified(pool: Pool) -> Callable[[VerifyTask], Verification]:
    """Verifies in the shared child processes."""
    return lambda task: verify(task, pool=pool)
