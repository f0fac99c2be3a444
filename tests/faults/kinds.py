"""All kinds of faults, by what they need of the machine that a trial runs on."""

from typing import Final, NamedTuple

from tests.faults import clocks, cuts, disks, moves, power, processes, zookeepers
from tests.faults.plan import Kind

ANYWHERE: Final[tuple[Kind, ...]] = (
    processes.kill,
    processes.kill_and_start,
    processes.kill_controller,
    processes.kill_two,
    processes.stop,
    processes.freeze,
    processes.freeze_controller,
    zookeepers.kill_leader,
    zookeepers.kill_majority,
    zookeepers.freeze_one,
    zookeepers.freeze_majority,
    cuts.from_zookeeper,
    cuts.from_brokers,
    cuts.one_zookeeper,
    disks.full,
    disks.gone,
    moves.reassign,
    moves.reassign,
)
IN_NAMESPACES: Final[tuple[Kind, ...]] = (
    cuts.from_all,
    cuts.two_brokers,
    cuts.from_clients,
    cuts.two_zookeepers,
    cuts.in_halves,
)
WITH_COMPILER: Final[tuple[Kind, ...]] = (
    clocks.step,
    clocks.step,
    disks.slow_sync,
    disks.failed_sync,
    power.one,
    power.controller,
    power.two,
)
WHERE_ALL_IS_SYNCED: Final[tuple[Kind, ...]] = (power.all_of_them,)
"""Of those with a compiler."""


class Ground(NamedTuple):
    """What trials are played on."""

    has_namespaces: bool
    has_compiler: bool
    syncs_all: bool
    """Whether a record is synced before it is acknowledged."""

    def __str__(self) -> str:
        network = "a network for each node" if self.has_namespaces else "links on the loopback"
        machine = "a machine for each broker" if self.has_compiler else "no machines without cc"
        synced = "every record synced" if self.syncs_all else "records synced by the segment"
        return f"{network}, {machine}, {synced}"

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Those that can be played here."""
        found = ANYWHERE
        if self.has_namespaces:
            found += IN_NAMESPACES
        if self.has_compiler:
            found += WITH_COMPILER
            if self.syncs_all:
                found += WHERE_ALL_IS_SYNCED
        return found
