"""Classes are found and read as text: whatever their modules would do on import doesn't happen."""

from __future__ import annotations

from pathlib import Path

import pytest

from symgen.errors import ParseError, UnknownNameError, UsageError
from symgen.introspect.autograd_classes import load_function_class
from symgen.model.autograd import FunctionClass, ParameterKind

HEAD = "import torch\nfrom torch.autograd import Function\nraise SystemExit('imported')\n"


def read(tmp_path: Path, text: str, name: str = "Own", **others: str) -> FunctionClass:
    (tmp_path / "mod.py").write_text(HEAD + text)
    for other, content in others.items():
        (tmp_path / f"{other}.py").write_text(content)
    return load_function_class(f"mod:{name}", tmp_path)


@pytest.mark.parametrize(
    ("methods", "names"),
    [
        ("  @staticmethod\n  def forward(ctx, x, k=2): return x\n", ["x", "k"]),
        (
            "  @staticmethod\n  def forward(x, k): return x\n  @staticmethod\n  def setup_context(c, i, o): pass\n",
            ["x", "k"],
        ),
        ("  @staticmethod\n  @torch.amp.custom_fwd(device_type='cuda')\n  def forward(ctx, x): return x\n", ["x"]),
        ("  forward = staticmethod(lambda ctx, x: -x)\n", ["x"]),
        ("  forward = staticmethod(torch.amp.custom_fwd(device_type='cuda')(lambda ctx, x: -x))\n", ["x"]),
        ("  @staticmethod\n  def forward(ctx, x, *rest, only=1): return x\n", ["x", "rest"]),
    ],
)
def test_the_parameters_are_those_that_apply_fills(tmp_path: Path, methods: str, names: list[str]) -> None:
    assert [p.name for p in read(tmp_path, f"class Own(Function):\n{methods}").parameters] == names


def test_forward_may_be_a_function_of_the_module(tmp_path: Path) -> None:
    text = "def shared(ctx, x, slope): return x\nclass Own(Function):\n  forward = staticmethod(shared)\n"
    assert [p.name for p in read(tmp_path, text).parameters] == ["x", "slope"]


@pytest.mark.parametrize(
    ("parameter", "body", "kind", "attribute"),
    [
        ("x: torch.Tensor", "", ParameterKind.TENSOR, ""),
        ("x", "ctx.save_for_backward(x)", ParameterKind.TENSOR, ""),
        ("x", "y = x.shape", ParameterKind.TENSOR, ""),
        ("x", "y = torch.exp(x)", ParameterKind.TENSOR, ""),
        ("x", "", ParameterKind.UNKNOWN, ""),
        ("x: int", "", ParameterKind.OPTION, "i"),
        ("x: 'float | None'", "", ParameterKind.OPTION, "f"),
        ("x: list[int]", "", ParameterKind.OPTION, "i"),
        ("x=1.5", "", ParameterKind.OPTION, "f"),
        ("x='mean'", "", ParameterKind.OPTION, "s"),
        ("x=1", "", ParameterKind.OPTION, ""),
        ("x=None", "", ParameterKind.UNKNOWN, ""),
    ],
)
def test_what_a_parameter_is_by_annotation_use_and_default(
    tmp_path: Path, parameter: str, body: str, kind: ParameterKind, attribute: str
) -> None:
    text = f"class Own(Function):\n  @staticmethod\n  def forward(ctx, {parameter}):\n    {body or 'pass'}\n"
    (found,) = read(tmp_path, text).parameters
    assert (found.kind, found.attribute, found.refusal) == (kind, attribute, "")


@pytest.mark.parametrize(
    ("parameter", "body", "said"),
    [
        ("block", "return block(1)", "is called in line 7"),
        ("block: Callable[[int], torch.Tensor]", "pass", "is a Callable"),
        ("block: torch.nn.Module", "pass", "is a Module"),
        ("block: list[torch.Tensor]", "pass", "list of tensors"),
        ("*block", "return block(1)", "is called"),
    ],
)
def test_what_no_node_can_carry_is_refused(tmp_path: Path, parameter: str, body: str, said: str) -> None:
    text = f"class Own(Function):\n  @staticmethod\n  def forward(ctx, {parameter}):\n    {body}\n"
    (found,) = read(tmp_path, text).parameters
    assert said in found.refusal


