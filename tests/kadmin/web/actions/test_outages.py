"""Changes by the page while ZooKeeper is away: said with what is known, and nothing is lost."""

from pathlib import Path
from typing import Final

import pytest

from kadmin.web.clusters import WatchedCluster
from tests.kadmin.builders import brokers, cluster, topic
from tests.support.page import TOKENS, running_page, serving_of
from tests.support.waiting import OUTER_LIMIT_S
from tests.support.znodes import write_snapshot
from tests.support.zookeeper import running_server

pytestmark = pytest.mark.zk

GROWTH: Final = ("add-partitions", {"topics": "orders", "partitions": "4"})
SNAPSHOT: Final = cluster(brokers("0 1 2"), topic("orders", "0,1 1,2"))


def test_a_cluster_that_goes_away_is_said_and_no_fault(tmp_path: Path) -> None:
    with running_server(tmp_path / "zookeeper") as server:
        write_snapshot(server.connect, SNAPSHOT)
        watched = WatchedCluster(
            "one", {"zookeeper": server.connect, "timeout": 1.0}, interval_s=3600
        )
        with running_page(serving_of(watched, tmp_path)) as page:
            # The short timeout is for the outage; a slow machine may need more for answers.
            while watched.look is None:
                watched.looks.wait_beyond(watched.looks.hurry(), OUTER_LIMIT_S)
            ann = page.browser("ann")
            while (shown := ann.plan(GROWTH[0], **GROWTH[1])).status_code != 200:
                pass
            server.kill()
            watched.looks.wait_beyond(watched.looks.hurry(), OUTER_LIMIT_S)

            ended = ann.confirm(shown)
            assert "Done." not in ended.text
            assert 'role="alert"' in ended.text
            assert server.connect in ended.text

            again = ann.plan("delete-topics", topics="orders")
            assert 503 == again.status_code
            assert "orders</textarea>" in again.text

            seen = ann.get("/clusters/one/topics/orders")
            assert 200 == seen.status_code
            assert "cannot be read now" in seen.text
            assert "as of " in seen.text
            token = {"Authorization": f"Bearer {TOKENS['rita']}"}
            answer = page.base.get("/api/v1/clusters/one/topics/orders", headers=token)
            assert (200, True) == (answer.status_code, answer.headers["age"].isdigit())
            assert 503 == page.base.get("/api/v1/clusters/one/log-dirs", headers=token).status_code


def test_a_cluster_that_was_never_there_is_said_and_no_fault(tmp_path: Path) -> None:
    watched = WatchedCluster("one", {"zookeeper": "127.0.0.1:1", "timeout": 1.0}, interval_s=3600)
    with running_page(serving_of(watched, tmp_path)) as page:
        watched.looks.wait_beyond(0, OUTER_LIMIT_S)
        ann = page.browser("ann")

        assert 503 == ann.get("/clusters/one/topics").status_code
        counts = {"partitions": "1", "replication_factor": "1"}
        assert 503 == ann.plan("create-topic", topic="t", **counts).status_code
        token = {"Authorization": f"Bearer {TOKENS['rita']}"}
        answer = page.base.get("/api/v1/clusters/one/check", headers=token)
        assert 503 == answer.status_code
        assert "has not been read yet" in answer.json()["title"]
        assert 200 == page.base.get("/api/v1/clusters", headers=token).status_code
