from __future__ import annotations

import json

import pytest

from symgen.cli import main


def explained(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, object]]:
    main(["match", *arguments, "--json"])
    printed = json.loads(capsys.readouterr().out)
    assert list(printed) == ["symgen", "torch", "onnx", "ops"]
    return printed["ops"]


def test_the_json(capsys: pytest.CaptureFixture[str]) -> None:
    (elu,) = explained(capsys, "torch.nn.functional.elu")
    keys = [
        "asked",
        "op",
        "arrival",
        "overloads",
        "stubs",
        "onnx",
        "torch",
        "candidates",
        "exporter",
        "reach",
        "reason",
    ]
    assert list(elu) == keys
    assert elu["asked"] == "torch.nn.functional.elu"
    assert elu["op"] == "aten::elu"
    assert elu["onnx"] == {"name": "Elu", "since": 1, "reach": ""}
    assert (elu["exporter"], elu["reach"]) == ("torchscript", "")
    assert elu["torch"]["opsets"] == [9]
    assert any("input_scale" in refusal for refusal in elu["torch"]["refuses"])
    assert any(overload["text"].startswith("elu(Tensor self") and overload["line"] for overload in elu["overloads"])
    entry, same_name = elu["candidates"]
    assert entry["strategy"] == "decomposition"
    assert entry["opsets"] == [[9, 20]]
    assert entry["plan"].startswith("def elu(op, self, alpha, scale, input_scale):")
    assert {"name": "Elu", "since": 1, "kernels": ["float32"], "reach": ""} in entry["operators"]
    assert same_name["parameters"]["scale"] == "anything but 1 is refused"
    assert not elu["reason"]


def test_the_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "sinh", "elu"]) == 0
    out = capsys.readouterr().out
    assert "sinh(Tensor self) -> Tensor  torchgen/packaged/ATen/native/native_functions.yaml:" in out
    assert "  ONNX      Sinh, since opset 9\n" in out
    assert "  torch     has its own at opset 9\n" in out
    assert "    | def sinh(op, self):\n" in out
    assert "    Sinh (since 9): kernels for float32\n" in out


def test_the_lowest_opset_is_respected(capsys: pytest.CaptureFixture[str]) -> None:
    (elu,) = explained(capsys, "elu", "--opset", "13")
    assert elu["candidates"][0]["opsets"] == [[13, 20]]


def test_what_the_dynamo_exporter_reaches(capsys: pytest.CaptureFixture[str]) -> None:
    silu, rms_norm, cumprod = explained(capsys, "silu", "rms_norm", "cumprod", "--target", "torchlib")
    assert (silu["exporter"], silu["torch"]["opsets"], rms_norm["torch"]["opsets"]) == ("dynamo", [18], [])
    assert silu["reach"].startswith("builds models of opset 18 and converts them, up to opset 25")
    assert silu["candidates"][0]["opsets"] == [[18, 23], [24, 24]]
    (swish,) = silu["candidates"][0]["operators"]
    assert (swish["name"], swish["since"], swish["kernels"]) == ("Swish", 24, [])
    assert swish["reach"] == (
        "the exporter reaches it at opsets 24 to 25; ONNX Runtime runs it at opset 24, by its function body"
    )
    assert rms_norm["candidates"][0]["opsets"] == [[18, 22], [23, 24]]
    assert cumprod["onnx"] == {"name": "CumProd", "since": 26, "reach": "the exporter does not reach it"}
    (of_23,) = explained(capsys, "rms_norm", "--target", "torchlib", "--opset", "23")
    assert of_23["candidates"][0]["opsets"] == [[23, 24]]


def test_the_text_for_the_dynamo_exporter(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "cumprod", "--target", "torchlib"]) == 0
    out = capsys.readouterr().out
    assert "  ONNX      CumProd, since opset 26: the exporter does not reach it\n" in out
    assert "  exporter  torchlib has no function: it takes the operator apart, or fails\n" in out
    assert "            builds models of opset 18 and converts them" in out


@pytest.mark.parametrize(
    ("asked", "op", "arrival"),
    [
        ("conv_transpose2d", "aten::conv_transpose2d", ""),
        ("add_", "aten::add", "torch.export calls aten::add in its place"),
        ("arccosh", "aten::acosh", "it is another name of aten::acosh, under which it reaches the exporter"),
        ("special_erf", "aten::special_erf", ""),
    ],
)
def test_how_an_operator_reaches_the_dynamo_exporter(
    asked: str, op: str, arrival: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (one,) = explained(capsys, asked, "--target", "torchlib")
    assert (one["op"], one["arrival"]) == (op, arrival)


def test_an_operator_without_translation_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "aten::to_sparse"]) == 1
    assert "no translation: ONNX models have no sparse layout" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("aten::hypott", "error: no operator aten::hypott is declared (did you mean aten::hypot"),
        ("aten::max.dims", "error: aten::max has no overload 'dims'"),
        ("aten::../../x", "error: 'aten::../../x' is not the name of an operator"),
        ("aten::x;import os", "error: 'aten::x;import os' is not the name of an operator"),
    ],
)
def test_unknown_names_end_with_2_and_the_nearest(name: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "aten::elu", name]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert err.startswith(message)
