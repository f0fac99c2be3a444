"""The page in a real browser, over a real broker whose names are hostile."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

import pytest

from tests.support.chromium import Browser as Chromium
from tests.support.chromium import Page as Tab
from tests.support.chromium import chromium
from tests.support.cli import done
from tests.support.one_broker import OneBroker
from tests.support.page import TOKENS, Page
from tests.support.waiting import OUTER_LIMIT_S
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.xdist_group("one-broker")

HOSTILE = "</title><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>\"&amp;"
TOPIC = "read-in-a-browser"
PLACES = (
    *("/", "/clusters/one", "/clusters/one/brokers", "/clusters/one/topics"),
    "/clusters/one/brokers/1",
    *(
        f"/clusters/one/topics/{TOPIC}",
        "/clusters/one/groups",
        "/clusters/one/old-groups",
        "/clusters/one/moves",
    ),
    *("/clusters/one/configs", "/clusters/one/acls", "/clusters/one/audit"),
    *("/clusters/one/changes", "/clusters/one/actions/create-topic"),
)
WIDTHS = (1280, 390)
ONCE = ("--replication-factor", "1")


@pytest.fixture(scope="module")
def hostile(page: Page, one_broker: OneBroker) -> Page:
    """The page after a look at a topic, a group and configs with markup in them."""
    brokers = ("--bootstrap-server", one_broker.broker.bootstrap)
    zookeeper = ("--zookeeper", one_broker.zookeeper)
    done("topics", "--create", "--topic", TOPIC, "--partitions", "2", *ONCE, *zookeeper)
    done(
        "groups",
        "--reset-offsets",
        "--group",
        HOSTILE,
        "--topic",
        TOPIC,
        "--to-earliest",
        "--execute",
        "--yes",
        *brokers,
    )
    with client_of(one_broker.zookeeper) as client:
        configs = {"version": 1, "config": {HOSTILE: HOSTILE}}
        client.set(f"/config/topics/{TOPIC}", json.dumps(configs).encode())
        client.ensure_path("/config/brokers/77")
        client.set("/config/brokers/77", json.dumps(configs).encode())
    cluster = page.serving.clusters["one"]
    for poll in cluster.poller.polls.values():
        number = poll.hurry()
        poll.wait_beyond(number, OUTER_LIMIT_S)
    return page


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with chromium(tmp_path_factory.mktemp("chromium")) as started:
        yield started


@pytest.fixture(scope="module")
def visited(browser: Chromium, hostile: Page) -> Chromium:
    """The browser, after its visitor has logged in with the form."""
    with tab(browser, hostile, "/login") as opened:
        opened.value(
            f"document.querySelector('[name=token]').value = '{TOKENS['ann']}';"
            " document.querySelector('.login form').requestSubmit()"
        )
        opened.wait_for("location.pathname == '/'")
    return browser


@contextmanager
def tab(browser: Chromium, page: Page, path: str) -> Iterator[Tab]:
    with browser.opened("about:blank") as opened:
        go(opened, page, path)
        yield opened


def go(opened: Tab, page: Page, path: str) -> None:
    opened.ask("Page.navigate", url=f"{page.base.base_url}{path}")
    opened.wait_for(f"location.pathname == '{path}' && document.readyState == 'complete'")
    opened.wait_for("document.documentElement?.classList.contains('scripted')")


def resize(opened: Tab, width: int) -> None:
    opened.ask(
        "Emulation.setDeviceMetricsOverride",
        width=width,
        height=900,
        deviceScaleFactor=1,
        mobile=False,
    )


@pytest.mark.browser
@pytest.mark.zk
def test_every_page_is_whole_at_two_widths_and_runs_no_text(
    hostile: Page, visited: Chromium
) -> None:
    whole = {"heading": 1, "hacked": 0, "over": 0, "images": 0}
    wrong = []
    with tab(visited, hostile, "/") as opened:
        for path in PLACES:
            go(opened, hostile, path)
            for width in WIDTHS:
                resize(opened, width)
                seen = opened.value(
                    "({heading: document.querySelectorAll('main h1').length,"
                    " hacked: window.hacked || 0,"
                    " over: document.documentElement.scrollWidth"
                    " - document.documentElement.clientWidth,"
                    " images: document.querySelectorAll('main img').length})"
                )
                wrong += [] if seen == whole else [(path, width, seen)]
        base = str(hostile.base.base_url)
        elsewhere = [url for url in opened.requested() if not url.startswith(base)]
        complaints = opened.complaints()

    assert ([], [], []) == (wrong, complaints, elsewhere)


@pytest.mark.browser
@pytest.mark.zk
def test_keys_search_and_lead_to_pages(hostile: Page, visited: Chromium) -> None:
    def press(opened: Tab, *keys: str) -> None:
        for key in keys:
            opened.ask("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
            opened.ask("Input.dispatchKeyEvent", type="keyUp", key=key)

    with tab(visited, hostile, "/clusters/one") as opened:
        press(opened, "g", "t")
        opened.wait_for("location.pathname == '/clusters/one/topics'")
        opened.wait_for("document.documentElement?.classList.contains('scripted')")
        press(opened, "/", *"read-in", "\r")
        opened.wait_for("location.search.includes('filter=read-in')")

        opened.wait_for(f"document.querySelector('main tbody')?.textContent.includes('{TOPIC}')")


@pytest.mark.browser
@pytest.mark.zk
def test_a_look_renews_the_page_that_is_open(hostile: Page, visited: Chromium) -> None:
    cluster = hostile.serving.clusters["one"]
    with tab(visited, hostile, "/clusters/one/topics") as opened:
        opened.wait_for("performance.getEntriesByType('resource').length > 0")
        opened.value("document.querySelector('main h1').dataset.old = 'old'")
        counts = "[...document.querySelectorAll('.side a')].map((each) => each.textContent)"
        before = opened.value(counts)
        opened.value("document.querySelector('.side .count').remove()")
        opened.value("document.querySelector('.side a').focus()")

        def is_renewed() -> bool:
            # The stream may not be open yet when the first look has ended.
            cluster.looks.wait_beyond(cluster.looks.hurry(), OUTER_LIMIT_S)
            return bool(opened.value("!document.querySelector('main h1').dataset.old"))

        opened.wait_until(is_renewed, "the page renews itself")
        assert before == opened.value(counts)
        assert opened.value("document.activeElement === document.querySelector('.side a')")
        assert [] == opened.complaints()


@pytest.mark.browser
@pytest.mark.zk
def test_the_switch_makes_the_page_dark(hostile: Page, visited: Chromium) -> None:
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    with tab(visited, hostile, "/clusters/one") as opened:
        for theme, colour in (("dark", "rgb(14, 19, 26)"), ("light", "rgb(244, 246, 249)")):
            opened.value(f"document.querySelector('[name=theme][value={theme}]').click()")
            opened.wait_for(f"document.documentElement?.dataset.theme == '{theme}'")
            opened.wait_for(f"document.readyState == 'complete' && {ground} == '{colour}'")


@pytest.mark.zk
@pytest.mark.parametrize("path", PLACES)
def test_every_page_can_be_read_without_scripts(hostile: Page, path: str) -> None:
    answer = hostile.browser("ann").get(path)

    assert 200 == answer.status_code
    assert "<script>window" not in answer.text
    assert "<img" not in answer.text
    if path.endswith((TOPIC, "/configs", "/groups")):
        assert "&lt;script&gt;window.hacked" in answer.text


@pytest.mark.zk
def test_a_group_with_any_name_has_its_page(hostile: Page) -> None:
    browser = hostile.browser("ann")
    path = f"/clusters/one/groups/{quote(HOSTILE, safe='')}"

    assert 1 == browser.get("/clusters/one/groups").text.count(f'href="{path}"')
    answer = browser.get(path)
    assert 200 == answer.status_code
    assert "&lt;script&gt;window.hacked" in answer.text


@pytest.mark.browser
@pytest.mark.zk
def test_topics_that_are_chosen_in_the_list_are_deleted_when_their_name_is_typed(
    hostile: Page, visited: Chromium, one_broker: OneBroker
) -> None:
    name, zookeeper = "chosen-in-a-browser", ("--zookeeper", one_broker.zookeeper)
    done("topics", "--create", "--topic", name, "--partitions", "1", *ONCE, *zookeeper)
    looks = hostile.serving.clusters["one"].looks
    looks.wait_beyond(looks.hurry(), OUTER_LIMIT_S)
    with tab(visited, hostile, "/clusters/one/topics") as opened:
        opened.value(
            f"document.querySelector('[name=topics][value=\"{name}\"]').click();"
            " document.querySelector('button[formaction$=delete-topics]').click()"
        )
        opened.wait_for("location.pathname.endsWith('/actions/delete-topics')")
        opened.wait_for("document.readyState == 'complete'")
        assert name == opened.value("document.querySelector('#field-topics').value")
        opened.value("document.querySelector('main form button').click()")
        opened.wait_for("location.pathname.includes('/changes/')")
        opened.wait_for("document.readyState == 'complete'")
        # Without the name the browser itself keeps the form back.
        opened.value("document.querySelector('main form button').click()")
        assert name in done("topics", "--list", *zookeeper).split()
        opened.value(
            f"document.querySelector('#typed').value = '{name}';"
            " document.querySelector('main form button').click()"
        )
        opened.wait_for("document.querySelector('main')?.textContent.includes('Done.')")
    assert name not in done("topics", "--list", *zookeeper).split()
