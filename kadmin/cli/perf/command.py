"""`kadmin perf`: which test is run?"""

from typing import Final

import click

from kadmin.cli.frame import Catalog, LazyGroup

SUBCOMMANDS: Final[Catalog] = {
    "produce": (
        "kadmin.cli.perf.produce",
        "produce",
        "Measure how fast records are written.",
    ),
    "consume": ("kadmin.cli.perf.consume", "consume", "Measure how fast records are read."),
    "end-to-end": (
        "kadmin.cli.perf.end_to_end",
        "end_to_end",
        "Measure how long one record takes from a producer to a consumer.",
    ),
    "load": (
        "kadmin.cli.perf.load",
        "load",
        "Write and read at a steady rate, and find what was unavailable, and when.",
    ),
    "report": (
        "kadmin.cli.perf.report",
        "report",
        "Run six experiments, and write a page with their plots.",
    ),
}


@click.group("perf", cls=LazyGroup, catalog=SUBCOMMANDS, speaks_to_brokers=True)
def perf() -> None:
    """Measure how fast a cluster takes and gives records, with the options and lines of Kafka's own
    tools: kafka-producer-perf-test, kafka-consumer-perf-test and EndToEndLatency.

    A test that makes a topic deletes it, and one that writes to a topic with records asks first.
    Percentiles are those of an HDR histogram with three digits.
    """
