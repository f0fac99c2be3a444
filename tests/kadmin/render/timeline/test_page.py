"""The page with the timeline, in a real browser."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kadmin.jobs.merge.request import MergeRequest
from kadmin.jobs.story.gather import Selection
from kadmin.jobs.story.tell import Analysis, tell
from kadmin.render.merge_logs.story_body import analysis_body
from kadmin.render.timeline.page import json_for_script, timeline_page
from kadmin.story.values import Story
from tests.kadmin.jobs.merge.logs import found_in
from tests.support.checkout import CHECKOUT
from tests.support.chromium import Browser, Page, chromium

# One browser serves all tests of this module.
pytestmark = pytest.mark.xdist_group("timeline")

INCIDENT = CHECKOUT / "scripts" / "demo-incident"
DRAWN = "document.body?.dataset.drawn === 'true'"
HOSTILE = (
    '</script><script>window.hacked = 1</script><img src=x onerror="window.hacked = 2">\'&amp;"'
)
HACKED = "window.hacked"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("chromium")) as started:
        yield started


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    request = MergeRequest(sources=found_in(INCIDENT), master=None)
    return tell(request, Selection())


@pytest.fixture
def incident(analysis: Analysis, browser: Browser, tmp_path: Path) -> Iterator[Page]:
    with opened(browser, analysis, tmp_path) as page:
        yield page


def opened(browser: Browser, analysis: Analysis, directory: Path, **size: int) -> Any:
    path = directory / "page.html"
    path.write_text(timeline_page(analysis), "utf-8")
    return browser.opened(path, **size)


def shown_range(page: Page) -> list[float]:
    """From when to when the timeline shows, in ms."""
    bounds = page.value(
        "document.getElementById('chart').layout.xaxis.range.map((bound) =>"
        " typeof bound === 'number' ? bound : Date.parse(bound.replace(' ', 'T') + 'Z'))"
    )
    assert len(bounds) == 2
    return [float(each) for each in bounds]


def plot_area(page: Page) -> dict[str, float]:
    """Where in the window the timeline itself is drawn."""
    area: dict[str, float] = page.value(
        "(() => { const {x, y, width, height} ="
        " document.querySelector('#chart .nsewdrag').getBoundingClientRect();"
        " return {x, y, width, height}; })()"
    )
    return area


def bar_of(page: Page, label: str) -> tuple[float, float]:
    """The middle of the first bar that is called *label*."""
    found = page.wait_for(
        "(() => { for (const bar of document.querySelectorAll('#chart .bars .point')) {"
        f"  if (bar.textContent === {label!r}) {{"
        "   const box = bar.querySelector('path').getBoundingClientRect();"
        "   return [box.x + box.width / 2, box.y + box.height / 2]; } }"
        " return null; })()"
    )
    return found[0], found[1]


@pytest.mark.slow
def test_the_page_holds_what_json_says(analysis: Analysis) -> None:
    page = timeline_page(analysis)
    data = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)

    assert data is not None
    assert json.loads(data[1]) == json.loads(json.dumps(analysis_body(analysis)))
    assert "/*STYLE*/" not in page


def test_no_json_ends_the_element_that_it_stands_in() -> None:
    text = json_for_script({"name": HOSTILE, "line": "\u2028"})

    assert {"name": HOSTILE, "line": "\u2028"} == json.loads(text)
    assert not {"<", ">", "&", "\u2028"} & set(text)


@pytest.mark.browser
def test_the_timeline_begins_at_the_incident_and_a_drag_zooms(incident: Page) -> None:
    incident.wait_for(DRAWN)
    whole = shown_range(incident)
    area = plot_area(incident)
    y = area["y"] + area["height"] / 2

    incident.drag((area["x"] + area["width"] * 0.3, y), (area["x"] + area["width"] * 0.5, y))
    incident.wait_until(
        lambda: shown_range(incident)[1] - shown_range(incident)[0] < (whole[1] - whole[0]) * 0.25,
        "zooming in",
    )

    low, high = shown_range(incident)
    assert whole[0] < low < high < whole[1]
    assert whole[1] - whole[0] < 120_000
    incident.value("document.getElementById('incident').click()")
    incident.wait_until(lambda: shown_range(incident) == whole, "the way back")
    incident.value("document.getElementById('everything').click()")
    incident.wait_until(
        lambda: shown_range(incident)[1] - shown_range(incident)[0] > 1_800_000, "all"
    )
    incident.value("document.getElementById('nearer').click()")
    incident.wait_until(
        lambda: shown_range(incident)[1] - shown_range(incident)[0] < 1_800_000, "+"
    )
    assert [] == incident.complaints()


@pytest.mark.browser
def test_a_click_on_a_bar_shows_the_lines_that_tell_it(incident: Page, analysis: Analysis) -> None:
    incident.wait_for(DRAWN)
    assert "payments-1" == analysis.stories[0].name

    incident.click(*bar_of(incident, "none"))

    text = incident.wait_for(
        "document.querySelector('#details pre') && document.getElementById('details').innerText"
    )
    leaderless = analysis.stories[0].leaderless[0]
    assert "payments-1" in text
    assert "Without a leader" in text
    assert leaderless.line.text in " ".join(text.split())
    assert f"{leaderless.line.file}:{leaderless.line.number}" in text


@pytest.mark.browser
@pytest.mark.parametrize("width", [420, 1400])
def test_nothing_is_fetched_and_nothing_is_wider_than_the_window(
    analysis: Analysis, browser: Browser, tmp_path: Path, width: int
) -> None:
    with opened(browser, analysis, tmp_path, width=width, height=700) as page:
        page.wait_for(DRAWN)
        page.click(*bar_of(page, "none"))
        page.wait_for("document.querySelector('#details pre') !== null")

        assert [(tmp_path / "page.html").as_uri()] == page.requested()
        assert [] == page.complaints()
        assert 0 == page.value(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )


@pytest.mark.browser
def test_names_and_lines_are_text_whatever_they_say(
    analysis: Analysis, browser: Browser, tmp_path: Path
) -> None:
    first = analysis.stories[0]
    anomaly = first.anomalies[0]
    lines = tuple(replace(each, text=HOSTILE, file=HOSTILE) for each in anomaly.proof)
    hostile = replace(
        first,
        topic=HOSTILE,
        anomalies=(replace(anomaly, text=HOSTILE, proof=lines),),
        hidden=(HOSTILE,),
    )
    with opened(browser, replace(analysis, stories=(hostile,)), tmp_path) as page:
        page.wait_for(DRAWN)
        page.click(*anomaly_at(page))
        shown = page.wait_for(
            "document.querySelector('#details pre') && document.getElementById('details').innerText"
        )
        label = page.value("document.querySelectorAll('.ytick text')[1].textContent")

        assert HOSTILE in shown
        assert label.startswith("</script>")
        assert page.value(HACKED) is None
        assert 0 == page.value("document.images.length")
        assert [] == page.complaints()


def anomaly_at(page: Page) -> tuple[float, float]:
    found = page.wait_for(
        "(() => { const mark = document.querySelector('#chart .scatterlayer .point');"
        " if (!mark) return null; const box = mark.getBoundingClientRect();"
        " return [box.x + box.width / 2, box.y + box.height / 2]; })()"
    )
    return found[0], found[1]


@pytest.mark.browser
def test_of_two_thousand_partitions_the_worst_are_there_first_and_the_rest_on_wish(
    analysis: Analysis, browser: Browser, tmp_path: Path
) -> None:
    stories = many(analysis.stories, moved=150, healthy=1850)
    with opened(browser, replace(analysis, stories=stories), tmp_path) as page:
        page.wait_for(DRAWN)
        rows = "document.getElementById('chart').layout.yaxis.ticktext.length"
        height = "document.getElementById('chart').getBoundingClientRect().height"

        assert 101 == page.value(rows)
        assert 101 * 20 < page.value(height) < 101 * 40
        assert "with 1,850 that were well throughout" == page.value(
            "document.getElementById('healthy-text').textContent"
        )
        assert "50 partitions more below these." == page.value(
            "document.getElementById('rest-text').textContent"
        )
        page.value("document.getElementById('more').click()")
        page.wait_for(f"{rows} === 151")
        page.value(
            "(() => { const filter = document.getElementById('filter'); filter.value = 'calm-77';"
            " filter.dispatchEvent(new Event('input')); })()"
        )
        page.wait_for(f"{rows} === 12")
        assert [] == page.complaints()


def many(stories: tuple[Story, ...], *, moved: int, healthy: int) -> tuple[Story, ...]:
    """So many partitions whose leader moved, and so many whose leader did not."""
    moving = next(story for story in stories if story.name == "orders-0")
    calm = replace(
        moving,
        leaderships=moving.leaderships[:1],
        leaderless=(),
        anomalies=(),
    )
    return (
        *(replace(moving, topic="moving", partition=number) for number in range(moved)),
        *(replace(calm, topic="calm", partition=number) for number in range(healthy)),
    )
