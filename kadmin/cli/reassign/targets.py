"""The targets of `kadmin reassign`, from a file or from a short form."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from cluster.model.ids import BrokerId
from kadmin.arguments.numbers import parse_broker_list, parse_numbers
from kadmin.arguments.reassignment_files import TARGETS_HINT, PlannedFrom, parse_targets_for
from kadmin.cli.files import name_of, read_text
from kadmin.cli.options import exactly_one
from kadmin.plan.broker_names import unknown_brokers
from kadmin.plan.reassignment.shorthand import (
    evacuation,
    moving_of,
    partitions_of,
    targets_of_partitions,
)
from kadmin.plan.reassignment.status import leftovers
from kadmin.plan.topic_refusals import check_topic_name

if TYPE_CHECKING:
    from cluster.model.snapshot import ClusterSnapshot
    from kadmin.plan.reassignment.targets import Targets

TargetsIn: TypeAlias = Callable[["ClusterSnapshot"], "Targets"]
"""What is wanted, given the cluster."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be *asked* for, and what is *verified* then."""

    asked: TargetsIn
    verified: TargetsIn
    planned_from: PlannedFrom = PlannedFrom()


def wanted_by(options: Mapping[str, Any], *, is_asked: bool) -> Wanted:
    """Return what the options want.

    They need not say who takes what a broker has, unless it *is_asked*.

    Raises:
        click.UsageError: none of the ways to say it, several, or half of one.
        BadFile: what the file holds.
    """
    chosen = exactly_one(
        {
            name: options[name.removeprefix("--").replace("-", "_")] is not None
            for name in ("--reassignment-json-file", "--topic", "--from-broker")
        },
        "what is to be moved",
    )
    refuse_strays(options, chosen)
    if chosen == "--from-broker":
        return of_broker(options, is_asked=is_asked)
    if chosen != "--topic":
        return of_file(options)
    targets_in = of_topic(options)
    return Wanted(targets_in, targets_in)


def cancelled_by(options: Mapping[str, Any]) -> TargetsIn:
    """Return what the options want cancelled: the partitions of a file, or those of a topic that
    move.

    Raises:
        click.UsageError: neither is given, or both are.
        BadFile: what the file holds.
    """
    chosen = exactly_one(
        {
            "--reassignment-json-file": options["reassignment_json_file"] is not None,
            "--topic": options["topic"] is not None,
        },
        "what is to be cancelled",
    )
    if chosen != "--topic":
        refuse_strays(options, chosen)
        return of_file(options).asked
    topic = options["topic"]
    check_topic_name(topic)
    numbers = None
    if options["partitions"] is not None:
        numbers = parse_numbers(options["partitions"], "--partitions")
    return lambda snapshot: moving_of(snapshot, topic, numbers)


def of_file(options: Mapping[str, Any]) -> Wanted:
    path = options["reassignment_json_file"]
    targets, planned_from = parse_targets_for(read_text(path, TARGETS_HINT), name_of(path))
    return Wanted(lambda _: targets, lambda _: targets, planned_from)


def of_broker(options: Mapping[str, Any], *, is_asked: bool) -> Wanted:
    broker = BrokerId(options["from_broker"])
    to_brokers: tuple[BrokerId, ...] = ()
    if is_asked:
        if options["to_brokers"] is None:
            raise click.UsageError("--from-broker needs --to-brokers")
        to_brokers = parse_broker_list(options["to_brokers"])
        if broker in to_brokers:
            raise click.UsageError(f"broker {broker} is to be emptied, and is one of --to-brokers")
    return Wanted(
        asked=lambda snapshot: evacuation(snapshot, broker, to_brokers),
        verified=Emptied(broker, is_known=is_asked),
    )


@dataclass(slots=True)
class Emptied:
    """What *broker* still has is wanted elsewhere.

    A dead broker without replicas leaves no trace: once it *is_known*, because it was asked for or
    had replicas before, it stays known.
    """

    broker: BrokerId
    is_known: bool

    def __call__(self, snapshot: "ClusterSnapshot") -> "Targets":
        if not self.is_known:
            self.is_known = not unknown_brokers(snapshot, [self.broker])
        return leftovers(snapshot, self.broker)


def of_topic(options: Mapping[str, Any]) -> TargetsIn:
    topic = options["topic"]
    check_topic_name(topic)
    if options["replicas"] is None:
        raise click.UsageError("--topic needs --replicas")
    replicas = tuple(map(BrokerId, parse_numbers(options["replicas"], "--replicas")))
    if options["partitions"] is not None:
        numbers = parse_numbers(options["partitions"], "--partitions")
        return lambda _: targets_of_partitions(topic, numbers, replicas)
    return lambda snapshot: targets_of_partitions(topic, partitions_of(snapshot, topic), replicas)


def refuse_strays(options: Mapping[str, Any], chosen: str) -> None:
    """Refuse what goes with another way than the one *chosen*."""
    for name, way in (
        ("partitions", "--topic"),
        ("replicas", "--topic"),
        ("to_brokers", "--from-broker"),
    ):
        if options[name] is not None and chosen != way:
            raise click.UsageError(f"--{name.replace('_', '-')} goes with {way} alone")
