"""What a broker tells of the partitions that it should serve and does not."""

from cluster.broker.control.refused_partitions import SHOWN_MAX, RefusedPartitions
from cluster.model.ids import BrokerId, TopicPartition
from tests.sim.ports import SimRegistration

ORDERS = [TopicPartition("orders", number) for number in range(SHOWN_MAX + 5)]


class CountingRegistration(SimRegistration):
    count = 0

    def show_refused(self, refused) -> None:
        super().show_refused(refused)
        self.count += 1


def test_what_is_told_is_what_is_refused_now() -> None:
    registration = CountingRegistration(BrokerId(1))
    refused = RefusedPartitions(registration)

    refused.note(ORDERS[0], "no room")
    refused.note(ORDERS[1], "no room")
    refused.note(ORDERS[0], "no room")
    refused.note(ORDERS[0], "is damaged")
    refused.forget(ORDERS[1])
    refused.forget(ORDERS[2])

    assert {ORDERS[0]: "is damaged"} == registration.refused
    assert 4 == registration.count


def test_of_many_the_first_are_told_and_others_where_one_is_served() -> None:
    registration = CountingRegistration(BrokerId(1))
    refused = RefusedPartitions(registration)
    for partition in ORDERS:
        refused.note(partition, "no room")
    assert ORDERS[:SHOWN_MAX] == list(registration.refused)

    refused.forget(ORDERS[-1])
    refused.forget(ORDERS[0])

    assert ORDERS[1 : SHOWN_MAX + 1] == list(registration.refused)
    assert SHOWN_MAX + 1 == registration.count
