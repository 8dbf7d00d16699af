"""Helpers in the files of a checkout: written once, called from elsewhere, named apart where a name is taken."""

from __future__ import annotations

import pytest

from checkouts import MiniCheckout
from symgen.model.definition import Definition, Registration
from symgen.pipeline.upstream.checkout import Checkout, open_checkout
from symgen.pipeline.upstream.fit import File, fit, functions_of

LEAF = Definition("_leaf", "def _leaf(g, x):\n    return opset9.abs(g, x)\n", exported=False)
USER = Definition("_user", "def _user(g, x):\n    return _leaf(g, x)\n", requires=("_leaf",), exported=False)
OP = Definition(
    "op", "def op(g, x):\n    return _user(g, x)\n", (Registration("aten::op", (11, 13)),), requires=("_leaf", "_user")
)
IN_OPSET9 = "def _leaf(g, x):\n    # As it is there.\n    return abs(g, x)\n"
ANOTHER_LEAF = "def _leaf(g, x):\n    return x\n"
IN_OPSET10 = "def _user(g, x):\n    return _leaf(g, x)\n"


@pytest.fixture(scope="module")
def opened(newer: MiniCheckout) -> Checkout:
    return open_checkout(newer.root)


def fitted(opened: Checkout, text: str = "", opset: int = 11, **lower: str) -> dict[str, Definition]:
    file = File(opened.symbolic_file(opset), text, {module: functions_of(code) for module, code in lower.items()})
    return {one.name: one for one in fit((LEAF, USER, OP), file, opset, opened)}


def test_what_no_file_has_is_written(opened: Checkout) -> None:
    found = fitted(opened)
    assert set(found) == {"_leaf", "_user", "op"}
    assert found["op"].registrations == (Registration("aten::op", (11,)),)
    assert [str(one) for one in found["_leaf"].imports] == [
        "from torch.onnx._internal.torchscript_exporter import symbolic_opset9 as opset9"
    ]


def test_what_the_file_for_opset_9_has_is_called_from_there(opened: Checkout) -> None:
    found = fitted(opened, opset9=IN_OPSET9)
    assert set(found) == {"_user", "op"}
    assert found["_user"].source == "def _user(g, x):\n    return opset9._leaf(g, x)\n"
    assert found["_user"].requires == ()


def test_the_same_text_over_another_helper_is_another_helper(opened: Checkout) -> None:
    found = fitted(opened, opset9=ANOTHER_LEAF + IN_OPSET10)
    assert set(found) == {"_leaf", "_user", "op"}


def test_what_calls_a_shared_helper_can_be_shared_too(opened: Checkout) -> None:
    own_leaf = "def _leaf(g, x):\n    return opset9.abs(g, x)\n"
    found = fitted(opened, opset9="", opset10=own_leaf + IN_OPSET10)
    assert set(found) == {"op"}
    assert found["op"].source == "def op(g, x):\n    return opset10._user(g, x)\n"
    assert "symbolic_opset10 as opset10" in str(found["op"].imports[0])


def test_a_name_that_is_taken(opened: Checkout) -> None:
    found = fitted(opened, text=ANOTHER_LEAF)
    assert set(found) == {"_leaf_helper", "_user", "op"}
    assert found["_leaf_helper"].source.startswith("def _leaf_helper(g, x):\n")
    assert found["_user"].source == "def _user(g, x):\n    return _leaf_helper(g, x)\n"
    assert found["_user"].requires == ("_leaf_helper",)


def test_in_its_own_file_a_function_is_called_without_the_module(opened: Checkout) -> None:
    found = fitted(opened, opset=9)
    assert found["_leaf"].source == "def _leaf(g, x):\n    return abs(g, x)\n"
    assert found["_leaf"].calls == ("abs",)
    assert found["_leaf"].imports == ()
