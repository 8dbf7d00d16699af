"""The page in a real browser, where there is one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chromium import BROWSER, Page, open_browser

pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no Chromium")
VISIBLE = "[...document.querySelectorAll('#rows .row')].filter((row) => row.getClientRects().length).length"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with open_browser(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture
def page(browser: Page, page_file: Path) -> Page:
    browser.requests.clear()
    browser.problems.clear()
    browser.open("about:blank")
    browser.open(page_file.as_uri())
    return browser


def choose(page: Page, control: str, value: str) -> int:
    """The number of rows in sight after a filter is set."""
    page.run(
        f"{{ const it = document.getElementById('{control}'); it.value = '{value}'; "
        "it.dispatchEvent(new Event('input', { bubbles: true })); }"
    )
    return int(page.run(VISIBLE))


def test_it_needs_nothing_else_and_no_data_runs(page: Page, page_file: Path) -> None:
    assert page.run(VISIBLE) == 1000
    page.run("location.hash = 'aten::op3'")
    page.until("document.querySelector('#detail-body h3')")
    assert page.run("document.title").startswith("aten::op3")
    assert "</script><img" in page.run("document.getElementById('detail-body').textContent")
    assert page.run("document.images.length") == 0
    assert {request for request in page.requests if not request.startswith("about:")} == {page_file.as_uri()}
    assert page.problems == []


def test_search_and_filters(page: Page) -> None:
    page.press("/")
    for letter in "op99":
        page.press(letter)
    assert page.run(VISIBLE) == 11
    assert page.run("document.getElementById('count').textContent") == "11 of 1000 operators"
    page.run("document.querySelector('[type=reset]').click()")
    page.until(f"{VISIBLE} === 1000")
    assert choose(page, "family", "family1") == 143
    assert choose(page, "family", "") == 1000
    assert choose(page, "status", "X") == 360, "in either exporter, at any opset"
    assert choose(page, "opset", "9") == 200
    assert choose(page, "exporter", "torchlib") == 0, "which has no opset 9"


def test_the_keyboard_is_enough(page: Page) -> None:
    page.run("document.querySelector('#rows a').focus()")
    page.press("ArrowDown")
    assert page.run("document.activeElement.textContent") == "aten::op1"
    page.press("Enter")
    page.until("document.querySelector('#detail-body svg')")
    assert page.run("location.hash") == "#aten::op1"
    assert page.run("document.activeElement.id") == "detail-title"
    page.run("document.getElementById('next').click()")
    page.until("document.getElementById('detail-title').textContent === 'aten::op2'")
    page.press("Escape")
    page.until("!document.getElementById('detail').open")
    assert page.run("document.activeElement.textContent") == "aten::op2"
    assert page.run("location.hash") == ""
    assert page.run("document.querySelectorAll('#rows a[tabindex=\"0\"]').length") == 1


def test_a_link_into_the_page(page: Page, page_file: Path) -> None:
    page.open("about:blank")
    page.open(f"{page_file.as_uri()}#aten::op998")
    page.until("document.querySelector('#detail-body svg')")
    assert "symgen audit op998" in page.run("document.getElementById('detail-body').textContent")


def test_on_a_phone_nothing_is_wider_than_the_screen(page: Page) -> None:
    page.call("Emulation.setDeviceMetricsOverride", width=360, height=740, deviceScaleFactor=1, mobile=True)
    assert page.run("document.documentElement.scrollWidth") == 360
    page.run("location.hash = 'aten::op1'")
    page.until("document.querySelector('#detail-body svg')")
    assert page.run("document.querySelector('#detail-body a').textContent.length") > 40, "a long word"
    assert page.run("document.getElementById('detail').scrollWidth") == 360
    page.call("Emulation.clearDeviceMetricsOverride")


def test_in_print_every_row_is_there_and_no_control(page: Page) -> None:
    page.call("Emulation.setEmulatedMedia", media="print")
    assert page.run(VISIBLE) == 1000
    assert page.run("document.getElementById('filters').getClientRects().length") == 0
    page.call("Emulation.setEmulatedMedia", media="")


@pytest.mark.benchmark
def test_the_first_paint_of_a_thousand_operators(page: Page) -> None:
    page.call("Page.captureScreenshot")
    paints = page.run("performance.getEntriesByType('paint').map((entry) => entry.startTime)")
    assert paints
    assert max(paints) < 1000
