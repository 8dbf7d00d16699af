"""`symgen new` from end to end, in a process of its own and an empty folder."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Symgen = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def symgen(tmp_path: Path) -> Symgen:
    """Runs a command line in the test's folder."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "symgen", *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return run


def files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, caches apart."""
    paths = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def outcomes(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    """The operators of the printed JSON."""
    found = json.loads(done.stdout)["ops"]
    assert isinstance(found, list)
    return found


def test_a_verified_operator_and_the_same_again(symgen: Symgen, tmp_path: Path) -> None:
    done = symgen("new", "aten::sinh", "--json")
    assert done.returncode == 0, done.stderr
    (sinh,) = outcomes(done)
    assert (sinh["status"], sinh["strategy"], sinh["opset"]) == ("verified", "same-name", 9)
    assert sinh["files"] == ["symbolics/symbolic_opset9.py"]
    assert sinh["test_files"] == ["tests/test_symbolic_opset9.py"]
    assert {"float32", "float64", "int64", "bool"} <= set(sinh["evidence"]["dtypes"])
    assert {9, 20} <= set(sinh["evidence"]["opsets"])
    assert sinh["evidence"]["max_rel_err"] < 1e-5
    written = files(tmp_path)
    again = symgen("new", "aten::sinh", "--json")
    assert again.returncode == 0
    assert outcomes(again)[0]["status"] == "unchanged"
    assert files(tmp_path) == written


def test_a_dry_run_is_a_diff_and_writes_nothing(symgen: Symgen, tmp_path: Path) -> None:
    done = symgen("new", "sinh", "--dry-run", "--no-verify")
    assert done.returncode == 0
    assert "+++ b/symbolics/symbolic_opset9.py" in done.stdout
    assert '+@_onnx_symbolic("aten::sinh")' in done.stdout
    assert not files(tmp_path)


def test_what_was_not_verified_is_written_and_says_so(symgen: Symgen, tmp_path: Path) -> None:
    done = symgen("new", "sinh", "--opset", "13", "--no-verify", "--package", "lib/ours", "--json")
    assert done.returncode == 0
    (sinh,) = outcomes(done)
    assert sinh["status"] == "written"
    assert sinh["evidence"]["samples"] == 0
    assert "lib/ours/symbolic_opset13.py" in files(tmp_path)


def test_a_stub_says_why_and_ends_with_1(symgen: Symgen, tmp_path: Path) -> None:
    done = symgen("new", "aten::to_sparse", "--json")
    assert done.returncode == 1
    (stub,) = outcomes(done)
    assert stub["status"] == "stub"
    assert stub["reason"].startswith("ONNX models have no sparse layout")
    assert b"SymbolicValueError" in files(tmp_path)["symbolics/symbolic_opset9.py"]


def test_all_names_that_are_wrong_are_told_at_once(symgen: Symgen) -> None:
    done = symgen("new", "aten::hypott", "aten::sinh", "aten::el u", "aten::coshh")
    assert done.returncode == 2
    assert re.fullmatch(
        r"error: no operator aten::hypott is declared \(did you mean aten::hypot.*\?\); "
        r"'aten::el u' is not the name of an operator \(.*\); "
        r"no operator aten::coshh is declared \(did you mean aten::cosh.*\?\)\n",
        done.stderr,
    )


def test_an_unknown_operator_stops_all_before_anything_is_written(symgen: Symgen, tmp_path: Path) -> None:
    done = symgen("new", "aten::sinh", "aten::hypott")
    assert done.returncode == 2
    assert done.stderr.startswith("error: no operator aten::hypott is declared (did you mean aten::hypot")
    assert done.stderr.count("\n") == 1
    assert not done.stdout
    assert not files(tmp_path)


def test_what_tracing_renames_is_followed(symgen: Symgen, tmp_path: Path) -> None:
    done = symgen("new", "aten::absolute", "--json")
    assert done.returncode == 0
    (absolute,) = outcomes(done)
    assert (absolute["asked"], absolute["op"], absolute["status"]) == ("aten::absolute", "aten::abs", "unchanged")
    assert not files(tmp_path)


def test_a_target_that_is_not_python_is_named_and_left_alone(symgen: Symgen, tmp_path: Path) -> None:
    target = tmp_path / "symbolics" / "symbolic_opset9.py"
    target.parent.mkdir()
    target.write_text("import torch\ndef broken(:\n")
    before = files(tmp_path)
    done = symgen("new", "sinh", "--no-verify")
    assert done.returncode == 1
    assert "symbolics/symbolic_opset9.py:2" in done.stdout + done.stderr
    assert files(tmp_path) == before


def test_a_users_function_is_the_users(symgen: Symgen, tmp_path: Path) -> None:
    target = tmp_path / "symbolics" / "symbolic_opset9.py"
    target.parent.mkdir()
    target.write_text("def sinh(g, x):\n    return g.op('Sinh', x)\n")
    before = files(tmp_path)
    done = symgen("new", "sinh", "--no-verify")
    assert done.returncode == 1
    assert "symbolics/symbolic_opset9.py:1" in done.stdout + done.stderr
    assert files(tmp_path) == before


def test_edits_are_a_conflict_until_forced(symgen: Symgen, tmp_path: Path) -> None:
    assert symgen("new", "sinh", "--no-verify").returncode == 0
    target = tmp_path / "symbolics" / "symbolic_opset9.py"
    generated = target.read_text()
    target.write_text(generated.replace('return g.op("Sinh", input)', 'print("mine")\n    return g.op("Sinh", input)'))
    edited = files(tmp_path)
    assert symgen("new", "sinh", "--no-verify").returncode == 1
    assert files(tmp_path) == edited
    assert symgen("new", "sinh", "--no-verify", "--force").returncode == 0
    assert target.read_text() == generated


def test_removing_takes_out_what_new_wrote(symgen: Symgen, tmp_path: Path) -> None:
    symgen("new", "sinh", "--no-verify")
    before = files(tmp_path)
    symgen("new", "cosh", "--no-verify")
    done = symgen("new", "--remove", "cosh")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "aten::cosh: removed",
        "  changed symbolics/symbolic_opset9.py",
    ]
    assert files(tmp_path) == before
    done = symgen("new", "--remove", "sinh", "--json", "--dry-run")
    (outcome,) = outcomes(done)
    assert (outcome["status"], outcome["reason"]) == ("written", "removed")
    done = symgen("new", "--remove", "sinh")
    assert done.stdout.splitlines() == [
        "aten::sinh: removed",
        "  changed symbolics/__init__.py",
        "  deleted symbolics/symbolic_opset9.py",
    ]
    assert not list(tmp_path.rglob("*opset9*"))


def test_what_functions_share_goes_with_the_last_that_calls_it(symgen: Symgen, tmp_path: Path) -> None:
    torchlib = ("--no-verify", "--target", "torchlib")
    tracing = tmp_path / "torchlib_ops" / "tracing.py"
    symgen("new", "elu", *torchlib)
    before = files(tmp_path)
    symgen("new", "hypot", *torchlib)
    assert "def _scalar(" in tracing.read_text("utf-8"), "hypot calls it"

    done = symgen("new", "--remove", "hypot", "--target", "torchlib")

    assert done.stdout.splitlines() == [
        "aten::hypot: removed",
        "  changed torchlib_ops/tracing.py, torchlib_ops/__init__.py",
        "  deleted torchlib_ops/aten_pointwise.py",
    ]
    assert files(tmp_path) == before
    edited = tracing.read_text("utf-8").replace('"""A constant of that dtype."""', '"""A constant."""')
    tracing.write_text(f"{edited}\n\ndef mine(value):\n    return _dtype(value)\n", "utf-8")
    symgen("new", "--remove", "elu", "--target", "torchlib")
    text = tracing.read_text("utf-8")
    assert re.findall(r"def (\w+)\(", text) == ["_torch_dtype", "_dtype", "_constant", "mine"], (
        "kept, and what they call"
    )


def test_a_proof_is_not_of_helpers_that_a_person_edited(symgen: Symgen, tmp_path: Path) -> None:
    torchlib = ("--no-verify", "--target", "torchlib")
    tracing = tmp_path / "torchlib_ops" / "tracing.py"
    symgen("new", "elu", *torchlib)
    tracing.write_text(tracing.read_text("utf-8").replace("A constant of that dtype", "A constant"), "utf-8")
    before = files(tmp_path)

    (stopped,) = outcomes(symgen("new", "logit", *torchlib, "--json"))
    assert stopped["status"] == "failed"
    assert "_promoted: needs _constant: edited since symgen wrote it; --merge keeps the edits" in stopped["reason"]
    assert files(tmp_path) == before
    assert "SG009 _constant was generated" in symgen("check", "torchlib_ops").stdout

    (kept,) = outcomes(symgen("new", "logit", *torchlib, "--json", "--merge"))
    assert (kept["status"], kept["evidence"]["samples"]) == ("written", 0)
    edits, _, fault = kept["reason"].partition("; ")
    assert edits == "your edits of _constant are kept, and not proven (symgen verify does that)"
    assert fault.startswith("the exporter's own translation is not right: wrong value at opset 18 for ")
    assert fault.endswith(", as was seen when symgen was made")
    (again,) = outcomes(symgen("new", "logit", *torchlib, "--json", "--merge"))
    assert (again["status"], again["reason"]) == ("unchanged", f"it is there already; {kept['reason']}")


def test_what_the_package_imports_of_a_lost_file_comes_back(symgen: Symgen, tmp_path: Path) -> None:
    torchlib = ("--no-verify", "--target", "torchlib")
    symgen("new", "elu", "hypot", "sgn", *torchlib)
    before = files(tmp_path)
    tracing = tmp_path / "torchlib_ops" / "tracing.py"
    tracing.unlink()
    symgen("new", "elu", *torchlib)
    assert sorted(tracing.read_bytes().splitlines()) == sorted(before["torchlib_ops/tracing.py"].splitlines())


def test_what_a_module_of_the_users_imports_is_not_removed(symgen: Symgen, tmp_path: Path) -> None:
    symgen("new", "elu", "cummax", "--no-verify", "--target", "torchlib")
    symgen("new", "logit", "--no-verify", "--force")
    own = tmp_path / "torchlib_ops" / "mine.py"
    own.write_text("from . import tracing\nfrom .tracing import _rank\n\ntracing._size\n", "utf-8")
    (tmp_path / "symbolics" / "mine.py").write_text("from .symbolic_opset9 import _scalar\n", "utf-8")
    symgen("new", "--remove", "elu", "cummax", "--target", "torchlib")
    symgen("new", "--remove", "logit")
    code = "import torchlib_ops.mine, symbolics.mine"
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False).returncode == 0


def test_a_folder_that_cannot_be_written(symgen: Symgen) -> None:
    done = symgen("new", "sinh", "--no-verify", "--package", "/proc/symbolics")
    assert done.returncode == 1
    assert done.stderr.startswith("error: /proc/symbolics")


def test_settings_of_the_project(symgen: Symgen, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.symgen]\npackage = "ours"\nopset = 12\nno-verify = true\njson = true\n'
    )
    done = symgen("new", "sinh")
    assert outcomes(done)[0]["files"] == ["ours/symbolic_opset12.py"]
