from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from symgen.cli import main
from symgen.model.standing import Apart, Ours, Span, Standing, Through, Torch, to_spans
from symgen.pipeline.coverage_changes import Kind, compare_coverage


def op(name: str = "aten::f", *, signature: str = "f(Tensor a) -> Tensor", **standings: str) -> dict[str, Any]:
    spans = [
        {"exporter": exporter, "first": 9 if exporter == "torchscript" else 18, "last": 24, "standing": standing}
        for exporter, standing in standings.items()
    ]
    return {"op": name, "signature": [signature], "standings": spans}


@pytest.mark.parametrize(
    ("torch", "ours", "standing"),
    [
        (Torch.RIGHT, Ours.VERIFIED, Standing.TORCH_RIGHT),
        (Torch.WRONG, Ours.VERIFIED, Standing.SYMGEN_VERIFIED),
        (Torch.WRONG, Ours.UNVERIFIED, Standing.TORCH_WRONG),
        (Torch.REFUSES, Ours.NONE, Standing.TORCH_REFUSES),
        (Torch.NONE, Ours.UNVERIFIED, Standing.SYMGEN),
        (Torch.NONE, Ours.NONE, Standing.NEITHER),
        (Torch.UNKNOWN, Ours.NONE, Standing.UNKNOWN),
    ],
)
def test_the_best_of_both(torch: Torch, ours: Ours, standing: Standing) -> None:
    assert Span("torchscript", 9, 20, torch, ours).standing is standing


@pytest.mark.parametrize(
    ("torch", "through", "standing"),
    [
        (Torch.WRONG, Through.VERIFIED, Standing.PARTS_VERIFIED),
        (Torch.REFUSES, Through.DERIVED, Standing.PARTS),
        (Torch.NONE, Through.NONE, Standing.NEITHER),
        (Torch.RIGHT, Through.VERIFIED, Standing.TORCH_RIGHT),
    ],
)
def test_what_is_never_asked_for_stands_by_its_parts(torch: Torch, through: Through, standing: Standing) -> None:
    apart = Apart("torch.export makes aten::view of it", ("aten::view",), through)
    assert Span("torchlib", 18, 24, torch, Ours.NEVER_ASKED, apart).standing is standing


def test_neighbouring_opsets_are_one_span() -> None:
    cells = [(opset, Torch.NONE, Ours.NONE if opset < 11 else Ours.VERIFIED) for opset in range(9, 14)]
    assert [(span.first, span.last) for span in to_spans("torchscript", cells)] == [(9, 10), (11, 13)]


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("torch", "neither", Kind.LOST),
        ("symgen-verified", "neither", Kind.LOST),
        ("torch-right", "torch-wrong", Kind.LOST),
        ("neither", "symgen", Kind.GAINED),
        ("torch-refuses", "torch-right", Kind.GAINED),
        ("symgen-verified", "symgen", None),
        ("torch", "torch-wrong", None),
        ("unknown", "neither", None),
    ],
)
def test_what_is_a_loss(before: str, after: str, kind: Kind | None) -> None:
    changes = compare_coverage([op(torchscript=before)], [op(torchscript=after)])
    assert [change.kind for change in changes] == ([kind] if kind else [])
    for change in changes:
        assert (change.exporter, change.first, change.last) == ("torchscript", 9, 20)


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (("torch-wrong", "wrong"), ("symgen-parts-verified", "wrong"), Kind.GAINED),
        (("torch-wrong", "wrong"), ("symgen-parts", "wrong"), None),
        (("symgen-parts-verified", "wrong"), ("torch-wrong", "wrong"), None),
        (("symgen-parts-verified", "wrong"), ("torch", "unjudged"), None),
        (("symgen-parts-verified", "refuses"), ("symgen-parts", "refuses"), None),
        (("symgen-parts", "refuses"), ("symgen-parts-verified", "wrong"), None),
        (("symgen-parts-verified", "refuses"), ("torch-wrong", "wrong"), Kind.LOST),
        (("symgen-verified", "wrong"), ("symgen-parts-verified", "wrong"), None),
        (("symgen-parts-verified", "wrong"), ("symgen-verified", "wrong"), Kind.GAINED),
    ],
)
def test_a_record_of_parts_that_is_there_no_more_is_no_loss(
    before: tuple[str, str], after: tuple[str, str], kind: Kind | None
) -> None:
    """Proofs belong to their versions; what torch's own lost under it is one."""
    old, new = op(torchlib=before[0]), op(torchlib=after[0])
    old["standings"][0]["torch"], new["standings"][0]["torch"] = before[1], after[1]
    assert [change.kind for change in compare_coverage([old], [new])] == ([kind] if kind else [])


