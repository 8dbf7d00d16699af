from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
import zlib
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from symgen.model.standing import Standing


class Elements(HTMLParser):
    """The elements of a page, with the text of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self._in_script = False
        self.feed(text)

    def handle_endtag(self, tag: str) -> None:
        self._in_script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._in_script = tag == "script"
        if tag == "script":
            self.scripts.append((dict(attrs), ""))

    def handle_data(self, data: str) -> None:
        if self._in_script:
            attributes, text = self.scripts.pop()
            self.scripts.append((attributes, text + data))


@pytest.fixture(scope="module")
def elements(make_page: Callable[[int], str]) -> Elements:
    return Elements(make_page(40))


def test_nothing_in_the_data_becomes_markup(elements: Elements) -> None:
    assert "img" not in {tag for tag, _ in elements.found}
    data = next(text for attributes, text in elements.scripts if attributes.get("id") == "data")
    assert json.loads(data)["ops"][3]["reason"].startswith("</script><img")


def test_details_are_packed_in_their_order(elements: Elements) -> None:
    chunks = [text for attributes, text in elements.scripts if (attributes.get("id") or "").startswith("chunk-")]
    unpacked = [one for chunk in chunks for one in json.loads(zlib.decompress(base64.b64decode(chunk)))]
    assert [one["reproduction"] for one in unpacked] == [f"symgen audit op{number}" for number in range(40)]


def test_nothing_is_loaded_and_only_the_one_script_runs(elements: Elements) -> None:
    sources = {"src", "srcset", "data", "poster"}
    assert not [attributes for tag, attributes in elements.found if sources & attributes.keys() or tag == "link"]
    (policy,) = [a["content"] or "" for tag, a in elements.found if a.get("http-equiv") == "Content-Security-Policy"]
    (script,) = [text for attributes, text in elements.scripts if "type" not in attributes]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy


def test_every_control_has_a_name(make_page: Callable[[int], str], elements: Elements) -> None:
    page = make_page(1)
    for tag in ("input", "select"):
        assert len(re.findall(rf"<label[^>]*>[^<]+(?:<kbd>/</kbd>)?<{tag}\b", page)) == page.count(f"<{tag} ")
    identifiers = [attributes["id"] for _, attributes in elements.found if "id" in attributes]
    assert len(identifiers) == len(set(identifiers))
    assert ("html", {"lang": "en"}) in elements.found


def luminance(color: str) -> float:
    color = "".join(2 * digit for digit in color) if len(color) == 3 else color
    parts = [int(color[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_text_stands_out_in_light_and_dark(repository: Path) -> None:
    style = (repository / "templates" / "coverage" / "page.css").read_text("utf-8")
    pair = r"light-dark\(#(\w+), #(\w+)\)"
    cells = re.findall(rf"background-color: {pair}; color: {pair};", style)
    assert len(cells) == len(Standing)
    tones = {name: (light, dark) for name, light, dark in re.findall(rf"--(\w+): {pair}", style)}
    on_page = [
        *re.findall(rf"(?:\}} |^)\.\w \{{ color: {pair}", style, re.MULTILINE),
        tones["text"],
        tones["dim"],
        tones["link"],
    ]
    assert len(on_page) >= 8
    for light_back, dark_back, light, dark in cells:
        assert contrast(light_back, light) >= 4.5
        assert contrast(dark_back, dark) >= 4.5
    for place in (0, 1):
        for back in (tones["page"], tones["soft"]):
            assert all(contrast(back[place], color[place]) >= 4.5 for color in on_page)


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_the_script_is_valid(repository: Path) -> None:
    script = repository / "templates" / "coverage" / "page.js"
    subprocess.run(["node", "--check", script], check=True)
