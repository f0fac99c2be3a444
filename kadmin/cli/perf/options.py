"""Options of several tests: the topic that is made, and what becomes of the figures."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import click

from kadmin.cli.common_options import yes_option
from kadmin.cli.options import Decorator, WholeNumber, declared, option
from kadmin.cli.session import Session
from kadmin.errors import UsageError

MADE: Final = "A topic for this test alone"
FIGURES: Final = "Figures"
COMPARED: Final = "Two sides in turns"
SIZE_MAX: Final = 1_000_000_000


def processes_option(help: str, section: str = "Options") -> Decorator:
    """Declare --processes, which Kafka's tools call --threads."""
    return option(
        "--processes",
        "--threads",
        "processes",
        type=WholeNumber(1, 64),
        default=1,
        show_default=True,
        metavar="N",
        section=section,
        help=help,
    )


def reporting_option(default_ms: int, section: str = "Options") -> Decorator:
    """Declare --reporting-interval."""
    return option(
        "--reporting-interval",
        type=WholeNumber(min=100),
        default=default_ms,
        show_default=True,
        metavar="MS",
        section=section,
        help="Print a line every so many ms.",
    )


def topic_options() -> Decorator:
    return declared(
        option(
            "--create-topic",
            is_flag=True,
            section=MADE,
            help="Make the topic, and delete it after the test; without --topic it gets a name.",
        ),
        option(
            "--partitions",
            type=WholeNumber(min=1),
            metavar="N",
            section=MADE,
            help="How many partitions it gets, otherwise 1.",
        ),
        option(
            "--replication-factor",
            type=WholeNumber(min=1),
            metavar="N",
            section=MADE,
            help="How many replicas each gets, otherwise 1.",
        ),
        option(
            "--topic-config",
            multiple=True,
            metavar="KEY=VALUE",
            section=MADE,
            help="A config of the topic; may be repeated.",
        ),
        yes_option(
            section=MADE,
            help="Do not ask before a topic is made, or one with records is written to.",
        ),
    )


def figure_options() -> Decorator:
    return declared(
        option(
            "--csv",
            "--metrics-dir",
            "csv",
            metavar="DIR",
            section=FIGURES,
            help="Write a file for each metric, a row for each interval, as Kafka's CSV reporter.",
        ),
        option(
            "--csv-reporter-enabled",
            is_flag=True,
            section=FIGURES,
            help="As Kafka 0.8: --csv kafka_metrics, unless --metrics-dir names another directory.",
        ),
        option(
            "--svg",
            metavar="FILE",
            section=FIGURES,
            help="Draw throughput and latency into this file.",
        ),
        option(
            "--hdr",
            metavar="FILE",
            section=FIGURES,
            help="Write the latencies as a log of HdrHistogram, for its tools; needs"
            " kadmin-kafka[perf].",
        ),
    )


def comparison_options() -> Decorator:
    return declared(
        option(
            "--compare",
            nargs=2,
            metavar="A B",
            section=COMPARED,
            help="Run each in turns (A B B A) and print the ratios: each a cluster's name,"
            " HOST:PORT, or properties as linger.ms=0,batch.size=16384.",
        ),
        option(
            "--rounds",
            type=WholeNumber(1, 100),
            metavar="N",
            section=COMPARED,
            help="How often each side runs, otherwise 4 times.",
        ),
    )


def csv_directory(options: Mapping[str, Any]) -> str | None:
    """Return where the files of the CSV reporter go; None for nowhere.

    Raises:
        UsageError: the name is empty.
    """
    if options["csv"] is None and options["csv_reporter_enabled"]:
        return "kafka_metrics"
    directory: str | None = options["csv"]
    if directory == "":
        raise UsageError("--csv was given an empty name", hint="--csv . for this directory")
    return directory


def given_properties(session: Session, texts: Sequence[str], option_name: str) -> dict[str, str]:
    """Return the properties of Kafka's `--producer-props`, in librdkafka's words; its brokers name
    the cluster.

    Raises:
        UsageError: one has no '=', or the brokers are named twice.
    """
    from kadmin.records.properties import JAVA_ONLY, OTHERWISE, parse_properties
    from kadmin.settings.keys import parse_bootstrap

    rest = []
    for text in texts:
        name, _, value = text.partition("=")
        if name == "bootstrap.servers":
            known = session.flags.setdefault("bootstrap_server", parse_bootstrap(value))
            if known != parse_bootstrap(value):
                raise UsageError(
                    f"{option_name} {text}: --bootstrap-server names others",
                    hint="name the brokers once",
                )
        elif name in JAVA_ONLY:
            session.warn(f"{name} means nothing to librdkafka: it is left out")
        else:
            rest.append(text)
    found = parse_properties(rest, option_name)
    return {OTHERWISE.get(name, name): value for name, value in found.items()}


def topic_configs(options: Mapping[str, Any]) -> dict[str, str]:
    configs = {}
    for text in options["topic_config"]:
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise UsageError(
                f"--topic-config {text}: it takes KEY=VALUE",
                hint="--topic-config retention.ms=60000",
            )
        configs[name] = value
    return configs


def topics_to_write(options: Mapping[str, Any], topics: Sequence[str]) -> tuple[str, ...]:
    """Return the topics that are meant, one with a name of its own where one is made.

    Raises:
        click.UsageError: none is named, a name is empty, or an option needs --create-topic.
    """
    if "" in topics:
        raise click.UsageError("--topic was given an empty name")
    if not options["create_topic"]:
        for name in ("partitions", "replication_factor", "topic_config"):
            if options[name]:
                raise click.UsageError(f"--{name.replace('_', '-')} needs --create-topic")
        if not topics:
            raise click.UsageError("missing option '--topic', or --create-topic")
        return tuple(topics)
    import secrets

    return tuple(topics) or (f"kadmin-perf-{secrets.token_hex(4)}",)
