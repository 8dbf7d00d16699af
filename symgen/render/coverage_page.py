"""Renders the coverage as one HTML page that needs nothing else: no network, no other file.

What is listed stands in the page as JSON; what an operator's own view shows is compressed, some operators together, and
unpacked by the browser when it is opened.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from symgen.model.standing import Span, Standing
from symgen.render.environment import template_environment

_FOLDER = "coverage"
_PER_CHUNK = 16
_MARKS: Mapping[Standing, tuple[str, str, str]] = {
    Standing.TORCH_RIGHT: ("T", "tr", "torch, right"),
    Standing.TORCH: ("t", "tu", "torch, no audit on record"),
    Standing.TORCH_REFUSES: ("R", "tf", "torch, refuses or fails for some arguments"),
    Standing.TORCH_WRONG: ("X", "tw", "torch, wrong"),
    Standing.SYMGEN_VERIFIED: ("S", "sv", "symgen, verified"),
    Standing.SYMGEN: ("s", "su", "symgen, no proof on record"),
    Standing.PARTS_VERIFIED: ("P", "pv", "symgen for its parts, verified"),
    Standing.PARTS: ("p", "pu", "symgen for its parts, derived and not run"),
    Standing.NEITHER: ("-", "no", "neither"),
    Standing.UNKNOWN: ("?", "uk", "only an export tells"),
}


@dataclass(frozen=True)
class Column:
    """One exporter with its opsets."""

    name: str
    title: str
    opsets: tuple[int, ...]


@dataclass(frozen=True)
class Listed:
    """What the matrix and the search know of an operator."""

    op: str
    arrives_as: str
    family: str
    reason: str
    link: str
    signature: tuple[str, ...]
    dtypes: tuple[str, ...]
    spans: tuple[Span, ...]
    apart: tuple[str, ...] = ()
    """What is said where an exporter never asks for it."""


@dataclass(frozen=True)
class Standard:
    """The ONNX operator of the same name."""

    name: str
    since: int
    link: str


@dataclass(frozen=True)
class Code:
    """Generated code, and what it is for."""

    title: str
    code: str


@dataclass(frozen=True)
class Seen:
    """What a verification on record saw, in sentences."""

    title: str
    text: str
    faults: tuple[str, ...] = ()


@dataclass(frozen=True)
class Details:
    """What an operator's own view shows beside that."""

    overloads: tuple[tuple[str, str], ...]
    """Each declaration with its place."""
    stubs: tuple[tuple[str, str], ...]
    onnx: Standard | None
    refuses: tuple[str, ...]
    candidates: tuple[str, ...]
    plan: str
    graph: str
    """The drawing of the plan, as SVG."""
    code: tuple[Code, ...]
    evidence: tuple[Seen, ...]
    reproduction: str


def render_coverage_page(
    columns: Sequence[Column],
    listed: Sequence[Listed],
    details: Iterable[Details],
    versions: str,
    own_templates: Path | None = None,
) -> str:
    """The page; `details` has one for each that is listed, in their order."""
    title = "symgen coverage"
    marks = [{"glyph": glyph, "css": css, "text": text} for glyph, css, text in _MARKS.values()]
    data = {
        "title": title,
        "per_chunk": _PER_CHUNK,
        "columns": [asdict(column) for column in columns],
        "marks": marks,
        "ops": [_record(one, columns) for one in listed],
    }
    environment = template_environment(own_templates)
    script = _text("page.js", own_templates)
    digest = hashlib.sha256(f"\n{script}".encode()).digest()
    return environment.get_template(f"{_FOLDER}/page.html.jinja").render(
        title=title,
        versions=versions,
        columns=columns,
        marks=marks,
        style=_text("page.css", own_templates),
        script=script,
        script_hash=base64.b64encode(digest).decode(),
        data=embedded(data),
        chunks=[_packed(chunk) for chunk in _chunks(details)],
    )


def embedded(value: object) -> str:
    """JSON that nothing in it can end the script element of, or be taken for markup."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False, ensure_ascii=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def strip(spans: Iterable[Span], column: Column) -> str:
    """How an operator stands at the opsets of a column, a letter for each."""
    glyphs = {
        opset: _MARKS[span.standing][0]
        for span in spans
        if span.exporter == column.name
        for opset in range(span.first, span.last + 1)
    }
    return "".join(glyphs.get(opset, _MARKS[Standing.UNKNOWN][0]) for opset in column.opsets)


def _record(one: Listed, columns: Sequence[Column]) -> dict[str, object]:
    return {
        "op": one.op,
        "arrives_as": one.arrives_as,
        "family": one.family,
        "reason": one.reason,
        "link": one.link,
        "signature": one.signature,
        "dtypes": one.dtypes,
        "apart": one.apart,
        "strips": [strip(one.spans, column) for column in columns],
    }


def _chunks(details: Iterable[Details]) -> Iterable[list[Details]]:
    remaining = iter(details)
    return iter(lambda: list(itertools.islice(remaining, _PER_CHUNK)), [])


def _packed(chunk: Sequence[Details]) -> str:
    text = json.dumps([asdict(one) for one in chunk], separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def _text(name: str, own_templates: Path | None) -> str:
    """A part of the page as it stands, which is no template."""
    environment = template_environment(own_templates)
    assert environment.loader is not None
    source, _, _ = environment.loader.get_source(environment, f"{_FOLDER}/{name}")
    return source
