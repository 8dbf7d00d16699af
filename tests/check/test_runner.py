"""Which files are checked, and what stands around them."""

from __future__ import annotations

from pathlib import Path

import pytest

from symgen.check import CheckSettings, Finding, check_paths
from symgen.check.index.model import CheckIndex
from symgen.errors import UsageError

HEAD = (
    "from torch.onnx import register_custom_op_symbolic\n\n\ndef f(g, self):\n    return g.op('vendor::F', self)\n\n\n"
)
CLEAN = HEAD + 'register_custom_op_symbolic("aten::deg2rad", f, 9)\n'
TWICE = HEAD + 'register_custom_op_symbolic("aten::rad2deg", f, 9)\n' * 2
UNTESTED = CheckSettings(ignore=("SG010",))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def places(findings: list[Finding]) -> list[tuple[str, str]]:
    return [(finding.code, finding.location.path) for finding in findings]


def test_in_a_folder_only_files_that_register_are_checked(folder: Path, index: CheckIndex) -> None:
    write(folder / "package/functions.py", TWICE)
    write(folder / "package/deeper/more.py", TWICE)
    write(folder / "package/other.py", "import torch.onnx.symbolic_registry\n")
    write(
        folder / "package/says_so.py", '"""About register_custom_op_symbolic."""\nimport torch.onnx.symbolic_registry\n'
    )
    write(folder / "package/broken.py", "register_custom_op_symbolic(\n")
    write(folder / "package/.hidden/hidden.py", TWICE)
    write(folder / "package/venv/lib/installed.py", TWICE)
    write(folder / "package/venv/pyvenv.cfg", "")
    assert places(check_paths(["package"], UNTESTED, index)) == [
        ("SG000", "package/broken.py"),
        ("SG006", "package/deeper/more.py"),
        ("SG006", "package/functions.py"),
    ]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("symbolic_opset9.py", b"def f(:\n"),
        ("symbolic_opset9.py", b"# caf\xe9\n"),
        ("symbolic_opset17.py", b"print 'hello'\n"),
        ("functions.py", b'@symbolic_helper.parse_args("v")\ndef f(g, self:\n    return self\n'),
        ("functions.py", b'@parse_args("v")\ndef f(g, self):\nreturn g.op("Neg", self)\n'),
        ("functions.py", b'def f(g, self):\nreturn g.op("Neg", self)\n'),
    ],
)
def test_a_broken_file_in_a_folder_is_found_as_if_it_was_named(
    folder: Path, index: CheckIndex, name: str, content: bytes
) -> None:
    path = write(folder / "package" / name, "")
    path.write_bytes(content)
    (finding,) = check_paths([f"package/{name}"], UNTESTED, index)
    assert finding.code == "SG000"
    assert check_paths(["package"], UNTESTED, index) == [finding]


def test_broken_files_that_have_nothing_to_do_with_it_are_passed_over(folder: Path, index: CheckIndex) -> None:
    write(folder / "package/script.py", "arguments = parser.parse_args()\nprint 'hello'\n")
    write(folder / "package/conf.py", "{% if x %}\n")
    write(folder / "package/symbolic_opset9.py", "def f(g, self):\n    return g.op('Neg', self)\n")
    assert check_paths(["package"], UNTESTED, index) == []


def test_a_file_that_is_named_is_checked_whatever_is_in_it(folder: Path, index: CheckIndex) -> None:
    write(folder / "script.py", "import torch.onnx.symbolic_registry\n")
    write(folder / "broken.py", "print 'hello'\n")
    findings = check_paths(["script.py", "broken.py", "script.py"], UNTESTED, index)
    assert places(findings) == [("SG000", "broken.py"), ("SG013", "script.py")]


def test_a_folder_with_classes_that_have_a_symbolic_is_looked_through(folder: Path, index: CheckIndex) -> None:
    write(
        folder / "package/rows.py",
        "import torch\n\n\nclass Rows(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
        "        return x + 1, x\n\n    @staticmethod\n    def symbolic(g, x):\n        return g.op('a::Rows', x)\n",
    )
    assert places(check_paths(["package"], UNTESTED, index)) == [("SG014", "package/rows.py")]


def test_without_paths_the_package_is_checked(folder: Path, index: CheckIndex) -> None:
    write(folder / "ours/functions.py", TWICE)
    settings = CheckSettings(package=Path("ours"), ignore=("SG010",))
    assert places(check_paths([], settings, index)) == [("SG006", "ours/functions.py")]


