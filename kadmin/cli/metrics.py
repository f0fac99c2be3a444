"""`kadmin metrics`: what do the brokers' metrics show now?"""

import time
from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.cli.cluster.options import name_option
from kadmin.cli.common_options import window_option
from kadmin.cli.frame import command
from kadmin.cli.options import Decorator, declared, option
from kadmin.cli.session import Session
from kadmin.cli.watching import watch, watch_option
from kadmin.errors import UsageError
from kadmin.settings.keys import SERVERS, Key

if TYPE_CHECKING:
    from kadmin.admin.metrics.endpoints import Endpoint

SOURCES: Final = "Where the metrics are"
SELECTION: Final = "Which metrics"
LOOK: Final = "What is shown"


def metrics_url_options(section: str) -> Decorator:
    """Declare --prometheus-url and --jolokia-url, which `named_endpoints` reads."""

    return declared(
        *(
            option(
                f"--{name}-url",
                f"{name}_urls",
                multiple=True,
                metavar="[NAME=]URL",
                section=section,
                help=f"A broker's endpoint {whose}; may be repeated.",
            )
            for name, whose in (
                ("prometheus", "for Prometheus, such as jmx_exporter's"),
                ("jolokia", "of Jolokia"),
            )
        )
    )


@command("metrics", short_help="See the metrics of brokers.")
@name_option(section=SOURCES)
@metrics_url_options(SOURCES)
@option(
    "--broker",
    "brokers",
    multiple=True,
    metavar="NAME",
    section=SELECTION,
    help="Only this broker: its id, or the name before its URL; may be repeated.",
)
@option(
    "--topic",
    metavar="GLOB",
    section=SELECTION,
    help="Only series of this topic; of several with a glob (*, ?, [).",
)
@option(
    "--metric",
    "pattern",
    metavar="GLOB",
    section=SELECTION,
    help="Every series with this name, as it is, instead of the usual ones.",
)
@window_option(LOOK, 2.0, help="Look twice, so far apart, for what happens a second. 0 looks once.")
@option("--plain", is_flag=True, section=LOOK, help="Lines instead of a table, even on a terminal.")
@watch_option(LOOK)
def metrics(session: Session, **options: Any) -> None:
    """See the metrics of brokers: the usual ones of an engineer on call, or those of your choice.

    Without URLs it asks the brokers of a cluster of this machine that was started with 'kadmin
    cluster up --set kafka.metrics.reporters=prometheus'. The brokers of any other cluster need
    an agent in their JVMs: jmx_exporter, with its rules for Kafka or without any, or Jolokia.
    Give one URL for each broker.

    Each metric has a number for the cluster, which is the sum, or the worst, of its brokers'
    numbers, and one for each broker. What happens a second is counted between two looks. Idle
    percentages are means since the broker's start; percentiles of durations are of the last
    minutes. The age is that of the oldest number in a row: a broker that does not answer to
    --watch keeps its last ones. In red are numbers that a healthy cluster does not have.

    --metric takes names as jmx_exporter's rules for Kafka make them, in small letters, for
    example 'kafka_server_replicamanager_*', whichever way the metrics come.

    Exits with 5 if an endpoint does not answer; it is named, and the others are shown.

    \b
    Examples:
      kadmin metrics
      kadmin metrics --watch 5
      kadmin metrics --topic orders --output json
      kadmin metrics --prometheus-url 1=http://kafka-1:9404 --prometheus-url 2=http://kafka-2:9404
      kadmin metrics --jolokia-url http://kafka-1:8778/jolokia/ --metric '*purgatory*'
    """
    from kadmin.app.metrics import MetricsLooks, MetricsSelection
    from kadmin.render.metrics import metrics_document

    looks = MetricsLooks(
        endpoints_of(session, options),
        MetricsSelection(pattern=options["pattern"], topic=options["topic"]),
        session.budget,
    )
    if options["window"] and options["pattern"] is None:
        # An endpoint that is silent must leave time for the second look at the others.
        with session.budget.sharing():
            looks.look()
        # Without a pause for those of which none answers.
        if not looks.are_all_silent:
            time.sleep(options["window"])

    def show() -> None:
        report = looks.look()
        if not looks.are_all_silent:
            looks.require_series(report)
            histories = looks.histories if options["watch"] is not None else None
            session.output.show(metrics_document(report, histories), plain=options["plain"])
        looks.require_answers()

    watch(session, options["watch"], show)


def named_endpoints(options: dict[str, Any]) -> "list[Endpoint]":
    """Return the endpoints that --prometheus-url and --jolokia-url name.

    Raises:
        UsageError: one is no address.
    """
    from kadmin.admin.metrics.endpoints import Protocol, parse_endpoint

    return [
        parse_endpoint(text, protocol)
        for protocol, texts in (
            (Protocol.PROMETHEUS, options["prometheus_urls"]),
            (Protocol.JOLOKIA, options["jolokia_urls"]),
        )
        for text in texts
    ]


def endpoints_of(session: Session, options: dict[str, Any]) -> "list[Endpoint]":
    """Return the endpoints that are meant.

    Raises:
        click.UsageError: two have the same name, or --broker names none of them.
        KadminError: the cluster of this machine has none.
    """
    found = named_endpoints(options)
    if not found:
        from kadmin.app.local_metrics import local_endpoints

        forbid_servers(session, options["name"])
        found = local_endpoints(options["name"])
    names = [each.name for each in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise click.UsageError(f"two endpoints are named '{twice[0]}'; give NAME=URL")
    unknown = [name for name in options["brokers"] if name not in names]
    if unknown:
        raise click.UsageError(
            f"--broker {unknown[0]}: no endpoint has this name; there are {', '.join(names)}"
        )
    return [each for each in found if each.name in options["brokers"] or not options["brokers"]]


def forbid_servers(session: Session, name: str) -> None:
    """Refuse options that name servers, which know no endpoints, unless *name* is their cluster.

    Raises:
        UsageError: they are of another cluster.
    """
    from kadmin.app.local_metrics import serves_metrics

    given = [key for key in map(Key.by_name, SERVERS) if session.flags.get(key.name) is not None]
    zookeeper = session.flags.get("zookeeper")
    if not given or (zookeeper is not None and serves_metrics(name, str(zookeeper))):
        return
    raise UsageError(
        f"{given[0].option} does not say where the brokers' metrics are",
        hint="name the endpoint of each broker: --prometheus-url 1=http://HOST:PORT"
        " (or --jolokia-url); without them, --name takes a cluster of this machine",
    )
