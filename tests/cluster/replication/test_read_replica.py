"""To whom does a leader send a consumer that stands in some rack?"""

import pytest

from cluster.model.ids import BrokerId
from cluster.replication.read_replica import preferred_read_replica
from tests.cluster.replication.leading import ME, SECOND, THIRD, fetch, leader

END = 10
RACKS = {ME: "a", SECOND: "b", THIRD: "b"}


def leading(second: int = END, third: int = END, *isr: BrokerId):
    """A leader of ten records, and how far its followers have come; the second fetches first."""
    replica = leader(*(isr or (ME, SECOND, THIRD)), end=END, high_watermark=3)
    fetch(replica, SECOND, second, now_ms=100)
    fetch(replica, THIRD, third, now_ms=200)
    return replica


def test_a_consumer_goes_to_the_follower_in_its_rack() -> None:
    racks = {ME: "a", SECOND: "b", THIRD: "c"}

    chosen = {
        rack: preferred_read_replica(leading(), END, racks, rack, 3) for rack in ("a", "b", "c")
    }

    assert {"a": None, "b": SECOND, "c": THIRD} == chosen


def test_where_nobody_is_the_leader_serves() -> None:
    assert preferred_read_replica(leading(), END, RACKS, "elsewhere", 3) is None


def test_a_leader_in_the_rack_serves_itself() -> None:
    assert preferred_read_replica(leading(), END, dict.fromkeys(RACKS, "b"), "b", 3) is None


def test_brokers_without_a_rack_are_in_none() -> None:
    racks = {ME: "a", SECOND: None}

    assert preferred_read_replica(leading(), END, racks, "b", 3) is None


@pytest.mark.parametrize(
    ("second", "third", "chosen"), [(9, 8, SECOND), (8, 9, THIRD), (END, 9, SECOND)]
)
def test_of_several_it_is_who_has_most(second: int, third: int, chosen: BrokerId) -> None:
    assert chosen == preferred_read_replica(leading(second, third), END, RACKS, "b", 3)


def test_of_those_who_have_as_much_it_is_who_has_kept_up_last() -> None:
    later = leading()
    fetch(later, SECOND, END, now_ms=300)

    assert THIRD == preferred_read_replica(leading(), END, RACKS, "b", 3)
    assert SECOND == preferred_read_replica(later, END, RACKS, "b", 3)


def test_of_equals_it_is_the_one_with_the_greatest_id() -> None:
    replica = leading()
    fetch(replica, SECOND, END, now_ms=200)

    assert THIRD == preferred_read_replica(replica, END, RACKS, "b", 3)


def test_who_is_behind_has_kept_up_when_he_last_had_everything() -> None:
    replica = leading(END, END)
    replica.advance_high_watermark(END + 5, 1, 400)
    fetch(replica, SECOND, END + 1, now_ms=500)
    fetch(replica, THIRD, END + 1, now_ms=600)

    assert THIRD == preferred_read_replica(replica, END + 5, RACKS, "b", 3)


def test_nobody_is_sent_to_a_follower_that_is_not_in_the_isr() -> None:
    assert SECOND == preferred_read_replica(leading(5, END, ME, SECOND), END, RACKS, "b", 3)
    assert preferred_read_replica(leading(END, 2, ME), END, {ME: "a", THIRD: "b"}, "b", 2) is None


def test_the_follower_has_the_offset() -> None:
    replica = leader(ME, SECOND, end=END, high_watermark=3)
    fetch(replica, SECOND, 5, start=2)

    chosen = {offset: preferred_read_replica(replica, END, RACKS, "b", offset) for offset in (1, 6)}

    assert {1: None, 6: None} == chosen
    assert SECOND == preferred_read_replica(replica, END, RACKS, "b", 2)
    assert SECOND == preferred_read_replica(replica, END, RACKS, "b", 5)


def test_who_has_not_fetched_yet_is_not_known_to_have_anything() -> None:
    assert preferred_read_replica(leader(ME, SECOND, THIRD), END, RACKS, "b", 0) is None
