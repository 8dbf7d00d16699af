"""Comments that silence findings, and options that choose codes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Found = Callable[..., list[tuple[str, int]]]
BODY = """
@_onnx_symbolic("aten::softshrink"){decorator}
@symbolic_helper.parse_args("v", "f")
def softshrink(g, self,{parameter}
               lambd=0.5){header}:
    return g.op("Shrink", self, bias=0.5){call}
"""
NOTHING = {"decorator": "", "parameter": "", "header": "", "call": ""}


def codes(found: Found, **comments: str) -> list[str]:
    return sorted({code for code, _ in found(BODY.format(**{**NOTHING, **comments}))})


def test_without_a_comment_all_is_found(found: Found) -> None:
    assert codes(found) == ["SG007", "SG008"]


@pytest.mark.parametrize("place", ["decorator", "parameter", "header"])
@pytest.mark.parametrize("comment", ["  # symgen: ignore[SG008] always 0.5", "  #symgen:ignore[SG001,SG008]"])
def test_a_comment_in_the_header_counts_for_the_function(found: Found, place: str, comment: str) -> None:
    body = BODY.format(**NOTHING)
    if place == "header":
        body = body.replace("lambd=0.5):", f"lambd=0.5):{comment}")
    else:
        body = BODY.format(**{**NOTHING, place: comment})
    assert {code for code, _ in found(body)} == {"SG007"}


@pytest.mark.parametrize(
    ("comment", "left"),
    [
        ("  # symgen: ignore[SG007]", ["SG008"]),
        ("  # symgen: ignore", ["SG008"]),
        ("  # symgen: ignore[SG001]", ["SG007", "SG008"]),
        ("  # symgen: ignored", ["SG007", "SG008"]),
        ("; '# symgen: ignore[SG007]'", ["SG007", "SG008"]),
    ],
)
def test_a_comment_on_a_line_counts_for_what_is_found_there(found: Found, comment: str, left: list[str]) -> None:
    assert codes(found, call=comment) == left


def test_a_comment_by_itself_counts_for_the_line_below(found: Found) -> None:
    body = BODY.format(**NOTHING).replace("    return", "    # symgen: ignore[SG007] old runtime\n    return")
    assert {code for code, _ in found(body)} == {"SG008"}


@pytest.mark.parametrize(
    ("select", "left"),
    [((), {"SG007", "SG008"}), (("SG008",), {"SG008"}), (("SG00",), {"SG007", "SG008"}), (("SG01",), set())],
)
def test_selected_codes_are_reported(found: Found, select: tuple[str, ...], left: set[str]) -> None:
    assert {code for code, _ in found(BODY.format(**NOTHING), select=select)} == left
