from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import click
import pytest

import symgen
from symgen.cli import app, main
from symgen.cli.completion import complete_ops, parse_names
from symgen.errors import MergeError, SymgenError
from symgen.model.location import Location

HEAVY = {"torch", "onnx", "onnxruntime", "libcst", "rich", "jinja2", "yaml", "numpy", "hypothesis"}


def loaded_by(*arguments: str) -> tuple[int, set[str]]:
    """The exit status of a command line in a process of its own, and the heavy packages that it imported."""
    code = f"""
import sys
from symgen.cli import main
status = main({list(arguments)!r})
print("loaded", *(sys.modules.keys() & {HEAVY!r}), file=sys.stderr)
sys.exit(status)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    last = done.stderr.splitlines()[-1]
    assert last.startswith("loaded"), done.stderr
    return done.returncode, set(last.split()[1:])


def raising(error: BaseException) -> Callable[[], None]:
    def callback() -> None:
        raise error

    return callback


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], int]:
    """Runs a command that raises, and returns the exit status."""

    def run(error: BaseException) -> int:
        command = click.Command("boom", callback=raising(error))
        monkeypatch.setattr(app.cli, "get_command", lambda ctx, name: command)
        return main(["boom"])

    return run


@pytest.mark.parametrize("name", app.COMMANDS)
def test_the_table_says_what_the_command_says(name: str) -> None:
    command = app.COMMANDS[name].load()
    assert command.name == name
    assert command.get_short_help_str(limit=200) == app.COMMANDS[name].summary


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out, err = capsys.readouterr()
    assert all(f"\n  {name} " in out for name in app.COMMANDS)
    assert f"{app.INTERRUPTED} Ctrl-C." in out
    assert not err


def test_without_a_command_the_help_is_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert capsys.readouterr().err.startswith("Usage: symgen [OPTIONS] COMMAND [ARGS]...\n")


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"symgen {symgen.__version__}\n"


def test_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "symgen", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"symgen {symgen.__version__}\n"


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["new", "--help"], ["new"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    status, loaded = loaded_by(*arguments)
    assert status == (2 if arguments == ["new"] else 0)
    assert not loaded


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nope"], "error: No such command 'nope'"),
        (["new"], "error: name an operator, or say --all (see 'symgen new --help')"),
        (["new", "--all", "--remove"], "error: --remove takes the operators to remove"),
        (
            ["new", "elu", "--opset", "8"],
            "error: opset 8 is out of range (the exporter's",
        ),
        (["new", "elu", "--opset", "x"], "error: Invalid value for '--opset'"),
        (["new", "elu", "--frob"], "error: No such option '--frob'"),
        (
            ["new", "elu", "--target", "tflite"],
            "error: Invalid value for '--target': 'tflite' is",
        ),
        (
            ["new", "elu", "--target", "torchlib", "--opset", "17"],
            "error: opset 17 is out of range (the exporter's functions serve 18",
        ),
        (["new", "elu", "--color", "red"], "error: Invalid value for '--color'"),
    ],
)
def test_usage_errors(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert not out
    assert err.startswith(message)
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (SymgenError("no", location=Location("a.py", 3), hint="do this"), 2, "error: a.py:3: no (do this)\n"),
        (MergeError("is not Python", location=Location("b.py", 1, 2)), 1, "error: b.py:1:2: is not Python\n"),
        (KeyboardInterrupt(), 130, "\ninterrupted: files are as they were, or complete\n"),
        (
            KeyboardInterrupt("interrupted after 3 operators"),
            130,
            "\ninterrupted after 3 operators: files are as they were, or complete\n",
        ),
    ],
)
def test_what_a_person_must_mend_is_one_line(
    error: BaseException,
    status: int,
    line: str,
    failing: Callable[[BaseException], int],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert failing(error) == status
    assert capsys.readouterr() == ("", line)


def test_a_bug_shows_its_traceback(failing: Callable[[BaseException], int]) -> None:
    with pytest.raises(ZeroDivisionError):
        failing(ZeroDivisionError())


def test_completion_offers_names_as_they_are_typed() -> None:
    context = click.Context(click.Command("new"))
    parameter = click.Argument(["ops"])
    assert "hypot" in complete_ops(context, parameter, "hyp")
    assert complete_ops(context, parameter, "aten::hypo") == ["aten::hypot"]
    assert complete_ops(context, parameter, "no such thing") == []


def test_completion_leaves_out_in_place_and_private_names() -> None:
    text = "- func: b.out(T x) -> T\n- func: a(T x) -> T\n- func: a_(T(a!) x) -> T\n- func: _c(T x) -> T\n"
    assert parse_names(text) == ["a", "b"]


def test_match_imports_no_torch() -> None:
    status, loaded = loaded_by("match", "aten::hypot", "aten::elu")
    assert status == 0
    assert not loaded & {"torch", "hypothesis"}
