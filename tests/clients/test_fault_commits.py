"""Who judges commits amid faults: that a group which loses what was answered is noticed."""

import pytest
from confluent_kafka.admin import AdminClient

from tests.clients.confluent import Confluent
from tests.clients.driver import Sent
from tests.faults import commits
from tests.faults.moves import PARTITIONS
from tests.support.brokers import Broker
from tests.support.waiting import OUTER_LIMIT_S, wait_until

pytestmark = pytest.mark.clients


def test_groups_that_lose_their_commits_are_found(
    broker: Broker, topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commits, "TOPIC", topic)
    client = Confluent(broker.bootstrap)
    client.create_topic(topic, replicas=[[1]] * PARTITIONS)
    client.produce(topic, [Sent(b"record", partition=index) for index in range(PARTITIONS)])
    client.close()
    groups = commits.Groups(broker.bootstrap)
    groups.start()
    wait_until(lambda: not groups.behind(0), what="commits of each group")
    groups.end()

    assert not groups.problems()
    lost = {"committer 1", commits.SHARING}
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    for future in admin.delete_consumer_groups(list(lost)).values():
        future.result(OUTER_LIMIT_S)
    assert lost == {text.split(":")[0] for text in groups.problems()}
