"""What the tests of the reading stage share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from symgen.introspect.cache import FOLDER_VARIABLE
from symgen.introspect.catalogue import Catalogue, load_catalogue
from symgen.introspect.onnx_schemas import OnnxSchemas, load_onnx_schemas
from symgen.introspect.torch_install import TorchInstall, find_torch


@pytest.fixture(scope="session", autouse=True)
def _own_caches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keeps the tests away from the user's caches."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER_VARIABLE, str(tmp_path_factory.mktemp("caches")))
        yield


@pytest.fixture(scope="session")
def install() -> TorchInstall:
    return find_torch()


@pytest.fixture(scope="session")
def catalogue(_own_caches: None) -> Catalogue:
    return load_catalogue()


@pytest.fixture(scope="session")
def schemas(_own_caches: None) -> OnnxSchemas:
    return load_onnx_schemas()


@pytest.fixture
def stub_file(tmp_path: Path) -> Path:
    return tmp_path / "ops.pyi"
