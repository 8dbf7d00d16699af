"""Under which name an operator reaches the exporter; a sample of the committed measurements is measured again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from symgen.errors import ParseError, UnknownNameError
from symgen.introspect.arrivals import load_measured, parse_measured
from symgen.introspect.catalogue import Catalogue
from symgen.model.names import OpName, parse_op_name

THEMSELVES = ["sinh", "slogdet", "vander", "rsub", "sinh_", "fill_diagonal_", "__rshift__", "_convolution_mode"]
OTHERS = ["absolute", "clip", "concat", "inverse", "adjoint", "special_expit", "gru_cell", "conv2d", "zero_"]


def test_a_sample_measured_again(repository: Path) -> None:
    pytest.importorskip("torch")
    tool = repository / "tools" / "measure_arrivals.py"
    run = subprocess.run([sys.executable, tool, *THEMSELVES, *OTHERS], capture_output=True, text=True, check=True)
    again = parse_measured(run.stdout, "measured again")
    committed = load_measured()
    assert again == {name: committed[name] for name in OTHERS}
    assert not committed.keys() & set(THEMSELVES)


def test_everything_measured_is_declared(catalogue: Catalogue) -> None:
    for name, measured in catalogue.measured.items():
        assert name in catalogue.functions
        for arrived in (*measured.traced, measured.scripted):
            assert OpName("aten", arrived) in catalogue, arrived


@pytest.mark.parametrize(
    ("asked", "arrives", "reason"),
    [
        ("hypot", "hypot", ""),
        ("max.dim", "max", ""),
        ("_convolution_mode", "_convolution_mode", ""),
        ("absolute", "abs", "another name of aten::abs"),
        ("absolute_", "abs", "another name of aten::abs"),
        ("arccosh", "acosh", "another name"),
        ("clip", "clamp", "another name"),
        ("fix", "trunc", "another name"),
        ("concatenate", "cat", "another name"),
        ("inverse", "linalg_inv", "another name"),
        ("adjoint", "mH", "another name"),
        ("matrix_power", "linalg_matrix_power", "another name"),
        ("orgqr", "linalg_householder_product", "another name"),
        ("torch.special.expit", "sigmoid", "another name"),
        ("add_", "add", "the exporter drops the last underscore"),
        ("add_out", "add", "a call with out="),
        ("add.out", "add", "a call with out="),
        ("__rshift__", "__rshift_", "the exporter drops the last underscore"),
        ("__rshift_", "__rshift_", ""),
        ("__ixor__", "__ixor_", "the exporter drops the last underscore"),
        ("__ixor_", "__ixor_", ""),
        ("fill_diagonal_", "fill_diagonal", "the exporter drops the last underscore"),
        ("fill_diagonal", "fill_diagonal", ""),
        ("zero", "zeros_like", "another name"),
        ("quantized::relu6", "quantized::relu6", ""),
    ],
)
def test_the_name_that_arrives(catalogue: Catalogue, asked: str, arrives: str, reason: str) -> None:
    arrival = catalogue.arrives_as(parse_op_name(asked))
    assert arrival.op == parse_op_name(arrives)
    assert reason in arrival.reason
    assert bool(reason) == bool(arrival.reason)
    assert arrival.parts == ()
    assert catalogue.overloads_reaching(arrival.op)


def test_what_tracing_takes_apart_keeps_its_scripted_name(catalogue: Catalogue) -> None:
    arrival = catalogue.arrives_as(OpName("aten", "rnn_tanh_cell"))
    assert arrival.op == OpName("aten", "rnn_tanh_cell")
    assert [part.base for part in arrival.parts] == ["linear", "type_as", "add", "tanh"]
    assert arrival.reason == (
        "a traced model calls aten::linear, aten::type_as, aten::add, aten::tanh in its place; "
        "a scripted one keeps aten::rnn_tanh_cell"
    )


def test_what_nothing_declares(catalogue: Catalogue) -> None:
    with pytest.raises(UnknownNameError, match=r"no operator aten::hypott is declared .*aten::hypot"):
        catalogue.arrives_as(OpName("aten", "hypott"))


def test_a_broken_table() -> None:
    with pytest.raises(ParseError, match=r"^t\.tsv:2: 2 columns instead of 3"):
        parse_measured("# head\nclip\tclamp\n", "t.tsv")
