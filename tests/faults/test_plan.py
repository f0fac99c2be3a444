"""Are the same faults drawn from the same seed, and only such as may meet?"""

from itertools import islice
from random import Random
from typing import Final

import pytest

from tests.faults.kinds import Ground
from tests.faults.moves import Reassign
from tests.faults.plan import OUT_MAX, Fault, Kind, Members, Round, rounds
from tests.faults.power import PowerLoss

MEMBERS: Final = Members(brokers=(1, 2, 3, 4), zookeepers=(1, 2, 3))
EVERYTHING: Final = Ground(has_namespaces=True, has_compiler=True, syncs_all=True)


def drawn(seed: int, on: Ground = EVERYTHING, count: int = 60) -> list[Round]:
    return list(islice(rounds(seed, on.kinds, MEMBERS, syncs_all=on.syncs_all), count))


def test_a_seed_draws_the_same_again_and_another_does_not() -> None:
    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


@pytest.mark.parametrize("has_namespaces", [True, False])
@pytest.mark.parametrize("has_compiler", [True, False])
@pytest.mark.parametrize("syncs_all", [True, False])
def test_every_kind_comes(has_namespaces: bool, has_compiler: bool, syncs_all: bool) -> None:
    on = Ground(has_namespaces=has_namespaces, has_compiler=has_compiler, syncs_all=syncs_all)
    asked = set()

    def noticed(number: int, kind: Kind) -> Kind:
        def draw(lots: Random, members: Members) -> Fault:
            asked.add(number)
            return kind(lots, members)

        return draw

    kinds = [noticed(number, kind) for number, kind in enumerate(on.kinds)]
    played = list(islice(rounds(3, kinds, MEMBERS, syncs_all=syncs_all), 60))

    assert asked == set(range(len(kinds)))
    assert sum(len(one.faults) for one in played) > len(played), "one fault at a time"


@pytest.mark.parametrize("seed", range(20))
def test_where_records_are_not_synced_somebody_remembers_them(seed: int) -> None:
    on = EVERYTHING._replace(syncs_all=False)

    for one in drawn(seed, on):
        faults = [begun.fault for begun in one.faults]
        if any(fault.loses_power for fault in faults):
            assert len({broker for fault in faults for broker in fault.brokers}) <= OUT_MAX
            assert one.calm_s > 0


def test_where_all_is_synced_every_machine_may_lose_its_power() -> None:
    faults = [begun.fault for one in drawn(1) for begun in one.faults]

    assert any(isinstance(one, PowerLoss) and one.brokers == MEMBERS.brokers for one in faults)


@pytest.mark.parametrize("seed", range(5))
def test_reassignments_are_under_way_when_other_faults_come(seed: int) -> None:
    found = [one.faults for one in drawn(seed) if len(one.faults) > 1]

    assert any(isinstance(faults[0].fault, Reassign) for faults in found)
    assert all(
        not isinstance(begun.fault, Reassign) or isinstance(faults[0].fault, Reassign)
        for faults in found
        for begun in faults[1:]
    )
