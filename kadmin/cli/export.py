"""`kadmin export`: an exporter for Prometheus."""

import re
import threading
from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.cli.common_options import ListenAddress, behind_after_option, window_option
from kadmin.cli.frame import command
from kadmin.cli.options import Number, forbid, given_options, option
from kadmin.cli.session import Session
from kadmin.errors import KadminError, UsageError
from kadmin.settings.keys import Value

if TYPE_CHECKING:
    from kadmin.app.exporting.exporter import Exporter

SELECTION: Final = "Which topics and groups"
READING: Final = "How they are read"
SERVING: Final = "How they are served"

INTERVAL_MAX_S: Final = 86_400
SERVED: Final = {
    "listen": "--listen",
    "telemetry_path": "--telemetry-path",
    "interval_s": "--interval",
    "check_interval_s": "--check-interval",
    "age_max_s": "--max-age",
    "window": "--window",
}
"""Options that mean nothing where the cluster is read once."""
PUBLIC: Final = 0o644
"""The mode of a new file: its reader is another user, and it has no secrets."""


class PollSession(Session):
    """The session of a poll: what one look after the other warns of is printed once."""

    def __init__(self, flags: dict[str, Value]) -> None:
        super().__init__(flags)
        self._before: set[str] = set()
        self._now: set[str] = set()

    def look_again(self) -> None:
        self._before, self._now = self._now, set()
        super().look_again()

    def warn(self, text: str) -> None:
        if text not in self._before | self._now:
            super().warn(text)
        self._now.add(text)


@command(
    "export", short_help="Export topics, offsets and lag to Prometheus.", speaks_to_brokers=True
)
@option(
    "--topic",
    "topics",
    multiple=True,
    metavar="NAME",
    section=SELECTION,
    completes="topics",
    help="Only this topic, or those that a glob matches; several by repeating.",
)
@option(
    "--exclude-topic",
    "excluded_topics",
    multiple=True,
    metavar="NAME",
    section=SELECTION,
    completes="topics",
    help="Leave out this topic, or those that a glob matches; several by repeating.",
)
@option(
    "--group",
    "groups",
    multiple=True,
    metavar="NAME",
    section=SELECTION,
    completes="groups",
    help="Only this group, or those that a glob matches; several by repeating.",
)
@option(
    "--exclude-group",
    "excluded_groups",
    multiple=True,
    metavar="NAME",
    section=SELECTION,
    completes="groups",
    help="Leave out this group, or those that a glob matches; several by repeating.",
)
@behind_after_option(READING)
@window_option(
    READING,
    60.0,
    help="Judge groups by how they moved in this time: longer than they take to commit.",
)
@option(
    "--interval",
    "interval_s",
    type=Number(1, INTERVAL_MAX_S),
    default=15.0,
    show_default=True,
    metavar="SECONDS",
    section=READING,
    help="Read topics, offsets and groups once in this time, however often they are scraped.",
)
@option(
    "--check-interval",
    "check_interval_s",
    type=Number(0, INTERVAL_MAX_S),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    section=READING,
    help="Check the cluster once in this time, as 'kadmin check' does; 0 is never.",
)
@option(
    "--max-age",
    "age_max_s",
    type=Number(1, INTERVAL_MAX_S),
    default=180.0,
    show_default=True,
    metavar="SECONDS",
    section=READING,
    help="Leave out numbers that are older, since the cluster has not answered.",
)
@option(
    "--listen",
    type=ListenAddress(),
    default="127.0.0.1:9308",
    show_default=True,
    metavar="HOST:PORT",
    section=SERVING,
    help="Serve HTTP there; port 0 is a free one. Who reaches it can read all metrics.",
)
@option(
    "--telemetry-path",
    default="/metrics",
    show_default=True,
    metavar="PATH",
    section=SERVING,
    help="Where the metrics are.",
)
@option(
    "--once",
    is_flag=True,
    section=SERVING,
    help="Read the cluster once, print its metrics and end; serve nothing.",
)
@option(
    "--output-file",
    metavar="FILE",
    section=SERVING,
    help="With --once: write them to FILE, whole or not at all, for the textfile collector.",
)
def export(session: Session, **options: Any) -> None:
    """Serve metrics of brokers, topics and groups to Prometheus, with the names of kafka_exporter.

    It asks the brokers of any cluster (Kafka 0.10.1 and later), and needs nothing on their hosts.
    The names are those of danielqsj's kafka_exporter, so that its dashboards work unchanged; on
    top are the lag in seconds, exactly (the age of the first record that a group has not read),
    the verdict on each group, and the number of findings of 'kadmin check'.

    The cluster is read every --interval by one poll, in few requests, and a scrape gets what was
    read last: scrapers, however many, cost the cluster nothing. kafka_exporter_age_seconds has the
    age of the numbers. While no broker answers, kafka_exporter_up is 0, and numbers older than
    --max-age are left out; the exporter goes on trying. SIGTERM and Ctrl-C end it.

    With --once it exits with 5 if no broker answers, and the metrics then say so, and with 1 if a
    --topic or --group does not exist; the rest is written. Otherwise they may be created later.

    \b
    Examples:
      kadmin export --bootstrap-server kafka1:9092 --listen 0.0.0.0:9308
      kadmin export --exclude-topic '__*' --group 'billing-*' --interval 30
      kadmin export --once --output-file /var/lib/node_exporter/kafka.prom
    """
    check_options(options)
    from kadmin.app.exporting.exporter import Exporter, Settings
    from kadmin.app.exporting.reading import Wanted
    from kadmin.arguments.name_filter import parse_name_filter

    wanted = Wanted(
        topics=parse_name_filter(options["topics"], options["excluded_topics"], "topic"),
        groups=parse_name_filter(options["groups"], options["excluded_groups"], "group"),
        behind_ms=round(1000 * options["behind_after"]),
    )
    settings = Settings(
        wanted=wanted,
        interval_s=options["interval_s"],
        age_max_s=options["age_max_s"],
        window_s=options["window"],
        check_interval_s=options["check_interval_s"] or None,
    )
    check_settings(session)
    exporter = Exporter(lambda: PollSession(session.flags), settings)
    if options["once"]:
        export_once(session, exporter, options["output_file"])
    else:
        serve(session, exporter, options["listen"], options["telemetry_path"])


