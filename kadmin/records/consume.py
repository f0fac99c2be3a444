"""Consuming: a reader of what was asked for, connected, which is closed at the end."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException
from confluent_kafka import TopicPartition as Position

from kadmin.errors import KadminError
from kadmin.records.assigned import AssignedReader, Assigner
from kadmin.records.client import (
    ConnectionLog,
    NoSuchPartition,
    leaders_of,
    open_consumer,
)
from kadmin.records.member import (
    LEAVING_S,
    MemberReader,
    commits,
    cooperates,
    group_properties,
)
from kadmin.records.positions import find_spans
from kadmin.records.reader import ConsumeRequest, Reader, SpanReader
from kadmin.settings.brokers import BrokerSettings


@contextmanager
def open_reader(
    settings: BrokerSettings,
    request: ConsumeRequest,
    *,
    note: Callable[[str], None],
    warn: Callable[[str], None],
    debug: bool = False,
) -> Iterator[Reader]:
    """Yield a reader of what *request* asks for; *note* and *warn* take what a group does.

    Raises:
        BrokersUnreachable, BrokersDenied, NoSuchTopic: as `leaders_of`.
        NoSuchPartition, NoSuchOffset, NoLeader: what is asked for is not there.
        NotCommitted: of a group, at the end.
        UsageError: properties that librdkafka does not take.
    """
    log = ConnectionLog(settings.bootstrap, has_tls=settings.tls)
    opened = (
        open_spans(settings, request, log, debug=debug)
        if request.membership is None
        else open_member(settings, request, log, note=note, warn=warn, debug=debug)
    )
    try:
        with opened as reader:
            yield reader
    except KafkaException as error:
        raise log.failure(error.args[0], "reading") from error


@contextmanager
def open_spans(
    settings: BrokerSettings, request: ConsumeRequest, log: ConnectionLog, *, debug: bool
) -> Iterator[SpanReader]:
    properties = {"isolation.level": request.isolation, **request.properties}
    consumer = open_consumer(settings, properties, log, debug=debug)
    try:
        places = [
            (topic, partition)
            for topic in request.topics
            for partition in chosen_partitions(
                topic,
                tuple(leaders_of(consumer, topic, log, settings.timeout_s)),
                request.partitions,
            )
        ]
        spans = find_spans(
            consumer,
            places,
            request.start,
            log,
            stops_at_end=request.stops_at_end,
            timeout_s=settings.timeout_s,
        )
        yield SpanReader(consumer, request, spans, log, settings.timeout_s)
    finally:
        consumer.close()


@contextmanager
def open_member(
    settings: BrokerSettings,
    request: ConsumeRequest,
    log: ConnectionLog,
    *,
    note: Callable[[str], None],
    warn: Callable[[str], None],
    debug: bool,
) -> Iterator[MemberReader]:
    """Yield a member of a group.  However the block ends, what it is done with is committed."""
    assert request.membership is not None
    properties: dict[str, Any] = {
        **group_properties(request.membership),
        "isolation.level": request.isolation,
        **request.properties,
    }
    readers: list[MemberReader] = []

    def on_commit(error: KafkaError | None, partitions: list[Position]) -> None:
        for reader in readers:
            reader.on_commit(error, partitions)

    consumer = open_consumer(settings, {**properties, "on_commit": on_commit}, log, debug=debug)
    try:
        for topic in request.topics:
            leaders_of(consumer, topic, log, settings.timeout_s)
        reader = MemberReader(
            *(consumer, request, log, settings.timeout_s),
            note=note,
            is_cooperative=cooperates(properties),
            commits=commits(properties),
        )
        readers.append(reader)
        with leaving(reader, warn):
            yield reader
    finally:
        close(consumer)


@contextmanager
def open_assigned(
    settings: BrokerSettings,
    request: ConsumeRequest,
    assigner: Assigner,
    *,
    note: Callable[[str], None],
    warn: Callable[[str], None],
    debug: bool = False,
) -> Iterator[AssignedReader]:
    """Yield a reader of what *assigner* assigns to a member of a group that no broker knows.

    Raises:
        BrokersUnreachable, BrokersDenied, NoSuchTopic, NotCommitted, UsageError: as `open_reader`.
    """
    assert request.membership is not None
    log = ConnectionLog(settings.bootstrap, has_tls=settings.tls)
    properties = {"isolation.level": request.isolation, **request.properties}
    consumer = open_consumer(settings, properties, log, debug=debug)
    try:
        for topic in request.topics:
            leaders_of(consumer, topic, log, settings.timeout_s)
        reader = AssignedReader(
            *(consumer, request, log, settings.timeout_s),
            group=request.membership.group,
            assigner=assigner,
            note=note,
        )
        with leaving(reader, warn):
            yield reader
    except KafkaException as error:
        raise log.failure(error.args[0], "reading") from error
    finally:
        consumer.close()


@contextmanager
def leaving(reader: MemberReader | AssignedReader, warn: Callable[[str], None]) -> Iterator[None]:
    """Let *reader* leave its group at the end of the block, however it ends."""
    try:
        yield
    except KadminError:
        with suppress(KadminError):  # Of two reasons the first.
            reader.leave()
        raise
    except BaseException:
        try:
            reader.leave()
        except KadminError as error:
            warn(error.message)
        raise
    reader.leave()


def close(consumer: Consumer) -> None:
    """Close *consumer*, which leaves its group; wait for that no longer than is of use.

    librdkafka waits for minutes for brokers that stand still.
    """
    closing = threading.Thread(target=consumer.close, name="kadmin-leaving", daemon=True)
    closing.start()
    closing.join(LEAVING_S)


def chosen_partitions(topic: str, known: Sequence[int], wanted: Sequence[int]) -> Sequence[int]:
    for partition in wanted:
        if partition not in known:
            raise NoSuchPartition(topic, partition, len(known))
    return wanted or known
