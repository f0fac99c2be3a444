"""Simulations: what would the controller do with a cluster in a scenario, and what then?"""

from kadmin.reports.simulation import SimulationReport
from kadmin.simulation.effects import report_on
from kadmin.simulation.scenario import Scenario
from kadmin.simulation.stages import play
from kadmin.simulation.znodes import simulated_part, znodes_of
from kadmin.snapshots.saved import SavedCluster


def simulate(saved: SavedCluster, scenario: Scenario, default_min_isr: int = 1) -> SimulationReport:
    """Play *scenario* on *saved*.

    *default_min_isr* counts where neither a topic nor the brokers' dynamic default sets it.

    Raises:
        ReassignmentRefused: a partition cannot be moved so.
    """
    cluster, left_out = simulated_part(saved.cluster)
    zookeeper = znodes_of(cluster)
    stages = list(play(cluster, zookeeper, scenario))
    return report_on(saved, cluster, scenario, stages, default_min_isr, left_out)
