"""Options and fixtures that all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

from golden import Golden

REPOSITORY = Path(__file__).parent.parent
GOLDEN = REPOSITORY / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("symgen")
    group.addoption("--create-golden", action="store_true", help="write golden files that are missing")
    group.addoption("--update-golden", action="store_true", help="rewrite golden files that differ")
    group.addoption(
        "--mutation",
        choices=["none", "sample", "all"],
        default="sample",
        help="how many mutants of generated functions to try",
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """The golden folders, under the options of this run."""
    config = request.config
    return Golden(GOLDEN, create=config.getoption("--create-golden"), update=config.getoption("--update-golden"))


@pytest.fixture(scope="session")
def repository() -> Path:
    """The checkout that the tests stand in."""
    return REPOSITORY
