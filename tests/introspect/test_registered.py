"""What torch registers, read from its source, is what its registry holds when all of it is imported."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from symgen.errors import ParseError
from symgen.introspect.catalogue import Catalogue
from symgen.introspect.refusals import Refusal
from symgen.introspect.registered import Registered, load_registered, parse_registered
from symgen.introspect.torch_install import TorchInstall

LIVE_REGISTRY = """
import importlib, json
from torch.onnx._internal.torchscript_exporter import registration
for opset in range(7, 21):
    importlib.import_module(f"torch.onnx._internal.torchscript_exporter.symbolic_opset{opset}")
names = registration.registry.all_functions()
print(json.dumps({n: sorted(registration.registry.get_function_group(n)._functions) for n in names}))
"""
MODULE = """
_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=12)
names = ("scan", "expand")

@_onnx_symbolic("aten::a")
@symbolic_helper.parse_args("v", "i")
def a(g, x, mode):
    if mode == 1:
        return symbolic_helper._unimplemented("a", "does not support mode 1", x)
    elif mode == 2:
        raise errors.SymbolicValueError(f"mode {mode} is odd", x)
    for y in x:
        if y:
            symbolic_helper._onnx_unsupported("a of true")
    return shared(g, x)

@_onnx_symbolic("aten::b1", decorate=[symbolic_helper._apply_params("b1", 1), _export("b1")])
@_onnx_symbolic("aten::b2", opset=[12, 14], decorate=[symbolic_helper._apply_params("b2", 2)])
def _b(name, dim):
    def symbolic(g, x):
        if not x:
            return symbolic_helper._onnx_opset_unsupported(name, 12, 13, x)
        return symbolic_helper._onnx_opset_unsupported_detailed(name, 12, 13, f"{name} in {dim}D only", x)
    return symbolic

def shared(g, x):
    if x is None:
        raise ValueError("nothing " + "there")
    return g.op("X", x)

for name in names:
    _onnx_symbolic(f"aten::{name}")(symbolic_helper._block_list_in_opset(name))
c = _onnx_symbolic("aten::c")(_b("c", 3))
unrelated = other("aten::d")(1)
"""


@pytest.fixture(scope="module")
def small() -> Registered:
    return parse_registered({Path("symbolic_opset12.py"): MODULE})


def test_it_is_the_live_registry(catalogue: Catalogue) -> None:
    run = subprocess.run([sys.executable, "-c", LIVE_REGISTRY], capture_output=True, text=True, check=True)
    live = {name: tuple(opsets) for name, opsets in json.loads(run.stdout).items()}
    assert {name: catalogue.registered.opsets(name) for name in catalogue.registered.functions} == live
    assert sum(name.startswith("aten::") for name in live) >= 359
    assert len(live) >= 401


def test_what_comes_from_the_cache_is_the_same(catalogue: Catalogue, install: TorchInstall) -> None:
    assert dict(catalogue.registered.functions) == dict(load_registered(install).functions)


def test_every_location_is_that_of_the_registration(catalogue: Catalogue) -> None:
    for functions in catalogue.registered.functions.values():
        for function in functions:
            lines = Path(function.location.path).read_text(encoding="utf-8").splitlines()
            assert "_onnx_symbolic(" in lines[function.location.line - 1]


def test_which_function_serves(catalogue: Catalogue) -> None:
    registered = catalogue.registered
    assert registered.opsets("aten::index_put") == (9, 11)
    for opset, serving in [(8, None), (9, 9), (10, 9), (11, 11), (20, 11)]:
        function = registered.serving("aten::index_put", opset)
        assert (function.opset if function else None) == serving
    assert registered.serving("aten::hypot", 20) is None
    assert registered.opsets("aten::hypot") == ()


def test_what_elu_refuses(catalogue: Catalogue) -> None:
    assert catalogue.registered.refusals("aten::elu", 20) == (
        Refusal("does not support scale in Elu", "scale and scale != 1.0"),
        Refusal("does not support input_scale in Elu", "input_scale and input_scale != 1.0"),
    )
    assert catalogue.registered.refusals("aten::hypot", 20) == ()


def test_registrations_by_decorator_loop_and_call(small: Registered) -> None:
    assert {name: small.opsets(name) for name in small.functions} == {
        "aten::a": (12,),
        "aten::b1": (12,),
        "aten::b2": (12, 14),
        "aten::c": (12,),
        "aten::expand": (12,),
        "aten::scan": (12,),
    }
    names = {name: functions[0].function for name, functions in small.functions.items()}
    assert names["aten::b2"] == "_b"
    assert names["aten::scan"] == "_block_list_in_opset"
    assert names["aten::c"] == "c"


def test_refusals_with_their_conditions(small: Registered) -> None:
    assert small.refusals("aten::a", 12) == (
        Refusal("does not support mode 1", "mode == 1"),
        Refusal("mode {mode} is odd", "not mode == 1 and mode == 2"),
        Refusal("a of true", "y"),
        Refusal("nothing there", "x is None"),
    )


def test_refusals_of_a_function_that_makes_functions(small: Registered) -> None:
    assert small.refusals("aten::b2", 13) == (
        Refusal("b2 needs opset 13", "not x"),
        Refusal("b2 in 2D only", ""),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@_onnx_symbolic(name())\ndef f(g): ...", r"symbolic_opset9\.py:1: name\(\) is not a constant string"),
        ("@_onnx_symbolic('a::b', opset=n)\ndef f(g): ...", r"symbolic_opset9\.py:1: n is not a constant opset"),
        ("def f(:", r"symbolic_opset9\.py:1: not valid Python"),
    ],
)
def test_what_cannot_be_read_is_an_error(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        parse_registered({Path("symbolic_opset9.py"): text})


def test_without_the_exporters_files(tmp_path: Path) -> None:
    with pytest.raises(ParseError, match=r"symbolic_opset\*\.py are absent"):
        load_registered(TorchInstall(tmp_path, "2.13.0"))
