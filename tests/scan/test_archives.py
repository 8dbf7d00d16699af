"""What a file is, told without loading it."""

from __future__ import annotations

import io
import pickle
import zipfile
from pathlib import Path
from typing import Any

import pytest
import torch

from symgen.errors import ParseError
from symgen.introspect.archives import FileKind, pickled_names, read_model_file


class Bomb:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


class Scaled(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


def test_torchscript(tmp_path: Path) -> None:
    torch.jit.save(torch.jit.script(Scaled()), tmp_path / "m.pt")
    assert read_model_file(tmp_path / "m.pt").kind is FileKind.TORCHSCRIPT


def test_an_exported_program(tmp_path: Path) -> None:
    program = torch.export.export(torch.nn.Linear(3, 2), (torch.ones(1, 3),))
    torch.export.save(program, tmp_path / "m.pt2")
    file = read_model_file(tmp_path / "m.pt2")
    assert (file.kind, file.code) == (FileKind.PROGRAM, ())


@pytest.mark.parametrize("is_archive", [True, False])
@pytest.mark.parametrize(
    "value",
    [
        torch.nn.Linear(3, 2).state_dict(),
        torch.ones(2, dtype=torch.bfloat16),
        (torch.ones(2), {"y": torch.arange(3), "mode": "a"}),
        [torch.nn.Parameter(torch.ones(2)), torch.float16, torch.Size([2]), torch.device("cpu")],
    ],
    ids=["state_dict", "tensor", "inputs", "odds"],
)
def test_tensors_alone_are_harmless(tmp_path: Path, value: Any, is_archive: bool) -> None:
    torch.save(value, tmp_path / "w.pt", _use_new_zipfile_serialization=is_archive)
    file = read_model_file(tmp_path / "w.pt")
    assert (file.kind, file.code) == (FileKind.PICKLE, ())
    assert torch.load(tmp_path / "w.pt", weights_only=True) is not None, "torch itself must take what we call harmless"


@pytest.mark.parametrize("is_archive", [True, False])
def test_code_in_a_pickle_is_named_and_never_run(tmp_path: Path, is_archive: bool) -> None:
    content = {"w": torch.ones(2), "x": Bomb(tmp_path / "ran")}
    torch.save(content, tmp_path / "m.pt", _use_new_zipfile_serialization=is_archive)
    assert [name.rpartition(".")[2] for name in read_model_file(tmp_path / "m.pt").code if "Posix" not in name]
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_names_of_every_protocol(protocol: int) -> None:
    (name,) = pickled_names(pickle.dumps(print, protocol=protocol))
    assert name.endswith(".print")


def test_a_loader_of_further_pickles_is_not_harmless() -> None:
    load = torch.storage._load_from_bytes
    assert list(pickled_names(pickle.dumps(load, protocol=2))) == ["torch.storage._load_from_bytes"]


def test_a_pickle_hidden_in_an_exported_program(tmp_path: Path) -> None:
    program = torch.export.export(torch.nn.Linear(3, 2), (torch.ones(1, 3),))
    torch.export.save(program, tmp_path / "m.pt2")
    inner = io.BytesIO()
    torch.save(Bomb(tmp_path / "ran"), inner)
    with zipfile.ZipFile(tmp_path / "m.pt2", "a") as archive:
        archive.writestr("m/data/constants/odd", inner.getvalue())
        archive.writestr("m/data/constants/plain", pickle.dumps(Bomb(tmp_path / "ran"), protocol=2))
    assert read_model_file(tmp_path / "m.pt2").code
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.95])
def test_a_file_that_is_cut_off(tmp_path: Path, share: float) -> None:
    torch.jit.save(torch.jit.script(Scaled()), tmp_path / "m.pt")
    content = (tmp_path / "m.pt").read_bytes()
    (tmp_path / "m.pt").write_bytes(content[: int(len(content) * share)])
    with pytest.raises(ParseError, match=r"m\.pt"):
        read_model_file(tmp_path / "m.pt")


@pytest.mark.parametrize("content", [b"hello", b"\x80\x02garbage", b"PK\x03\x04not an archive"])
def test_what_is_neither(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "m.pt").write_bytes(content)
    with pytest.raises(ParseError):
        read_model_file(tmp_path / "m.pt")


def test_an_archive_of_something_else(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "m.pt", "w") as archive:
        archive.writestr("a/b.txt", "text")
    with pytest.raises(ParseError, match="without a model"):
        read_model_file(tmp_path / "m.pt")
