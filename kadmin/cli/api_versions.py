"""`kadmin api-versions`: which requests does each broker serve, and where do they disagree?"""

from typing import Any, Final

import click

from kadmin.app.reading import chosen_brokers
from kadmin.cli.broker_ids import broker_ids, broker_option
from kadmin.cli.frame import command
from kadmin.cli.options import option
from kadmin.cli.session import Session
from kadmin.cli.watching import watch, watch_option
from kadmin.errors import ExitCode

SELECTION: Final = "Which brokers"
LOOK: Final = "What is shown"


@command(
    "api-versions", short_help="See which requests each broker serves.", speaks_to_brokers=True
)
@broker_option(SELECTION)
@option(
    "--differences",
    is_flag=True,
    section=LOOK,
    help="Only requests on which brokers disagree; exits with 4 if there are any.",
)
@option("--plain", is_flag=True, section=LOOK, help="Kafka's lines, even on a terminal.")
@watch_option(LOOK)
def api_versions(session: Session, **options: Any) -> None:
    """See which requests each broker serves, and in which versions.

    Like kafka-broker-api-versions. It asks each broker (Kafka 0.10 and later), those of
    --bootstrap-server or those registered in ZooKeeper. The table shows what all of them serve, and
    where they disagree, as in the middle of an upgrade. In a pipe, and with --plain, the lines are
    those of Kafka's tool, without the version that its own client would use. A note says which
    brokers refuse clients older than Kafka 2.1, as those of Kafka 4 do.

    Exits with 5 if a broker did not answer.

    \b
    Examples:
      kadmin api-versions
      kadmin api-versions --broker 3 --plain
      kadmin api-versions --differences
    """
    from kadmin.admin.wire.api_versions import API_NAMES, read_api_versions
    from kadmin.admin.wire.errors import SilentBrokers
    from kadmin.admin.wire.snapshot import read_snapshot
    from kadmin.arguments.topics import TopicSelection
    from kadmin.plan.api_versions import compare, refusing_old_clients
    from kadmin.render.api_versions import versions_document
    from kadmin.wording import brokers_listed

    wanted = broker_ids(options["brokers"])
    is_differing = False

    def show() -> None:
        nonlocal is_differing
        with session.connect_brokers() as connection:
            # Topics are read only to distinguish a dead broker from an unknown one.
            snapshot = read_snapshot(connection, None if wanted is None else TopicSelection())
            asked = chosen_brokers(snapshot, wanted)
            apis = read_api_versions(connection, asked)
        compared = compare(apis, API_NAMES, differences_only=options["differences"])
        document = versions_document(
            apis,
            {broker: snapshot.brokers[broker] for broker in asked},
            compared,
            differences_only=options["differences"],
        )
        session.output.show(document, plain=options["plain"])
        refusing = refusing_old_clients(apis)
        if refusing:
            session.output.note(
                "requests of clients older than Kafka 2.1 are refused by"
                f" {brokers_listed(refusing)} (KIP-896)"
            )
        silent = [broker for broker in asked if broker not in apis]
        if silent:
            raise SilentBrokers(silent)
        if options["differences"] and not compared:
            session.output.note(f"no differences between {len(apis)} brokers")
        is_differing = bool(compared)

    watch(session, options["watch"], show)
    if options["differences"] and is_differing:
        click.get_current_context().exit(ExitCode.FOUND)
