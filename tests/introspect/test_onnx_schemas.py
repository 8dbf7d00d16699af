"""The schemas of onnx with their history: the same as onnx has them, with or without the cache."""

from __future__ import annotations

import importlib.util

import onnx.defs
import onnx.helper
import pytest

from symgen.introspect.cache import FOLDER_VARIABLE
from symgen.introspect.onnx_schemas import DOMAINS, HIGHEST_OPSET, OnnxNotFoundError, OnnxSchemas, load_onnx_schemas


def test_every_version_of_every_operator_is_there(schemas: OnnxSchemas) -> None:
    live = [s for s in onnx.defs.get_all_schemas_with_history() if s.domain in DOMAINS]
    versions = {(s.domain, s.name, s.since_version): s for found in schemas.versions.values() for s in found}
    assert versions.keys() == {(s.domain, s.name, s.since_version) for s in live}
    for theirs in live:
        ours = versions[theirs.domain, theirs.name, theirs.since_version]
        assert [f.name for f in ours.inputs] == [f.name for f in theirs.inputs]
        assert [f.type for f in ours.outputs] == [f.type_str for f in theirs.outputs]
        assert {a.name: a.required for a in ours.attributes} == {n: a.required for n, a in theirs.attributes.items()}
        assert dict(ours.constraints) == {
            c.type_param_str: frozenset(c.allowed_type_strs) for c in theirs.type_constraints
        }
        assert ours.deprecated == theirs.deprecated


def test_what_comes_from_the_cache_is_the_same(schemas: OnnxSchemas) -> None:
    assert dict(load_onnx_schemas().versions) == dict(schemas.versions)


def test_the_newest_version_at_or_below_an_opset(schemas: OnnxSchemas) -> None:
    for name in ("ReduceSum", "Pad", "Elu"):
        for opset in range(9, HIGHEST_OPSET + 1):
            found = schemas.at(name, opset)
            assert found is not None
            assert found.since_version == onnx.defs.get_schema(name, opset).since_version
    assert schemas.at("Gelu", 19) is None
    assert schemas.at("Nonsense", 20) is None


def test_history_and_names(schemas: OnnxSchemas) -> None:
    assert [version.since_version for version in schemas.history("ReduceSum")] == [1, 11, 13]
    assert schemas.history("Nonsense") == ()
    assert "Gelu" in schemas.names(20)
    assert "Gelu" not in schemas.names(19)
    assert "Upsample" in schemas.names(9)
    assert "Upsample" not in schemas.names(10), "deprecated there"
    assert "TreeEnsembleRegressor" in schemas.names(3, "ai.onnx.ml")
    assert "TreeEnsembleRegressor" not in schemas.names(20)


def test_attributes_that_became_inputs(schemas: OnnxSchemas) -> None:
    twelve, thirteen = schemas.at("ReduceSum", 12), schemas.at("ReduceSum", 13)
    assert twelve is not None
    assert thirteen is not None
    assert twelve.attribute("axes") is not None
    assert thirteen.attribute("axes") is None
    assert [(formal.name, formal.option) for formal in thirteen.inputs] == [("data", "single"), ("axes", "optional")]
    assert thirteen.allowed_types(thirteen.inputs[1]) == {"tensor(int64)"}


def test_defaults_are_the_decimals_that_were_meant(schemas: OnnxSchemas) -> None:
    for name, attribute, default in [
        ("LeakyRelu", "alpha", 0.01),
        ("Selu", "gamma", 1.050701),
        ("Softmax", "axis", -1),
        ("ReduceSum", "keepdims", 1),
        ("Pad", "mode", "constant"),
        ("Elu", "alpha", 1.0),
    ]:
        schema = schemas.at(name, 20)
        assert schema is not None
        found = schema.attribute(attribute)
        assert found is not None
        assert found.default == default


def test_function_bodies(schemas: OnnxSchemas) -> None:
    body = schemas.function_body("Elu", 20)
    assert body is None or body.name == "Elu"
    newest = schemas.function_body("ThresholdedRelu", 20)
    assert newest is not None
    assert [node.op_type for node in newest.node]
    assert schemas.function_body("Abs", 20) is None
    assert schemas.function_body("Nonsense", 20) is None
    dependent = schemas.at("Celu", 20)
    assert dependent is not None
    assert dependent.has_function
    assert schemas.function_body("Celu", 20) is None
    call = onnx.helper.make_node("Celu", ["x"], ["y"], alpha=2.0)
    expanded = schemas.function_body("Celu", 20, node=call)
    assert expanded is not None
    assert "Elu" in [node.op_type for node in expanded.node]


def test_nearest_names(schemas: OnnxSchemas) -> None:
    assert schemas.nearest("log_softmax")[0] == "LogSoftmax"
    assert schemas.nearest("elu")[0] == "Elu"
    assert schemas.nearest("qqqqqqqqqq") == ()


def test_onnx_is_too_old(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path_factory.mktemp("empty")))
    monkeypatch.setattr(onnx.defs, "onnx_opset_version", lambda: 15)
    with pytest.raises(OnnxNotFoundError, match=r"knows opsets up to 15, symgen needs 20 \(install a newer onnx"):
        load_onnx_schemas()


def test_onnx_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(OnnxNotFoundError, match="onnx is not installed"):
        load_onnx_schemas()
