"""`--fix`: what is mechanical is mended, and every other byte is what it was."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from symgen.check import CheckSettings, Edit
from symgen.check.fixing import apply_edits, fix_paths, fix_text
from symgen.check.index.model import CheckIndex
from symgen.errors import SymgenError

FILE = """# größer
import functools

from torch.onnx._internal.torchscript_exporter import registration, symbolic_helper

__all__ = ["hardswish", 'logit']

_onnx_symbolic = functools.partial(
    registration.onnx_symbolic,
    opset=14,  # as in torch
)


@_onnx_symbolic("aten::hardswish")
def hardswish(g, self):
\treturn g.op("HardSwish",   self)
\x0c

@_onnx_symbolic( 'aten::logit' )
@symbolic_helper.parse_args("v", 'i')
def logit(g,self,eps=None):
    return g.op("LeakyRelu", _logit(g, self, eps), alpha=1)


@_onnx_symbolic("aten::deg2rad")
def deg2rad(g, self): return g.op("Identity", self) # größer"""
MENDED = {
    "opset=14,": "opset=14, custom=True,",
    "'i'": "'f'",
    "alpha=1": "alpha_f=1",
    "__all__ = [": '__all__ = ["deg2rad", ',
}
SETTINGS = CheckSettings(ignore=("SG010", "SG012"))


def mended(text: str) -> str:
    for old, new in MENDED.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
def test_nothing_but_what_is_wrong_changes(tmp_path: Path, index: CheckIndex, line_end: str, encoding: str) -> None:
    path = tmp_path / "symbolic_opset14.py"
    text = FILE.replace("\n", line_end)
    if encoding == "latin-1":
        text = f"# coding: latin-1{line_end}{text}"
    path.write_bytes(text.encode(encoding))
    report = fix_paths([path], SETTINGS, index)
    assert path.read_bytes() == mended(text).encode(encoding)
    assert report.remaining == ()
    assert report.mended == ((str(path), 4),)


def test_a_file_with_nothing_to_mend_is_not_written(tmp_path: Path, index: CheckIndex) -> None:
    path = tmp_path / "symbolic_opset14.py"
    path.write_text(mended(FILE))
    os.utime(path, ns=(1, 1))
    assert fix_paths([path], SETTINGS, index).mended == ()
    assert path.stat().st_mtime_ns == 1


def test_mode_and_link_are_kept(tmp_path: Path, index: CheckIndex) -> None:
    path, link = tmp_path / "actual.py", tmp_path / "symbolic_opset14.py"
    path.write_text(FILE)
    path.chmod(0o640)
    link.symlink_to(path)
    fix_paths([link], SETTINGS, index)
    assert link.is_symlink()
    assert path.read_text() == mended(FILE)
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_file_that_may_not_be_written_is_an_error(tmp_path: Path, index: CheckIndex) -> None:
    path = tmp_path / "symbolic_opset14.py"
    path.write_text(FILE)
    path.chmod(0o444)
    with pytest.raises(SymgenError, match="read-only"):
        fix_paths([path], SETTINGS, index)
    assert path.read_text() == FILE


