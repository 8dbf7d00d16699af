from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

from environments import Environment

BLOCKED = ("symgen", "expecttest", "hypothesis", "libcst", "jinja2", "click", "onnxscript")
"""What generated tests must do without: symgen, and all that only symgen needs."""


def test_the_wheel_has_the_code_and_the_templates(wheel: Path, repository: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    templates = {
        path.relative_to(repository / "templates").as_posix()
        for path in (repository / "templates").rglob("*")
        if path.is_file()
    }
    code = {
        path.relative_to(repository).as_posix()
        for path in (repository / "symgen").rglob("*")
        if path.is_file() and path.suffix in {".py", ".tsv"}
    }
    assert templates
    assert {f"symgen/templates/{name}" for name in templates} | code <= names
    assert not any(name.startswith(("tests/", "golden/")) for name in names)


def test_the_wheel_generates_verifies_and_leaves_tests_that_stand_alone(installed: Environment, tmp_path: Path) -> None:
    done = installed.shell(
        "symgen new aten::elu aten::hypot && python -c 'import symgen; print(symgen.__file__)'", tmp_path
    )
    assert done.stdout.count("verified") == 2
    assert str(installed.root) in done.stdout.splitlines()[-1]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    blocked = f"import sys; sys.modules.update(dict.fromkeys({BLOCKED!r}))"
    run = f"import pytest; sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', {str(tmp_path / 'tests')!r}]))"
    tests = subprocess.run(
        [sys.executable, "-c", f"{blocked}\n{run}"],
        cwd=elsewhere,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert tests.returncode == 0, tests.stdout + tests.stderr
    assert " passed" in tests.stdout
