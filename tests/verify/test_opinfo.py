"""OpInfo's samples become calls of ATen overloads, are kept on disk, and are missed without harm."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from symgen.introspect.aten_schemas import parse_schema
from symgen.model.sample import Recipe, SampleSpec, TensorSpec
from symgen.verify import Pool, VerifyTask, start_pool, verify
from symgen.verify.encoding import encode
from symgen.verify.messages import Collected, Message, OpInfoJob
from symgen.verify.opinfo import known_samples, load_cached, store
from symgen.verify.worker import work

from . import modules

HUBER = VerifyTask("aten::huber_loss", modules.schemas_of("huber_loss"))
MEDIAN = VerifyTask("aten::median", modules.schemas_of("median"))
SUM = VerifyTask(
    "aten::sum",
    (
        parse_schema("sum(Tensor self, *, ScalarType? dtype=None) -> Tensor"),
        parse_schema(
            "sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"
        ),
    ),
)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYMGEN_CACHE_DIR", str(tmp_path))
    return tmp_path


@pytest.mark.usefixtures("cache")
def test_samples_are_calls_of_overloads_and_are_kept() -> None:
    pytest.importorskip("expecttest")
    with start_pool(workers=1) as pool:
        known = known_samples([HUBER, MEDIAN, SUM], pool)
        assert known.notes == ()
        assert known_samples([HUBER, MEDIAN, SUM], pool) == known

    huber = known.samples["aten::huber_loss"]
    assert {sample.positional[2] for sample in huber if len(sample.positional) > 2} == {0, 2}
    assert all(sample.source == "OpInfo" for sample in huber)
    assert {sample.overload for sample in known.samples["aten::median"]} == {"", "dim"}
    assert {sample.overload for sample in known.samples["aten::sum"]} >= {"dim_IntList"}
    assert load_cached("aten::huber_loss") == huber


@pytest.mark.usefixtures("cache")
def test_the_cache_is_asked_first(pool: Pool) -> None:
    with pytest.raises(LookupError):
        load_cached("aten::x")
    store("aten::x", [])
    assert load_cached("aten::x") == ()


def test_without_expecttest_the_evidence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise ModuleNotFoundError("No module named 'expecttest'")

    monkeypatch.setattr("symgen.verify.opinfo_samples.load_op_db", missing)
    monkeypatch.setattr("symgen.verify.worker.quiet", lambda: None)
    said: list[Message] = []
    work(OpInfoJob((HUBER,)), said.append)
    assert said == [Collected((), "OpInfo has not been asked, as it cannot be imported: No module named 'expecttest'")]


@pytest.mark.usefixtures("cache")
def test_samples_of_opinfo_are_verified_like_all_others() -> None:
    stored = Recipe("stored", data=encode(torch.tensor([3.0, -3.0])))
    sample = SampleSpec("", (TensorSpec((2,), "float32", stored), TensorSpec((1,))), source="OpInfo")
    store("aten::hypot", [sample])
    seen = verify(modules.task_for("hypot", modules.HYPOT, first=11, opsets=(17,)))
    assert any(one.source == "OpInfo" for one in seen.samples.samples)
    assert seen.evidence.is_proof