@pytest.mark.parametrize("paths", [["missing.py"], []])
def test_what_isn_t_there_is_an_error(folder: Path, index: CheckIndex, paths: list[str]) -> None:
    with pytest.raises(UsageError, match="no such file or folder"):
        check_paths(paths, UNTESTED, index)


def test_neighbours_register_too(folder: Path, index: CheckIndex) -> None:
    write(folder / "one.py", CLEAN)
    write(folder / "two.py", CLEAN)
    (first, second) = check_paths(["one.py", "two.py"], UNTESTED, index)
    assert (first.code, first.message) == ("SG006", "aten::deg2rad is registered twice at opset 9 (also in two.py:8)")
    assert (second.code, second.location.path) == ("SG006", "two.py")


def test_a_neighbour_s_later_version_takes_over(folder: Path, index: CheckIndex) -> None:
    old = HEAD.replace("'vendor::F', self", "'ReduceSum', self, axes_i=[0]")
    write(folder / "symbolic_opset9.py", old + 'register_custom_op_symbolic("aten::deg2rad", f, 9)\n')
    (alone,) = check_paths(["symbolic_opset9.py"], UNTESTED, index)
    assert alone.message == "ReduceSum has no attribute axes at opsets 13 to 20"
    write(folder / "symbolic_opset13.py", HEAD + 'register_custom_op_symbolic("aten::deg2rad", f, 13)\n')
    assert check_paths(["symbolic_opset9.py", "symbolic_opset13.py"], UNTESTED, index) == []


def test_a_neighbour_that_registers_in_a_loop_counts(folder: Path, index: CheckIndex) -> None:
    loop = 'for op in ("deg2rad", "rad2deg"):\n    register_custom_op_symbolic(f"aten::{op}", f, 9)\n'
    write(folder / "one.py", CLEAN)
    write(folder / "loop.py", HEAD + loop)
    assert places(check_paths(["one.py"], UNTESTED, index)) == [("SG006", "one.py")]


def test_conditional_and_broken_neighbours_say_nothing(folder: Path, index: CheckIndex) -> None:
    write(folder / "one.py", CLEAN)
    write(folder / "maybe.py", HEAD + 'if f:\n    register_custom_op_symbolic("aten::deg2rad", f, 9)\n')
    write(folder / "broken.py", 'register_custom_op_symbolic("aten::deg2rad", f, 9\n')
    assert check_paths(["one.py"], UNTESTED, index) == []


@pytest.mark.parametrize(
    "test", ['OP = "aten::deg2rad"', "def test_deg2rad(): ...", "def test_deg2rad_at_opset_9(): ...", "deg2rad(3)"]
)
def test_a_test_that_names_the_operator_is_its_test(folder: Path, index: CheckIndex, test: str) -> None:
    write(folder / "one.py", CLEAN)
    assert places(check_paths(["one.py"], CheckSettings(), index)) == [("SG010", "one.py")]
    write(folder / "tests/helper.py", test)
    assert places(check_paths(["one.py"], CheckSettings(), index)) == [("SG010", "one.py")]
    write(folder / "tests/deeper/test_one.py", test)
    assert check_paths(["one.py"], CheckSettings(), index) == []


def test_opsets_below_the_wanted_one_are_not_looked_at(folder: Path, index: CheckIndex) -> None:
    new = HEAD.replace("'vendor::F', self", "'Trilu', self")
    write(folder / "one.py", new + 'register_custom_op_symbolic("aten::deg2rad", f, 9)\n')
    (finding,) = check_paths(["one.py"], UNTESTED, index)
    assert finding.message == "Trilu exists from opset 14 on, but is reached at opsets 9 to 13"
    assert check_paths(["one.py"], CheckSettings(ignore=("SG010",), opset=14), index) == []


def test_several_processes_find_the_same(folder: Path, index: CheckIndex) -> None:
    for number in range(30):
        write(folder / f"package/file{number}.py", TWICE if number % 3 else "def f(:  # register_custom_op_symbolic\n")
    alone = check_paths(["package"], UNTESTED, index)
    assert check_paths(["package"], CheckSettings(ignore=("SG010",), jobs=3), index) == alone
    assert len({finding.location.path for finding in alone}) == 30


def test_an_unreadable_file_that_was_named_is_an_error(folder: Path, index: CheckIndex) -> None:
    write(folder / "one.py", CLEAN)
    (folder / "link.py").symlink_to("link.py")
    with pytest.raises(UsageError):
        check_paths(["link.py"], UNTESTED, index)
