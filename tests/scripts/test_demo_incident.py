"""Does the recorded incident tell the story that stands beside it?"""

from itertools import groupby
from pathlib import Path

from kadmin.statechange.columns import StateChange
from kadmin.statechange.kinds import Kind
from kadmin.statechange.parse import parse_line
from tests.kadmin.jobs.merge.logs import found_in, merged

INCIDENT = Path(__file__).parents[2] / "scripts" / "demo-incident"
NO_LEADER = -1


def story() -> list[StateChange]:
    """All lines of the incident, in order."""
    data, _ = merged(found_in(INCIDENT))
    return [parse_line(line) for line in data.decode().splitlines()]


def decided_leaders(changes: list[StateChange], partition: tuple[str, int]) -> list[int]:
    """Who led *partition*, one after the other, by what the controllers decided."""
    kinds = (Kind.PARTITION_STATE, Kind.ISR_CHANGE)
    told = [
        change.leader
        for change in changes
        if change.kind in kinds and partition in change.partitions and change.leader is not None
    ]
    return [leader for leader, _ in groupby(told)]


def test_the_recorded_logs_are_found_as_three_brokers_and_understood_to_the_last_line() -> None:
    changes = story()

    assert ["1", "2", "3"] == [source.name for source in found_in(INCIDENT)]
    assert [] == [change.text for change in changes if change.kind is Kind.OTHER]
    assert 0 == sum("127.0.0.1" in change.text for change in changes)


def test_leadership_goes_from_the_dead_to_the_living_and_comes_home() -> None:
    changes = story()

    assert [2, 1, NO_LEADER, 3, 2] == decided_leaders(changes, ("orders", 0))
    assert [1, NO_LEADER, 1] == decided_leaders(changes, ("payments", 1))
    assert {(1, 1), (3, 2)} == {
        (change.controller_id, change.controller_epoch)
        for change in changes
        if change.controller_epoch is not None
    }


def test_the_failed_election_stands_before_its_stack_trace() -> None:
    changes = story()
    failed = [number for number, each in enumerate(changes) if each.kind is Kind.TRANSITION_FAILED]

    assert [("payments", 1)] == [changes[number].partitions[0] for number in failed]
    assert changes[failed[0] + 1].kind is Kind.CONTINUATION
