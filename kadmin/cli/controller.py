"""`kadmin controller`: which broker controls the cluster, under which epoch, since when?"""

import click

from kadmin.cli.frame import command
from kadmin.cli.session import Session
from kadmin.errors import ExitCode


@command("controller", short_help="See which broker is the controller.")
def controller(session: Session) -> None:
    """See which broker is the controller, its epoch and since when.

    Exits with 4 when there is none, or none that can be read. A cluster that a KRaft controller
    owns is named as such: kadmin reads it but writes nothing there.

    \b
    Examples:
      kadmin controller
      kadmin controller --output json
    """
    from kadmin.admin.zookeeper.zookeeper_topics import ZooKeeperTopics
    from kadmin.plan.select import TopicSelection
    from kadmin.render.brokers import controller_document

    with session.connect() as connection:
        admin = ZooKeeperTopics(connection)
        snapshot = admin.snapshot(TopicSelection(), with_topics=False)
    session.output.show(controller_document(snapshot))
    for fault in snapshot.faults:
        session.output.warn(f"left out: {fault}")
    if snapshot.controller is None:
        click.get_current_context().exit(ExitCode.FOUND)