def test_files_that_are_not_python_stay_and_are_reported(tmp_path: Path, index: CheckIndex) -> None:
    broken, other = tmp_path / "broken.py", tmp_path / "symbolic_opset14.py"
    broken.write_bytes(b"x = (\xff\n")
    other.write_text(FILE)
    report = fix_paths([broken, other], SETTINGS, index)
    assert [finding.code for finding in report.remaining] == ["SG000"]
    assert [path for path, _ in report.mended] == [str(other)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param('["b"]', '["a", "b"]', id="first"),
        pytest.param("('b',)", "('a', 'b',)", id="tuple"),
        pytest.param('["z", "b"]', '["z", "b", "a"]', id="unsorted: last"),
        pytest.param('[\n    "b",\n]', '[\n    "a",\n    "b",\n]', id="a line each"),
        pytest.param('[\n    "b",\n    "C"\n]', '[\n    "a",\n    "b",\n    "C"\n]', id="sorted but for case"),
        pytest.param('[\n\t"Z",\n\t"A",\n]', '[\n\t"Z",\n\t"A",\n\t"a",\n]', id="tabs"),
        pytest.param('["a", "a", "b"]', '["a", "b"]', id="twice"),
        pytest.param('["a", "b", "b"]', '["a", "b"]', id="last twice"),
        pytest.param('["a",\n "c",  # gone\n "b"]', '["a",\n # gone\n "b"]', id="unknown, with a comment"),
        pytest.param('["a", "b", "c"]', '["a", "b"]', id="unknown, last"),
    ],
)
def test_the_list_of_exports_keeps_its_style(index: CheckIndex, before: str, after: str) -> None:
    rest = """

from torch.onnx._internal.torchscript_exporter import registration

A = C = Z = z = b = None


@registration.custom_onnx_symbolic("aten::deg2rad", 9)
def a(g, self):
    return g.op("Identity", self)
"""
    text, _ = fix_text(f"__all__ = {before}{rest}", "file.py", index, CheckSettings(select=("SG004",)))
    assert text == f"__all__ = {after}{rest}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "from torch.onnx import _globals, errors\n",
            "from torch.onnx import errors\nfrom torch.onnx._internal.torchscript_exporter import _globals\n",
            id="some of the names",
        ),
        pytest.param(
            "if True:\n    pass\ndef f():\n    from torch.onnx._type_utils import JitScalarType\n",
            "if True:\n    pass\ndef f():\n"
            "    from torch.onnx._internal.torchscript_exporter._type_utils import JitScalarType\n",
            id="a module",
        ),
        pytest.param(
            "import torch.onnx._globals as g, os\n",
            "import torch.onnx._internal.torchscript_exporter._globals as g, os\n",
            id="import as",
        ),
        pytest.param(
            "from torch.onnx.symbolic_registry import register_op\n",
            "from torch.onnx.symbolic_registry import register_op\n",
            id="gone for good",
        ),
        pytest.param(
            "from torch.onnx import (  # both\n    _globals,\n    errors,\n)\n",
            "from torch.onnx import (  # both\n    _globals,\n    errors,\n)\n",
            id="comments would be lost",
        ),
    ],
)
def test_moved_names_are_imported_from_where_they_are(index: CheckIndex, before: str, after: str) -> None:
    assert fix_text(before, "file.py", index, CheckSettings(select=("SG013",)))[0] == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param('@symbolic("aten::relu6")', '@symbolic("aten::relu6", opset=[9, 11])', id="bound opset"),
        pytest.param('@symbolic("aten::relu6", opset=9)', '@symbolic("aten::relu6", opset=[9, 11])', id="one opset"),
        pytest.param('@symbolic("aten::relu6", opset=[9])', '@symbolic("aten::relu6", opset=[9, 11])', id="a list"),
        pytest.param('@symbolic("aten::relu6", opset=range(9, 11))', None, id="computed"),
    ],
)
def test_a_shadowed_registration_gets_the_later_opsets(index: CheckIndex, before: str, after: str | None) -> None:
    text = f"""import functools
from torch.onnx._internal.torchscript_exporter import registration

symbolic = functools.partial(registration.custom_onnx_symbolic, opset=9)


{before}
def relu6(g, self):
    return g.op("vendor::Relu6", self)
"""
    fixed, _ = fix_text(text, "file.py", index, CheckSettings(select=("SG015",)))
    assert fixed == (text if after is None else text.replace(before, after))


@pytest.mark.parametrize(
    "result",
    ['g.op("Clip", self)', 'g.op("a::F", g.op("Relu", self))', 'symbolic_helper._relu(g, g.op("a::F", self))', "self"],
)
def test_opsets_at_which_it_may_be_wrong_are_not_added(index: CheckIndex, result: str) -> None:
    text = f"""from torch.onnx import register_custom_op_symbolic, symbolic_helper


def relu6(g, self):
    return {result}


register_custom_op_symbolic("aten::relu6", relu6, 9)
"""
    assert fix_text(text, "file.py", index, CheckSettings(select=("SG015",))) == (text, 0)


def test_edits_are_made_at_their_places() -> None:
    assert apply_edits("one two three", [Edit(4, 7, "2"), Edit(0, 3, "1"), Edit(13, 13, "!")]) == "1 2 three!"
