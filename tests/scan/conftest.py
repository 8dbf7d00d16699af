"""The child processes in which the tests scan models."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from scans import Scans
from symgen.config import Config
from symgen.sources import load_sources
from symgen.verify.pool import start_pool


@pytest.fixture(scope="session")
def scans(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scans]:
    """The processes start in the folder of the models, as those of the command do."""
    folder = tmp_path_factory.mktemp("models")
    before = Path.cwd()
    os.chdir(folder)
    try:
        pool = start_pool(1)
    finally:
        os.chdir(before)
    with pool:
        yield Scans(folder, pool, load_sources(Config()))
