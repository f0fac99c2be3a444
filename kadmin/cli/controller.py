"""`kadmin controller`: which broker controls the cluster, under which epoch, since when?"""

from typing import TYPE_CHECKING, Any

import click

from kadmin.app.reading import read_cluster
from kadmin.cli.frame import command
from kadmin.cli.options import option
from kadmin.cli.session import Session
from kadmin.cli.watching import watch, watch_option
from kadmin.errors import ExitCode

if TYPE_CHECKING:
    from cluster.model.snapshot import ClusterSnapshot


@command("controller", short_help="See which broker is the controller.", speaks_to_brokers=True)
@option("--plain", is_flag=True, help="A line instead of a table, even on a terminal.")
@watch_option()
def controller(session: Session, **options: Any) -> None:
    """See which broker is the controller, its epoch and since when.

    It asks the brokers (Kafka 0.10 and later) if only --bootstrap-server names the cluster; only
    ZooKeeper knows the time, and the epoch where there is no KRaft. On KRaft the controller is the
    leader of the metadata quorum, as DescribeQuorum reports it, which need not be a broker. Then
    the nodes of the quorum follow, as kafka-metadata-quorum describe --replication lists them:
    leader, voters and observers, with their log ends, lags, and when they fetched last; and the
    features that are finalized, such as metadata.version, as kafka-features describe lists them.

    Exits with 4 if there is none, or if it cannot be read who it is. It says so if a KRaft
    controller owns the cluster: kadmin writes nothing to the ZooKeeper of such a cluster.

    \b
    Examples:
      kadmin controller
      kadmin controller --output json
    """
    from kadmin.render.controller import controller_document

    found: list[ClusterSnapshot] = []

    def show() -> None:
        snapshot = read_cluster(session, with_topics=False)
        session.output.show(controller_document(snapshot), plain=options["plain"])
        for fault in snapshot.faults:
            session.output.warn(f"left out: {fault}")
        if snapshot.migration is not None:
            session.output.warn(f"a migration to KRaft has begun: {snapshot.migration}")
        found[:] = [snapshot]

    watch(session, options["watch"], show)
    if found[0].controller is None:
        click.get_current_context().exit(ExitCode.FOUND)
