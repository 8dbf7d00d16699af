"""Miniature checkouts: made once, copied for each test that changes one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from checkouts import MiniCheckout, copy_checkout, make_checkout, make_torchlib
from symgen.config import Config
from symgen.sources import Sources, load_sources

Copy = Callable[[], MiniCheckout]


@pytest.fixture(scope="session")
def sources() -> Sources:
    return load_sources(Config())


@pytest.fixture(scope="session")
def newer(tmp_path_factory: pytest.TempPathFactory) -> MiniCheckout:
    """The layout since 2.9; not to be changed."""
    return make_checkout(tmp_path_factory.mktemp("newer") / "pytorch")


@pytest.fixture(scope="session")
def older(tmp_path_factory: pytest.TempPathFactory) -> MiniCheckout:
    """The layout before 2.9; not to be changed."""
    return make_checkout(tmp_path_factory.mktemp("older") / "pytorch", older=True)


@pytest.fixture
def checkout(newer: MiniCheckout, tmp_path: Path) -> MiniCheckout:
    """A checkout to change."""
    return copy_checkout(newer, tmp_path / "pytorch")


@pytest.fixture
def torchlib(tmp_path: Path) -> MiniCheckout:
    """A checkout of onnxscript to change."""
    return make_torchlib(tmp_path / "onnxscript")