def test_a_parameter_that_is_tested_for_none_may_be_absent(tmp_path: Path) -> None:
    text = "class Own(Function):\n  @staticmethod\n  def forward(ctx, x, m):\n    return x if m is None else x * m\n"
    assert [p.is_optional for p in read(tmp_path, text).parameters] == [False, True]


@pytest.mark.parametrize(
    ("results", "count"), [("a, b", 2), ("(a,)", 1), ("a * b", 1), ("-a", 1), ("a", None), ("[*a]", None)]
)
def test_results_are_counted_where_the_text_tells(tmp_path: Path, results: str, count: int | None) -> None:
    text = f"class Own(Function):\n  @staticmethod\n  def forward(ctx, a, b):\n    return {results}\n"
    assert read(tmp_path, text).outputs == count


def test_nested_inherited_and_imported_classes(tmp_path: Path) -> None:
    base = "import torch\nclass Base(torch.autograd.Function):\n  @staticmethod\n  def forward(ctx, x, k): return x\n"
    text = "from base import Base as B\nclass Outer:\n  class Inner(B):\n    pass\nclass Own(B): pass\n"
    assert [p.name for p in read(tmp_path, text, "Outer.Inner", base=base).parameters] == ["x", "k"]
    imported = read(tmp_path, "from base import Base\n", "Base", base=base)
    assert (imported.location.path, imported.location.line, imported.spelled) == ("base.py", 2, "base:Base")


def test_a_package_is_not_imported_on_the_way_to_its_module(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg/__init__.py").write_text("raise SystemExit('imported')\nfrom .impl import Gate\n")
    (tmp_path / "pkg/impl.py").write_text(
        "from torch.autograd import Function\nclass Gate(Function):\n  @staticmethod\n  def forward(ctx, x): return x\n"
    )
    assert load_function_class("pkg.impl:Gate", tmp_path).location.path == "pkg/impl.py"
    assert load_function_class("pkg:Gate", tmp_path).location.path == "pkg/impl.py"


def test_a_symbolic_of_the_user_is_found_also_where_it_is_inherited(tmp_path: Path) -> None:
    text = (
        "class Base(Function):\n  @staticmethod\n  def forward(ctx, x): return x\n"
        "  @staticmethod\n  def symbolic(g, x): return x\nclass Own(Base): pass\n"
    )
    own = read(tmp_path, text)
    assert (own.symbolic_owner, own.symbolic and own.symbolic.line) == ("Base", 8)


def test_a_symbolic_that_symgen_wrote_is_none_of_the_users(tmp_path: Path) -> None:
    text = (
        "class Own(Function):\n  @staticmethod\n  def forward(ctx, x): return x\n"
        "  # symgen: Own.symbolic 0123456789abcdef\n  @staticmethod\n  def symbolic(g, x): return x\n"
    )
    assert read(tmp_path, text).symbolic is None


def test_what_is_not_there_is_named_with_what_is_near(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"has no class Owm.*mod:Own"):
        read(tmp_path, "class Own(Function):\n  pass\n", "Owm")
    with pytest.raises(UnknownNameError, match="no module nowhere"):
        load_function_class("nowhere:Own", tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("class Own(torch.nn.Module):\n  def forward(self, x): return x\n", "no torch.autograd.Function"),
        ("class Own(Function):\n  pass\n", "has no forward"),
        ("class Own:\n  def forward(ctx, x): return x\n", "no torch.autograd.Function"),
    ],
)
def test_what_is_no_function_class_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read(tmp_path, text)


def test_a_forward_that_cannot_be_read_says_where(tmp_path: Path) -> None:
    with pytest.raises(ParseError, match=r"mod\.py:5: this forward cannot be read"):
        read(tmp_path, "class Own(Function):\n  forward = make()\n")


def test_a_file_that_is_not_python_says_where(tmp_path: Path) -> None:
    with pytest.raises(ParseError, match=r"mod\.py:4"):
        read(tmp_path, "class Own(:\n")


@pytest.mark.parametrize("asked", ["mod", "mod:", ":Own", "mod:Own()", "../mod:Own", "mod:Own;x", "mod::Own"])
def test_nothing_but_a_name_is_taken(tmp_path: Path, asked: str) -> None:
    with pytest.raises(UsageError):
        load_function_class(asked, tmp_path)
