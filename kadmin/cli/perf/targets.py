"""The topics of a test: shown and asked about before a record is written."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from kadmin.cli.perf.options import topic_configs
from kadmin.cli.session import Session
from kadmin.settings.brokers import BrokerSettings
from kadmin.wording import counted


@contextmanager
def topics_for(
    session: Session,
    clusters: Sequence[BrokerSettings],
    topics: Sequence[str],
    options: Mapping[str, Any],
    what: str,
) -> Iterator[None]:
    """Hold *topics* ready on all *clusters* for a test that writes *what*: show the plan, ask where
    something is made or records are added to others, and remove after the block what was made.

    Raises:
        RefusedError: not confirmed.
        KadminError: a topic is missing, or exists where it was to be made.
    """
    from contextlib import ExitStack

    from kadmin.records.perf.target import NewTarget, look_at, made_for_test

    new = [
        NewTarget(
            topic=topic,
            partitions=options["partitions"] or 1,
            replicas=options["replication_factor"] or 1,
            configs=topic_configs(options),
        )
        for topic in topics
        if options["create_topic"]
    ]
    lines = [
        f"make topic '{one.topic}' with {counted(one.partitions, 'partition')} and"
        f" {counted(one.replicas, 'replica')} each, and delete it after the test"
        for one in new
    ]
    has_records = False
    if not new:
        for settings in clusters:
            for target in look_at(settings, topics):
                has_records |= target.records > 0
                where = f" at {settings.bootstrap}" if len(clusters) > 1 else ""
                lines.append(
                    f"topic '{target.topic}'{where} with {counted(target.partitions, 'partition')}"
                    f" and {counted(target.records, 'record')}: the records that are written stay"
                    " there"
                )
    must_ask = (bool(new) or has_records) and not options["yes"]
    say = session.output.tell if must_ask else session.output.note
    say(f"cluster: {session.output.cluster}")
    for line in [*lines, what]:
        say(line)
    if must_ask:
        session.output.ask(f"{session.output.cluster}: run this test?")
    with ExitStack() as stack:
        for settings in clusters if new else ():
            stack.enter_context(made_for_test(settings, new))
        yield