def test_operators_and_signatures() -> None:
    before = [op("aten::gone"), op("aten::same"), op("aten::f")]
    after = [op("aten::come"), op("aten::same"), op("aten::f", signature="f(Tensor a, int b=0) -> Tensor")]
    changes = compare_coverage(before, after)
    assert [(change.kind, change.op) for change in changes] == [
        (Kind.LOST, "aten::gone"),
        (Kind.GAINED, "aten::come"),
        (Kind.CHANGED, "aten::f"),
    ]
    assert changes[-1].after == "f(Tensor a, int b=0) -> Tensor"
    assert compare_coverage(before[:1], [], whole=False) == ()


def test_a_coverage_without_standings() -> None:
    old = {"op": "aten::f", "torch": [13], "symgen": 11}
    (change,) = compare_coverage([old], [op(torchscript="torch")])
    assert (change.kind, change.first, change.last, change.before) == (Kind.GAINED, 9, 10, "neither")


def printed(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> dict[str, Any]:
    assert main(["coverage", *arguments]) == status
    return dict(json.loads(capsys.readouterr().out))


def test_against_an_older_coverage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    now = printed(capsys, "hypot", "relu", "--json")
    file = tmp_path / "old.json"
    file.write_text(json.dumps(now), "utf-8")
    same = printed(capsys, "hypot", "relu", "--json", "--against", str(file))
    assert same["against"] == {"lost": [], "gained": [], "changed": []}
    hypot, relu = now["ops"]
    hypot["signature"] = ["hypot(Tensor self) -> Tensor"]
    relu["standings"][0]["standing"] = "torch-right"
    hypot["standings"][0] |= {"standing": "neither"}
    file.write_text(json.dumps(now), "utf-8")
    assert main(["coverage", "hypot", "--against", str(file)]) == 0, "a gain is no loss"
    out = capsys.readouterr().out
    assert "gained aten::hypot: torchscript, opset 9 to 20: neither, now symgen" in out
    assert "changed aten::hypot: hypot(Tensor self) -> Tensor, now hypot(Tensor self, Tensor other)" in out
    to_sparse = printed(capsys, "to_sparse", "--json")
    to_sparse["ops"][0]["standings"][0]["standing"] = "torch"
    file.write_text(json.dumps(to_sparse), "utf-8")
    assert main(["coverage", "to_sparse", "--against", str(file)]) == 1
    assert "lost aten::to_sparse: torchscript, opset 9 to 20: torch, now neither" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"ops": [1]}', '{"ops": [{"op": 1}]}', '{"ops": [{"op": "aten::elu"}]}']
)
def test_a_file_that_is_something_else(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "old.json"
    file.write_text(text, "utf-8")
    assert main(["coverage", "hypot", "--against", str(file)]) == 2
    assert "is not what `symgen coverage --json` prints" in capsys.readouterr().err


def test_a_file_that_is_missing_is_said_to_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage", "hypot", "--against", str(tmp_path / "none.json")]) == 2
    assert "none.json: there is no such file (`symgen coverage --json > FILE` makes one)" in capsys.readouterr().err


def test_the_keys_stand_in_the_readme(repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    promised = " ".join((repository / "README.md").read_text("utf-8").split())
    now = printed(capsys, "hypot", "--json")
    (hypot,) = now["ops"]
    old = {"ops": [{**hypot, "signature": ["hypot(Tensor self) -> Tensor"]}]}
    (tmp_path / "old.json").write_text(json.dumps(old), "utf-8")
    against = printed(capsys, "hypot", "--json", "--against", str(tmp_path / "old.json"))["against"]
    for keys in (hypot, hypot["standings"][0], against, against["changed"][0]):
        assert "{" + ", ".join(f'"{key}"' for key in keys) + "}" in promised
    for name in (*Torch, *Ours, *Through, *Standing):
        assert f"`{name}`" in promised
