"""Logs on brokers that are no replicas of them: which are they, and how are they told?"""

import pytest

from cluster.model import fault as subjects
from cluster.model.fault import Fault
from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.check.findings import Kind, Severity
from kadmin.plan.check.stray_logs import stray_findings, stray_logs
from kadmin.plan.log_dirs import LogDir, ReplicaLog
from tests.kadmin.builders import brokers, cluster, topic

B0, B1 = BrokerId(0), BrokerId(1)
SNAPSHOT = cluster(brokers("0 1"), topic("t", "0 0,1", adding="1"), topic("u", "1"))


def keeping(*logs: str) -> LogDir:
    """A directory with *logs* of 1,024 bytes; those that end in ~ are future ones."""
    replicas = []
    for log in logs:
        name, _, number = log.rstrip("~").rpartition("-")
        partition = TopicPartition(name, int(number))
        replicas.append(
            ReplicaLog(
                partition=partition, size_bytes=1024, lag_records=0, is_future=log.endswith("~")
            )
        )
    return LogDir(path="/d", replicas=tuple(replicas))


@pytest.mark.parametrize(
    ("log_dirs", "found"),
    [
        ({B0: [keeping("t-0", "t-1")], B1: [keeping("t-1", "u-0", "u-0~")]}, {}),
        ({B1: [keeping("t-0")]}, {B1: {"t-0": 1024}}),
        ({B0: [keeping("t-2", "gone-0")]}, {B0: {"t-2": 1024, "gone-0": 1024}}),
        ({B0: [keeping("gone-0"), keeping("gone-0~")]}, {B0: {"gone-0": 2048}}),
        ({B0: [keeping("__cluster_metadata-0")]}, {}),
        ({B0: [LogDir(path="/d", error_code=56)]}, {}),
    ],
    ids=["replicas", "elsewhere", "no such partition", "two directories", "metadata", "failed"],
)
def test_a_log_is_stray_where_its_broker_is_no_replica(
    log_dirs: dict[BrokerId, list[LogDir]], found: dict[BrokerId, dict[str, int]]
) -> None:
    strays = stray_logs(SNAPSHOT, log_dirs)

    assert found == {
        broker: {str(partition): size for partition, size in logs.items()}
        for broker, logs in strays.items()
    }


@pytest.mark.parametrize("subject", [subjects.TOPICS, subjects.topic("gone")], ids=str)
def test_a_topic_that_cannot_be_read_may_have_the_log(subject: subjects.Subject) -> None:
    fault = Fault(subject=subject, where="/x", version=3, reason="no JSON", text="/x is no JSON")
    snapshot = cluster(brokers("0"), topic("t", "0"), faults=(fault,))

    assert {} == stray_logs(snapshot, {B0: [keeping("gone-0")]})


def test_topics_that_are_gone_and_partitions_that_are_elsewhere_are_two_findings() -> None:
    strays = stray_logs(SNAPSHOT, {B0: [keeping("gone-0", "u-0")], B1: [keeping("gone-0")]})
    found = list(stray_findings(strays, SNAPSHOT.topics))

    assert [
        "brokers 0 and 1 keep 2 logs (2.0 KiB) of topics that do not exist: gone-0; nothing deletes"
        " them: stop each broker and move them out of its log directory",
        "broker 0 keeps 1 log (1.0 KiB) of a partition of which it is no replica: u-0; nothing"
        " deletes it: stop the broker and move it out of its log directory",
    ] == [each.text for each in found]
    assert {(Severity.WARNING, Kind.STRAY_LOG)} == {(each.severity, each.kind) for each in found}
    assert "kadmin log-dirs --broker 0,1 --by replica" == found[0].command
