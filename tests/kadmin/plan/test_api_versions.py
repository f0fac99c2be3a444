"""Versions of requests: what do all brokers serve, and who differs?"""

from cluster.model.ids import BrokerId
from kadmin.plan.api_versions import BrokerApis, Versions, compare, refusing_old_clients

B1, B2, B3 = (BrokerId(number) for number in (1, 2, 3))
NAMES = {0: "Produce", 1: "Fetch"}
APIS: BrokerApis = {
    B3: {0: Versions(3, 11), 1: Versions(0, 17), 99: Versions(0, 0)},
    B1: {0: Versions(0, 9), 1: Versions(0, 17)},
    B2: {0: Versions(0, 9), 1: Versions(0, 17)},
}


def test_brokers_are_compared_in_order() -> None:
    produce, fetch, other = compare(APIS, NAMES)

    assert [False, True, False] == [each.is_agreed for each in (produce, fetch, other)]
    assert [Versions(3, 9), Versions(0, 17), None] == [
        each.common for each in (produce, fetch, other)
    ]
    assert [(Versions(0, 9), (B1, B2)), (Versions(3, 11), (B3,))] == produce.groups
    assert [(None, (B1, B2)), (Versions(0, 0), (B3,))] == other.groups
    assert ["Produce", "Fetch", "UNKNOWN(99)"] == [each.name for each in (produce, fetch, other)]


def test_only_differences() -> None:
    assert [0, 99] == [each.key for each in compare(APIS, NAMES, differences_only=True)]
    assert [] == compare({B1: APIS[B1], B2: APIS[B2]}, NAMES, differences_only=True)


def test_versions_that_do_not_meet_have_nothing_in_common() -> None:
    (each,) = compare({B1: {0: Versions(0, 2)}, B2: {0: Versions(3, 4)}}, NAMES)

    assert each.common is None


def test_nobody_serves_nothing() -> None:
    assert [] == compare({}, NAMES)


def test_one_version_stands_alone() -> None:
    assert ["0", "1 to 2"] == [str(Versions(0, 0)), str(Versions(1, 2))]


def test_brokers_of_kafka_4_refuse_old_clients() -> None:
    kafka_4 = {B2: {0: Versions(0, 13), 1: Versions(4, 18)}}

    assert (B2,) == refusing_old_clients({**APIS, **kafka_4})
