"""What the page offers beside its findings."""

import re
from html import unescape
from pathlib import Path

import pytest

from tests.kadmin.builders import brokers, cluster, state, topic
from tests.kadmin.web.test_pages import look_at
from tests.support.page_in_process import bearer, client_of, serving_of


@pytest.mark.parametrize(("who", "may_drain"), [("ann", True), ("rita", False)])
def test_a_dead_broker_is_drained_from_its_finding_by_those_who_may(
    tmp_path: Path, who: str, *, may_drain: bool
) -> None:
    serving = serving_of(tmp_path)
    look = look_at(cluster(brokers("1 2"), topic("a b", "1,3", states={0: state(1, "1")})))
    east = serving.clusters["east"]
    east.looks.ask = lambda: look
    east.looks.attempt()

    with client_of(serving) as client:
        text = unescape(client.get("/clusters/east", headers=bearer(who)).text)

    drains = re.findall(r'actions/plan-moves\?goal=drain&brokers=3">([^<]+)<', text)
    assert (["Drain broker 3"] if may_drain else []) == drains
    assert 'href="/clusters/east/topics/a%20b"' in text
