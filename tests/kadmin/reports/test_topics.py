"""What of a report is shown where it is longer than a terminal."""

from dataclasses import replace

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.health import Finding
from kadmin.reports.topics import folded, refusal_warnings, report_on
from tests.kadmin.builders import brokers, cluster, state, topic


def report(*topics):
    return report_on(cluster(brokers("0 1"), *topics), [each.name for each in topics])


def test_a_report_without_a_sick_partition_is_folded_nowhere():
    well = report(topic("t", "0,1 1,0"))

    assert folded(well) is well


def test_a_report_of_sick_partitions_alone_is_put_in_order():
    ill = report(topic("t", "0,1 0,1", {0: state(0, "0"), 1: state(-1, "")}))

    (item,) = folded(ill).topics

    assert [1, 0] == [view.partition for view in item.partitions]


def test_what_is_well_is_left_out_and_the_worst_comes_first():
    states = {0: state(0, "0"), 1: state(1, "1,0"), 2: state(-1, "")}
    whole = report(topic("a", "0,1 1,0 0,1", states), topic("b", "0,1"))

    short = folded(whole)

    assert [("a", [2, 0])] == [
        (item.topic.name, [view.partition for view in item.partitions]) for item in short.topics
    ]
    assert short.whole is whole


def test_a_leader_that_is_not_preferred_is_well_and_a_move_is_not():
    led_elsewhere = topic("a", "0,1", {0: state(1, "0,1")})
    moving = topic("b", "0,1", {0: state(0, "0,1")}, adding="1")

    short = folded(report(led_elsewhere, moving))

    assert ["b"] == [item.topic.name for item in short.topics]


def test_a_partition_that_its_leader_refuses_is_unavailable_and_says_why() -> None:
    refused = {TopicPartition("t", 0): "no room"}
    live = brokers("0 1")
    live |= {BrokerId(0): replace(live[BrokerId(0)], refused=refused)}
    snapshot = cluster(live, topic("t", "0,1 1,0"))

    report = report_on(snapshot, ["t"], only=Finding.UNAVAILABLE)

    ((view,),) = [item.partitions for item in report.topics]
    assert (0, {BrokerId(0): "no room"}) == (view.partition, view.refused_by)
    assert Finding.REFUSED in view.findings
    assert ["broker 0 does not serve t-0: no room"] == refusal_warnings(report)
