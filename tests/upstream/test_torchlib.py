"""Operators in a checkout of onnxscript: torchlib's functions in its own style, and their rows."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from checkouts import OPS, ROWS, MiniCheckout
from drafting import EVIDENCE, diffs, without_versions
from golden import Golden
from symgen.cli import main
from symgen.config import Config
from symgen.lower.element_types import deduce_types
from symgen.lower.torchlib_forms import torchlib_forms
from symgen.model.names import parse_op_name
from symgen.model.result import SampleResult, Status, Verdict
from symgen.pipeline.decide import Decision
from symgen.pipeline.resolve import resolve_names
from symgen.pipeline.translate import translate
from symgen.pipeline.upstream import onnxscript
from symgen.pipeline.upstream.drafts import Draft, UnfitError
from symgen.pipeline.upstream.message import commit_message, subject
from symgen.pipeline.upstream.onnxscript import Onnxscript
from symgen.pipeline.upstream.project import StandingError
from symgen.pipeline.upstream.run import without_vain
from symgen.pipeline.upstream.torchlib_checkout import open_torchlib_checkout
from symgen.pipeline.upstream.torchlib_exporter import TorchlibUpstreamExporter
from symgen.pipeline.upstream.torchlib_rows import add_row
from symgen.render.torchlib_style import in_torchlib_style
from symgen.render.torchlib_upstream import render_torchlib_upstream
from symgen.sources import Sources, match_in
from symgen.verify.task import SampleSet, Verification

WRONG = ("aten::elu",)
FAULT = "the exporter's own translation is not right: wrong value at opset 18 for a sample; half precision raises"
PLAIN = ("aten::hypot", "aten::special_entr", "aten::huber_loss", "aten::elu")


def drafted(ops: Sequence[str], checkout: MiniCheckout, sources: Sources) -> list[Draft]:
    """The drafts of some operators, one upon the other, as after verifications that saw nothing wrong."""
    project, changed = Onnxscript(open_torchlib_checkout(checkout.root)), dict[str, bytes]()
    return [project.draft(_decided(op, sources), changed, sources) for op in ops]


def _decided(op: str, sources: Sources) -> Decision:
    (request,) = resolve_names((op,), sources)
    match = match_in(sources, request.op)
    exporter = TorchlibUpstreamExporter(plain=op in PLAIN)
    translation = translate(match.plans[0], sources, lowest=None, own_templates=None, exporter=exporter)
    seen = Verification(op, EVIDENCE, SampleSet(op))
    reason = FAULT if op in WRONG else ""
    return Decision(request, match, Status.VERIFIED, reason, translation, verification=seen)


def run(checkout: MiniCheckout, *arguments: str, status: int = 0) -> None:
    arguments = ("upstream", *arguments, "--upstream", "onnxscript", "--repo", str(checkout.root), "--no-verify", "-q")
    assert main(arguments) == status


def test_the_diffs_and_messages(torchlib: MiniCheckout, sources: Sources, golden: Golden) -> None:
    drafts = drafted((*PLAIN, "aten::cummax"), torchlib, sources)
    texts = diffs(drafts, torchlib)
    made = {f"{one.contribution.op.base}.diff": text for one, text in zip(drafts, texts, strict=True)}
    for one in drafts:
        made[f"{one.contribution.op.base}.txt"] = without_versions(commit_message([one.contribution]))
    golden.check("upstream/torchlib", made)
    for one in drafts:
        assert one.test_files == ((ROWS,) if one.tests else ()), "where the row stands, not what runs it"
    for text in texts:
        added = [line[1:] for line in text.splitlines() if line.startswith("+") and not line.startswith("+++")]
        assert all(line.isascii() and "symgen" not in line and "REGISTRIES" not in line for line in added)


def test_a_subject_says_what_is_done_to_all(torchlib: MiniCheckout, sources: Sources) -> None:
    contributions = [one.contribution for one in drafted(PLAIN, torchlib, sources)]
    assert subject(contributions[:1]) == "[torchlib] Add aten::hypot"
    assert subject(contributions[-1:]) == "[torchlib] Correct aten::elu"
    assert subject(contributions) == "[torchlib] Add or correct 4 operators"


def test_what_is_written_is_python_and_lacks_no_name(torchlib: MiniCheckout, sources: Sources) -> None:
    drafts = drafted((*PLAIN, "aten::cummax", "aten::cummin"), torchlib, sources)
    for content in {path: text for one in drafts for path, text in one.files.items()}.values():
        tree = ast.parse(content)
        bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        bound |= {alias.asname or alias.name for node in ast.walk(tree) for alias in getattr(node, "names", ())}
        bound |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)} | set(dir(builtins))
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert not used - bound


def test_helpers_that_are_there_are_called(torchlib: MiniCheckout, sources: Sources) -> None:
    _, second = drafted(("aten::cummax", "aten::cummin"), torchlib, sources)
    text = second.files[f"{OPS}/core.py"].decode()
    assert text.count("def _running_extreme(") == 1
    assert f"{OPS}/tracing.py" not in second.files


def test_a_function_in_the_way_is_left_alone(torchlib: MiniCheckout, sources: Sources) -> None:
    core = torchlib.root / OPS / "core.py"
    core.write_text(core.read_text("utf-8") + "\n\ndef aten_rot90(self):\n    return self\n", "utf-8")
    torchlib.commit_all("Something of another kind")
    with pytest.raises(UnfitError, match="there is another aten_rot90 at line"):
        drafted(("aten::rot90",), torchlib, sources)


def test_a_commit_and_then_nothing(torchlib: MiniCheckout, capsys: pytest.CaptureFixture[str]) -> None:
    before = torchlib.state()
    run(torchlib, "hypot", "--dry-run")
    assert torchlib.state() == before
    assert '+@torch_op("aten::hypot", trace_only=True)' in capsys.readouterr().out
    run(torchlib, "hypot")
    assert torchlib.git("log", "--format=%s", "-1").strip() == "[torchlib] Add aten::hypot"
    assert set(torchlib.git("show", "--format=", "--name-only").split()) == {f"{OPS}/core.py", ROWS}
    after = torchlib.state()
    run(torchlib, "hypot", status=1)
    assert torchlib.state() == after
    assert re.search(r"core\.py:\d+: aten::hypot is registered already", capsys.readouterr().err)


def test_a_person_s_edits_stay(torchlib: MiniCheckout) -> None:
    core = torchlib.root / OPS / "core.py"
    edited = core.read_text("utf-8").replace("    return op.Exp(self)\n", "    # As it is.\n    return op.Exp(self)\n")
    core.write_text(edited, "utf-8")
    torchlib.commit_all("A comment")
    run(torchlib, "hypot")
    removed = [line for line in torchlib.git("show", "--format=").splitlines() if re.match(r"-(?!--)", line)]
    assert [line[1:5] for line in removed] == ["def ", "    ", "", "    "]
    assert "    # As it is.\n" in core.read_text("utf-8")


def test_another_project(newer: MiniCheckout, capsys: pytest.CaptureFixture[str]) -> None:
    run(newer, "hypot", status=2)
    assert f"it is no checkout of onnxscript: it has no {OPS}/core.py" in capsys.readouterr().err


def test_only_the_installed_function_is_corrected(
    torchlib: MiniCheckout, sources: Sources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = Onnxscript(open_torchlib_checkout(torchlib.root))
    requests = resolve_names(("aten::elu", "aten::hypot"), sources)
    monkeypatch.setattr(onnxscript, "torchlib_folder", lambda: tmp_path)
    with pytest.raises(StandingError, match="by another function than the installed torchlib has"):
        project.standing(requests, Config())
    monkeypatch.setattr(onnxscript, "torchlib_folder", lambda: torchlib.root / OPS)
    assert project.standing(requests, Config()) == ["aten::elu"]
    with pytest.raises(StandingError, match="only a verification tells"):
        project.standing(requests, Config(no_verify=True))


def test_a_broken_file_is_said(torchlib: MiniCheckout, capsys: pytest.CaptureFixture[str]) -> None:
    (torchlib.root / OPS / "nn.py").write_text("def (:\n", "utf-8")
    torchlib.commit_all("Broken")
    run(torchlib, "hypot", status=2)
    assert f"{OPS}/nn.py:1: not valid Python" in capsys.readouterr().err


def test_a_way_that_fails_in_what_the_suite_tests_does_not_do(torchlib: MiniCheckout, sources: Sources) -> None:
    project, decision = Onnxscript(open_torchlib_checkout(torchlib.root)), _decided("aten::hypot", sources)
    assert project.suffices(decision)
    for dtype, suffices in (("bfloat16", True), ("float32/bfloat16", False), ("float16", False), ("int8", True)):
        failure = SampleResult("a sample", dtype, 18, "exported", Verdict.INVALID_MODEL)
        seen = Verification("aten::hypot", replace(EVIDENCE, failures=(failure,)))
        assert project.suffices(replace(decision, status=Status.PARTIAL, verification=seen)) is suffices
    assert not project.suffices(replace(decision, status=Status.FAILED))


def test_what_fails_like_the_function_that_is_there_corrects_nothing(torchlib: MiniCheckout, sources: Sources) -> None:
    project, decision = Onnxscript(open_torchlib_checkout(torchlib.root)), _decided("aten::elu", sources)
    aloud = replace(decision, reason=FAULT.replace("wrong value", "invalid model"))
    assert project.suffices(replace(decision, status=Status.PARTIAL))
    assert project.suffices(aloud)
    assert not project.suffices(replace(aloud, status=Status.PARTIAL))
    assert without_vain(replace(aloud, status=Status.PARTIAL), ["aten::elu"], project).translation is None
    assert without_vain(replace(aloud, status=Status.PARTIAL), [], project).translation is not None


def test_what_needs_types_on_the_way_is_not_plain(sources: Sources) -> None:
    plan = match_in(sources, parse_op_name("aten::cummax")).plans[0]
    form = torchlib_forms(plan, sources.schemas, 24)[0]
    assert render_torchlib_upstream(form, deduce_types(form, sources.schemas), plain=True) is None


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("op.Where(y, _scalar(1.0, x), x)", "op.Where(y, 1.0, x)"),
        ("op.Where(x, _scalar(1.0, y), y)", "op.Where(x, op.CastLike(1.0, y), y)"),
        ("op.Add(1.0, op.Mul(y, op.Exp(z)))", "op.Add(op.CastLike(1.0, y), op.Mul(y, op.Exp(z)))"),
        ("op.Mul(2 * n, op.Exp(y))", "op.Mul(op.CastLike(2 * n, y), op.Exp(y))"),
        ("op.Mul(n, x)", "op.Mul(n, x)"),
        ("op.Mul(n, _expm1_of(x))", "op.Mul(op.CastLike(n, x), _expm1_of(x))"),
        ("op.Mul(0.1, y)", "op.Mul(op.CastLike(op.Constant(value=ir.tensor(0.1, dtype=ir.DataType.DOUBLE)), y), y)"),
        ("op.Where(x, _scalar(1.0, y), _scalar(0.0, y))", "op.Where(x, op.CastLike(1.0, y), op.CastLike(0.0, y))"),
        ("op.Pad(x, z, _scalar(1.0, x))", "op.Pad(x, z, op.CastLike(1.0, x))"),
        ("op.Reshape(x, _constant([-1], torch.int64))", "op.Reshape(x, op.Constant(value_ints=[-1]))"),
        ("_constant(0, torch.int64)", "op.Constant(value_int=0)"),
        ("_constant(n, torch.int32)", "op.Constant(value=ir.tensor(n, dtype=ir.DataType.INT32))"),
        ("_cast(x, torch.float32)", "op.Cast(x, to=ir.DataType.FLOAT)"),
        ("_cast(y, _dtype(x))", "op.CastLike(y, x)"),
        ("_cast(y, dtype)", "_cast(y, dtype)"),
        ("_size(y, -1)", "op.Gather(op.Shape(y), op.Constant(value_ints=[-1]))"),
        ("_rank(x) + 1", "len(x.shape) + 1"),
        ("_rank(y)", "_rank(y)"),
        ("_dtype(x) == torch.bool", "x.dtype == ir.DataType.BOOL"),
        ("_dtype(y) == torch.bool", "_dtype(y) == torch.bool"),
        ("_dtype(x).is_floating_point", "x.dtype.is_floating_point()"),
        ("_listed(op.TopK(x, k))[0]", "op.TopK(x, k)[0]"),
        ("x", "op.Identity(x)"),
        ("z", "z"),
    ],
)
def test_what_the_runtime_does_in_plain_operators(line: str, wanted: str) -> None:
    head = '@torch_op("aten::f", trace_only=True)\ndef f(x: TFloat, z: TFloat, n: float, k: {}) -> TFloat:\n'
    body = "    y = op.Exp(x)\n    z = op.Exp(z)\n    return {}\n"
    written = in_torchlib_style(head.format("int | None = None") + body.format(line))
    assert written == head.format("Optional[int] = None") + body.format(wanted)


def test_sizes_that_are_known_count_for_nothing() -> None:
    source = "def f(x):\n    if _static_numel(x):\n        return op.A(x)\n    return op.B(x)\n"
    assert in_torchlib_style(source) == "def f(x):\n    return op.B(x)\n"


@pytest.mark.parametrize(
    ("info", "above", "more"),
    [
        ("erfc", '        reason="for the sake of the test",\n    ),\n', ""),
        ("acos", '    TorchLibOpInfo("abs", core_ops.aten_abs, complex=True),\n', ""),
        ("aaa", "TESTED_TORCHLIB_OPS: tuple[TorchLibOpInfo, ...] = (\n", ""),
        ("nn.functional.huber_loss", '    TorchLibOpInfo("nn.functional.elu", nn_ops.aten_elu),\n', ""),
        ("zeta", '    TorchLibOpInfo("nn.functional.relu", nn_ops.aten_relu),\n', ", nondeterministic=True"),
    ],
)
def test_a_row_stands_in_the_order_of_the_table(info: str, above: str, more: str, torchlib: MiniCheckout) -> None:
    text = (torchlib.root / ROWS).read_text("utf-8")
    after = add_row(text, info, "core", "aten_f", is_free=bool(more))
    row = f'    TorchLibOpInfo("{info}", core_ops.aten_f{more}),\n'
    assert above + row in after
    assert after.replace(row, "") == text
    assert add_row(after, info, "core", "aten_f") == after


def test_a_table_without_the_module_gets_no_row(torchlib: MiniCheckout) -> None:
    text = (torchlib.root / ROWS).read_text("utf-8")
    assert add_row(text, "fft.fft", "fft", "aten_fft_fft") == text


def test_the_project_is_said_and_a_package_needs_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["upstream", "hypot", "--out-of-tree", "--upstream", "onnxscript"]) == 2
    assert "--out-of-tree needs no checkout, and --upstream is about one" in capsys.readouterr().err
