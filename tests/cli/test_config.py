from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from symgen.config import Color, Config, Target, load_config, parse_table
from symgen.errors import ParseError, SymgenError, UsageError


def write(folder: Path, text: str) -> Path:
    path = folder / "pyproject.toml"
    path.write_text(text, "utf-8")
    return path


def test_defaults_where_there_is_no_file(tmp_path: Path) -> None:
    assert load_config(tmp_path, {}) == Config()


def test_every_field_is_a_key() -> None:
    text = """
    [tool.symgen]
    opset = 11
    target = "torchscript"
    package = "a/b"
    tests = "t"
    templates = "mine"
    decompositions = "ours"
    select = ["SG0"]
    ignore = ["SG008"]
    dry-run = true
    no-verify = true
    force = true
    as-function = true
    json = true
    verbose = 2
    quiet = true
    color = "never"
    """
    read = parse_table(text, "pyproject.toml")
    assert set(read) == {field.name for field in fields(Config)}
    assert read["target"] is Target.TORCHSCRIPT
    assert read["color"] is Color.NEVER


def test_the_nearest_file_counts_and_paths_are_relative_to_it(tmp_path: Path) -> None:
    write(tmp_path, "[tool.symgen]\nopset = 13\n")
    project = tmp_path / "project"
    inner = project / "src" / "deep"
    inner.mkdir(parents=True)
    write(project, '[tool.symgen]\npackage = "ours/symbolics"\n')
    assert load_config(project, {}) == Config(package=Path("ours/symbolics"))
    config = load_config(inner, {})
    assert config.package == project / "ours/symbolics"
    assert config.tests == project / "tests"
    assert config.opset is None


def test_a_nearest_file_without_the_table_changes_nothing(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    write(tmp_path, "[project]\nname = 'x'\n")
    assert load_config(inner, {}) == Config()


def test_the_command_line_wins(tmp_path: Path) -> None:
    write(tmp_path, '[tool.symgen]\nopset = 13\nforce = true\npackage = "a"\ncolor = "always"\n')
    given = {"opset": 10, "force": False, "package": Path("b"), "color": "never", "quiet": None}
    assert load_config(tmp_path, given) == Config(opset=10, package=Path("b"), color=Color.NEVER)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("\n[tool.symgen]\nopset = 9\nopsett = 9\n", 4, "unknown key 'opsett' in [tool.symgen] (did you mean opset?)"),
        ("[tool.symgen]\ndry_runs = true\n", 2, "unknown key 'dry_runs' in [tool.symgen] (did you mean dry-run?)"),
        ("[tool.symgen]\nzzz = 1\n", 2, "unknown key 'zzz' in [tool.symgen] (the keys are as-function, color, "),
        ("[tool.symgen]\nopset = '11'\n", 2, "opset must be a whole number, not '11'"),
        ("[tool.symgen]\nopset = true\n", 2, "opset must be a whole number, not True"),
        ("[tool]\nsymgen.force = 1\n", 2, "force must be true or false, not 1"),
        ("[tool]\nsymgen = {opset = 11, tests = 3}\n", 2, "tests must be a path, not 3"),
        (
            "[tool.other]\ncolor = 1\n[tool.symgen]\n\ncolor = 'red'\n",
            5,
            "color must be one of auto, always, never, not 'red'",
        ),
        ("[tool.symgen]\nselect = 'SG001'\n", 2, "select must be a list of strings, not 'SG001'"),
        ("[tool.symgen]\ntarget = ['torchlib']\n", 2, "target must be one of torchscript, torchlib, not ['torchlib']"),
        ("[tool.symgen]\npackage = 'class'\n", 2, "package must be a folder that can be imported (its name an "),
        ("[tool.symgen]\n\npackage = '../../x y'\n", 3, "package must be a folder that can be imported"),
        ("[tool.symgen]\npackage = ''\n", 2, "package must be a path, not ''"),
        (
            "[tool.symgen]\npackage = 'a/onnx'\n",
            2,
            "package must be a folder of another name: its tests",
        ),
        ("tool.symgen = 3\n", 1, "tool.symgen is not a table"),
    ],
)
def test_what_cannot_be_meant_is_named_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_table(text, "dir/pyproject.toml")
    assert str(caught.value).startswith(f"dir/pyproject.toml:{line}: {message}")
    assert caught.value.exit_status == 2


@pytest.mark.parametrize("name", ["class", "../../x y", "ours/my-symbolics", ".", "3d"])
def test_a_package_on_the_command_line_can_be_imported(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        load_config(tmp_path, {"package": Path(name)})
    assert str(caught.value).startswith("--package must be a folder that can be imported (")
    assert str(caught.value).endswith(f"not {name!r}")


@pytest.mark.parametrize("key", ["templates", "decompositions"])
def test_a_folder_to_read_has_to_be_there(key: str, tmp_path: Path) -> None:
    (tmp_path / "symgen-ours").mkdir()
    (tmp_path / "file").write_text("", "utf-8")
    path = write(tmp_path, f'[tool.symgen]\nopset = 9\n{key} = "symgen-our"\n')
    with pytest.raises(UsageError) as caught:
        load_config(tmp_path, {})
    where = tmp_path / "symgen-our"
    assert str(caught.value) == f"{path}:3: {key} names '{where}', which is no folder (did you mean symgen-ours?)"
    write(tmp_path, f'[tool.symgen]\n{key} = "file"\n')
    with pytest.raises(UsageError, match=r"which is no folder \(make it, or take the key out\)"):
        load_config(tmp_path, {})
    write(tmp_path, f'[tool.symgen]\n{key} = "symgen-ours"\n')
    assert getattr(load_config(tmp_path, {}), key) == Path("symgen-ours")


def test_an_opset_out_of_range_in_the_file_or_on_the_command_line(tmp_path: Path) -> None:
    for opset in (8, 21, -1):
        with pytest.raises(UsageError, match=rf"opset {opset} is out of range \(.* serve 9 to 20\)"):
            load_config(tmp_path, {"opset": opset})
    write(tmp_path, "[tool.symgen]\nopset = 30\n")
    with pytest.raises(UsageError, match="opset 30"):
        load_config(tmp_path, {})


@pytest.mark.parametrize(("content", "where"), [(b"[tool\n", ":1:6: is not TOML"), (b"\xff\xfe", ": cannot be read")])
def test_a_file_that_is_not_toml(tmp_path: Path, content: bytes, where: str) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_bytes(content)
    with pytest.raises(ParseError) as caught:
        load_config(tmp_path, {})
    assert str(caught.value).startswith(f"{path}{where}")
    assert isinstance(caught.value, SymgenError)