def check_options(options: dict[str, Any]) -> None:
    """Refuse options that do not go together, or are understood by no server.

    Raises:
        click.UsageError: one of these.
        UsageError: the file cannot be written.
    """
    if not re.fullmatch(r"/[^\s?#]*", options["telemetry_path"]):
        path = options["telemetry_path"]
        raise click.UsageError(f"--telemetry-path '{path}' is no path: it begins with /")
    if options["once"]:
        given = [name for name in given_options(options) if name in SERVED]
        # Whether the cluster is checked is a question for one look, too.
        is_unchecked = options["check_interval_s"] == 0
        forbid(
            [SERVED[name] for name in given if name != "check_interval_s" or not is_unchecked],
            "--once",
        )
    elif options["output_file"] is not None:
        raise click.UsageError("--output-file needs --once")
    for name in ("interval_s", "check_interval_s"):
        if options[name] > options["age_max_s"]:
            raise click.UsageError(
                f"--max-age {options['age_max_s']:g} is shorter than {SERVED[name]}"
                f" {options[name]:g}: numbers would be left out between two polls"
            )
    if options["output_file"] is not None:
        from kadmin.app.snapshot_files import check_target

        check_target(options["output_file"], overwrites=True)


def check_settings(session: Session) -> None:
    """Raise what is wrong with the settings of the cluster, which may be down for now.

    Raises:
        UsageError: no cluster is named, or its settings make no safe connection.
    """
    try:
        session.brokers()
    except UsageError:
        raise
    except KadminError:
        return  # The poll reports it, and tries again.
    finally:
        session.leave_out_down_servers()


def export_once(session: Session, exporter: "Exporter", path: str | None) -> None:
    """Print what one read returned, or write it to the file *path*.

    Raises:
        KadminError: the cluster was not read; the metrics say so by then.
    """
    error = exporter.read_once()
    text = exporter.scrape(is_zipped=False)
    if path is None:
        session.output.stdout.write(text.decode())
    else:
        from kadmin.app.snapshot_files import write_file

        write_file(path, text, mode=PUBLIC)
    if error is not None:
        raise error


def serve(session: Session, exporter: "Exporter", address: tuple[str, int], path: str) -> None:
    """Poll and serve until a signal ends it.

    Raises:
        NotListening: the address is taken.
    """
    from kadmin.app.exporting.server import MetricsServer
    from kadmin.jvm.interrupts import restore, take_over

    def end(*_: object) -> None:
        raise KeyboardInterrupt

    with (
        MetricsServer(address, path, exporter.answer) as server,
        exporter.poller,
    ):
        before = take_over(end)
        try:
            session.note(f"metrics are at {server.url}")
            threading.Event().wait()
        except KeyboardInterrupt:
            return
        finally:
            restore(before)
