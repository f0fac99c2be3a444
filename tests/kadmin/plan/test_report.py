"""What of a report is shown where it is longer than a terminal."""

from kadmin.plan.report import folded, report_on
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
