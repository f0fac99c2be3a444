"""Simulations: what would the controller do with a cluster in a scenario, and what then?"""

from dataclasses import replace

from cluster.model.snapshot import ClusterSnapshot
from kadmin.errors import KadminError
from kadmin.plan.reassignment.sizes import sizes_of
from kadmin.reports.simulation import SimulationReport
from kadmin.simulation.alike import samples_of, spread
from kadmin.simulation.effects import report_on
from kadmin.simulation.scenario import Scenario
from kadmin.simulation.stages import ReassignmentRefused, Stage, play
from kadmin.simulation.untouched import divide
from kadmin.simulation.znodes import simulated_part, znodes_of
from kadmin.snapshots.saved import SavedCluster


class BrokersUnknown(KadminError):
    """The list of live brokers could not be read."""

    def __init__(self) -> None:
        super().__init__(
            "which brokers are live could not be read, so nothing can be simulated",
            hint="'kadmin brokers --list' shows why; --snapshot FILE takes an older look",
        )


def simulate(saved: SavedCluster, scenario: Scenario, default_min_isr: int = 1) -> SimulationReport:
    """Play *scenario* on *saved*.

    *default_min_isr* counts where neither a topic nor the brokers' dynamic default sets it.

    Raises:
        BrokersUnknown: which brokers are live is not in *saved*.
        ReassignmentRefused: a partition cannot be moved so.
    """
    if not saved.cluster.knows_brokers:
        raise BrokersUnknown
    known, left_out = simulated_part(saved.cluster)
    sizes = sizes_of(saved.log_dirs)
    cluster, others = divide(known, scenario, sizes)
    stages = stages_of(cluster, scenario)
    report = report_on(cluster, others, scenario, stages, sizes, default_min_isr)
    return replace(report, left_out=left_out)


def stages_of(cluster: ClusterSnapshot, scenario: Scenario) -> list[Stage]:
    samples = samples_of(cluster, scenario)
    try:
        played = play(samples.cluster, znodes_of(samples.cluster), samples.scenario)
        return list(spread(played, samples.members))
    except ReassignmentRefused:
        # Which of the others are refused, and for which of their brokers, is to be named, too.
        return list(play(cluster, znodes_of(cluster), scenario))
