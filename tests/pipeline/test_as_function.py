"""`--as-function`: operators that are one node of a model, which calls a local function."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import local_functions
from stories import Story

OPSETS = (11, 17, 20)
DOMAIN = "symbolics"


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the script says beside a package that holds the operators."""
    story = Story(tmp_path_factory.mktemp("functions"))
    story.symgen("new", *local_functions.OPERATORS, "--as-function", "--no-verify", "--force", "-q")
    script = [sys.executable, str(Path(local_functions.__file__).resolve()), *map(str, OPSETS)]
    done = subprocess.run(script, cwd=story.folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert "UserWarning" not in done.stderr
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("model", local_functions.MODELS)
def test_the_numbers_are_right(model: str, opset: int, seen: dict[str, Any]) -> None:
    assert seen[f"{model} at {opset}"]["fault"] == ""


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("model", local_functions.MODELS)
def test_every_function_is_called_and_every_call_has_one(model: str, opset: int, seen: dict[str, Any]) -> None:
    found = seen[f"{model} at {opset}"]
    assert found["calls"]
    assert {domain for domain, _ in found["calls"]} == {DOMAIN}
    assert {name for _, name in found["calls"]} == set(found["functions"])


@pytest.mark.parametrize(
    ("model", "called"),
    [
        ("the same twice", ["hypot", "hypot"]),
        ("attributes that differ", ["elu", "elu_2"]),
        ("another dtype", ["hypot", "hypot_2"]),
        ("one after the other", ["logsumexp", "hypot", "elu"]),
    ],
)
def test_calls_share_a_function_where_it_is_the_same(model: str, called: list[str], seen: dict[str, Any]) -> None:
    assert [name for _, name in seen[f"{model} at 17"]["calls"]] == called


@pytest.mark.parametrize(
    ("model", "attributes"),
    [
        ("an attribute", {"alpha": 0.5, "scale": 1, "input_scale": 1}),
        ("a number among tensors", {"other": 2.0}),
        ("the same twice", {}),
        ("reductions", {"dim": [0, 1], "keepdim": 1}),
    ],
)
def test_a_node_tells_what_its_function_was_made_for(
    model: str, attributes: dict[str, Any], seen: dict[str, Any]
) -> None:
    assert seen[f"{model} at 17"]["attributes"][0] == attributes


def test_inputs_and_results_have_names_to_read(seen: dict[str, Any]) -> None:
    def ends(model: str, function: str) -> list[list[str]]:
        found: list[list[str]] = seen[f"{model} at 17"]["functions"][function][:2]
        return found

    assert ends("the same twice", "hypot") == [["input", "other"], ["result"]]
    assert ends("several results", "frexp") == [["input"], ["result_0", "result_1"]]
    assert ends("a list", "_to_cpu") == [["tensors_0", "tensors_1"], ["result_0", "result_1"]]


def test_from_the_proof_to_the_removal(tmp_path: Path) -> None:
    story = Story(tmp_path)
    shown = story.symgen("new", "aten::sinh", "--as-function", "--dry-run", "--no-verify")
    assert '+@_as_function("symbolics::sinh")' in shown
    assert not (tmp_path / "symbolics").exists()
    assert "aten::sinh: verified" in story.symgen("new", "aten::sinh", "--as-function")
    file = "symbolics/symbolic_opset9.py"
    written = story.read(file)
    assert '@_as_function("symbolics::sinh")' in written
    assert "aten::sinh: unchanged" in story.symgen("new", "aten::sinh", "--as-function")
    story.symgen("check", "symbolics")
    assert "aten::sinh: verified" in story.symgen("verify", "aten::sinh")
    (tmp_path / file).write_text(written.replace('g.op("Sinh", input)', 'g.op("Sinh", g.op("Identity", input))'))
    edited = story.read(file)
    assert edited != written
    story.symgen("new", "aten::sinh", "--as-function", status=1)
    assert story.read(file) == edited
    story.symgen("new", "aten::sinh", "--no-verify", "--force")
    assert "_as_function" not in story.read(file)
    story.symgen("new", "--remove", "aten::sinh")
    assert not (tmp_path / file).exists() or "sinh" not in story.read(file)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--target", "torchlib"], "for the TorchScript exporter"),
        (["--package", "aten"], "the domain aten is not free"),
        (["--package", "my package"], "--package must be a folder that can be imported"),
        (["--package", "größe"], "is not the name of a domain"),
    ],
)
def test_what_can_have_no_function_is_refused_before_anything_is_written(
    tmp_path: Path, options: list[str], said: str
) -> None:
    assert said in Story(tmp_path).symgen("new", "aten::sinh", "--as-function", *options, status=2)
    assert not list(tmp_path.iterdir())


def test_a_project_may_want_functions_always(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.symgen]\nas-function = true\n")
    story = Story(tmp_path)
    assert "_as_function" in story.symgen("new", "aten::sinh", "--dry-run", "--no-verify")
    assert "_as_function" not in story.symgen("new", "aten::sinh", "--no-as-function", "--dry-run", "--no-verify")
