"""One broker of Kafka's, whose directory others may have as well, one after the other."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from tests.interop.brokers import RealCluster
from tests.interop.maven import Maven, needing_maven
from tests.interop.releases import KAFKA
from tests.support.waiting import OUTER_LIMIT_S, wait_until


@contextmanager
def one_broker(
    release: str,
    connect: str,
    *,
    java: str,
    maven: Maven,
    directory: Path,
    settings: Mapping[str, str] | None = None,
) -> Iterator[RealCluster]:
    """Broker 0, which does not run yet, nor any more at the end; with *settings* of its own."""
    with needing_maven():
        class_path = maven.class_path(KAFKA[release])
    cluster = RealCluster(
        release,
        connect,
        java=java,
        class_path=class_path,
        directory=directory,
        brokers=1,
        settings=settings,
    )
    try:
        yield cluster
    finally:
        cluster.kill_all()


def start(kafka: RealCluster) -> None:
    """Start its broker, and wait until clients can be told of a controller."""
    kafka.start()
    # librdkafka, once told of no controller, does not ask again for minutes.
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap})

    def is_controller_known() -> bool:
        # On a busy machine a broker may not know even itself at first: a partial answer.
        with suppress(KafkaException):
            return admin.list_topics(timeout=OUTER_LIMIT_S).controller_id >= 0
        return False

    wait_until(is_controller_known, what="a controller that is known")
