"""Requests to brokers: how are they sent, and what do the client's failures mean?

Knows neither how a client is opened nor what is asked.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from kafka.admin import KafkaAdminClient
from kafka.errors import (
    IncompatibleBrokerVersion,
    KafkaConnectionError,
    KafkaError,
    KafkaTimeoutError,
    NodeNotReadyError,
    NotControllerError,
    RequestTimedOutError,
)
from kafka.protocol.metadata import MetadataRequest

from cluster.model.address import host_and_port
from cluster.model.ids import BrokerId
from kadmin.admin.wire.errors import BrokersUnreachable
from kadmin.admin.wire.probe import Probe
from kadmin.errors import KadminError, UnreachableError
from kadmin.settings.brokers import BrokerSettings

SILENCES: Final = (
    KafkaConnectionError,
    KafkaTimeoutError,
    NodeNotReadyError,
    RequestTimedOutError,
)
PAUSE_S: Final = 0.05
ATTEMPTS_MAX: Final = 20

PREFIX: Final = re.compile(r"^(?:\[Error \d+\] )?(?:\w+Error: (?:\d+ )?)?")
"""What stands before the words of an error."""


class WireConnection:
    """An open client.

    *probe* knows which of the addresses have answered; without one, nobody does.
    """

    def __init__(
        self, client: KafkaAdminClient, settings: BrokerSettings, probe: Probe | None = None
    ) -> None:
        self.client: Any = client
        self.settings = settings
        self.probe = probe

    @property
    def timeout_ms(self) -> int:
        return round(1000 * self.settings.timeout_s)

    @property
    def broker_version(self) -> tuple[int, ...]:
        """The release that the brokers' requests look like, `(2, 4)`."""
        return tuple(self.client._manager.broker_version)

    def metadata(
        self, topics: Sequence[str] | None, broker: int | None = None
    ) -> Mapping[str, Any]:
        """What one broker knows of brokers, controller, and *topics*; None means all topics.

        *broker* is asked, and any if that one is silent or none is named.  Not by
        `describe_cluster`: that fails on 2.8, and takes a request more.
        """
        # By the field's name: topics have an id before it in some releases only.
        topic = MetadataRequest.MetadataRequestTopic
        request = MetadataRequest(
            topics=None if topics is None else [topic(name=name) for name in topics],
            allow_auto_topic_creation=False,
        )
        try:
            answer = self.ask(request, broker)
        except BrokersUnreachable:
            if broker is None:
                raise
            answer = self.ask(request)
        told = answer.to_dict()
        assert isinstance(told, dict)
        return told

    @contextmanager
    def asking_controller(self) -> Iterator[None]:
        """Say of a call of kafka-python that goes to the controller if there was none."""
        try:
            yield
        except RuntimeError as error:  # That is how kafka-python puts it.
            raise NoController(self.settings.bootstrap) from error

    def serves(self, request: type) -> bool:
        """Whether the brokers know *request*, a class of kafka-python, in a version of its."""
        return self.version_of(request) is not None

    def version_of(self, request: type) -> int | None:
        """The version in which *request* is sent; None where the brokers know none of its."""
        try:
            return int(self.client._manager.broker_version_data.api_version(request))
        except IncompatibleBrokerVersion:
            return None

    def read(self, call: Callable[[], object]) -> Any:
        """What some broker tells when *call* of kafka-python asks for what changes nothing.

        A broker that died a moment ago is alive to the others and may be chosen.  kafka-python
        leaves it aside for a while then, and another one is asked.
        """
        deadline = time.monotonic() + self.settings.timeout_s
        failure: KafkaError | None = None
        while True:
            try:
                return self.client._manager.run(call)
            except KafkaConnectionError as error:
                failure = error
            except NodeNotReadyError as error:  # Nobody is left for now.
                failure = failure or error
            if time.monotonic() >= deadline:
                raise failure
            time.sleep(PAUSE_S)

    def ask(self, request: object, broker: int | None = None) -> Any:
        """What *broker*, None for any, answers to *request*, which changes nothing.

        Raises:
            BrokersUnreachable: a broker that is named does not answer.
            KafkaError: no other does; what is in an answer is the caller's.
        """
        if broker is None:
            return self.read(lambda: self.client._manager.send(request, self.someone()))
        try:
            return self.send(request, broker)
        except SILENCES as error:
            reason = f"broker {broker}: {plain(error)}"
            raise BrokersUnreachable(self.settings.bootstrap, reason) from error

    def ask_controller(self, request: object) -> Any:
        """What the controller answers to *request*, which changes nothing and can be refused as a
        whole.

        One that dies or resigns meanwhile is waited for until the timeout.

        Raises:
            NoController: there is none now.
            BrokersUnreachable: it does not answer.
        """
        deadline = time.monotonic() + self.settings.timeout_s
        while True:
            controller = self.controller()
            is_over = time.monotonic() >= deadline
            try:
                answer = self.ask(request, controller)
            except BrokersUnreachable:
                if is_over:
                    raise
            else:
                if answer.error_code != NotControllerError.errno:
                    return answer
                if is_over:
                    raise NoController(self.settings.bootstrap)
            time.sleep(PAUSE_S)

    def ask_each(self, request: object, brokers: Iterable[BrokerId]) -> dict[BrokerId, Any]:
        """What each of *brokers* answers to *request*, which changes nothing.

        All are asked at once, so that silence costs one time limit; who is silent is left out.
        """
        return self.ask_all(dict.fromkeys(brokers, request))[0]

    def ask_all(
        self, requests: Mapping[BrokerId, object]
    ) -> tuple[dict[BrokerId, Any], dict[BrokerId, str]]:
        """What each broker answers to its own of *requests*, as `ask_each`, and why others do not
        answer."""
        asked = []
        silent: dict[BrokerId, str] = {}
        for broker in requests:
            try:
                self.learn_of(broker)
                asked.append(broker)
            except BrokersUnreachable as error:
                silent[broker] = error.reason

        async def answers() -> dict[BrokerId, Any]:
            sent = {broker: self.client._manager.send(requests[broker], broker) for broker in asked}
            found = {}
            for broker, answer in sent.items():
                try:
                    found[broker] = await answer
                except SILENCES as error:
                    silent[broker] = plain(error)
            return found

        found: dict[BrokerId, Any] = self.client._manager.run(answers)
        return found, silent

    def send(self, request: object, broker: int | None = None) -> Any:
        """What *broker*, None for any, answers to *request*: its errors are the caller's."""
        if broker is not None:
            self.learn_of(broker)
        return self.client._manager.run(self.client._manager.send, request, broker)

    def someone(self) -> int | None:
        """A broker at one of the addresses that have answered, unless it has failed since.

        None where none is known to be at one, which leaves it to kafka-python: that takes any, also
        one that says nothing any more and is alive to the others.
        """
        if self.probe is None:
            return None
        manager, heard = self.client._manager, self.probe.heard()
        for node in manager.cluster.brokers():
            if host_and_port(node.host, node.port) in heard and not manager.connection_delay(
                node.node_id
            ):
                return int(node.node_id)
        return None

    def learn_of(self, broker: int) -> None:
        """See that kafka-python knows where *broker* is.

        It knows those that the first broker told of, which may not have heard of all.

        Raises:
            BrokersUnreachable: nobody tells of it, again and again.
        """
        known = self.client._manager.cluster
        for _attempt in range(ATTEMPTS_MAX):
            if known.broker_metadata(broker) is not None:
                return
            self.read(lambda: known.refresh_metadata(self.someone()))
            time.sleep(PAUSE_S)
        reason = f"broker {broker} is not known to all of them"
        raise BrokersUnreachable(self.settings.bootstrap, reason)

    def awaited_controller(self) -> int | None:
        """The controller; None where there seems to be none, again and again.

        So it seems to a broker, too, that has just started.
        """
        for attempt in range(ATTEMPTS_MAX):
            if attempt:
                time.sleep(PAUSE_S)
            controller = int(self.metadata([])["controller_id"])
            if controller >= 0:
                return controller
        return None

    def controller(self) -> int:
        """The broker that carries out what only a controller does.

        Raises:
            NoController: there is none now.
        """
        controller = self.metadata([])["controller_id"]
        if controller < 0:
            raise NoController(self.settings.bootstrap)
        return int(controller)


class NotServed(KadminError):
    """The brokers do not know a request that this takes."""

    def __init__(
        self,
        bootstrap: str,
        what: str,
        since: str,
        hint: str = "kadmin configs --zookeeper HOST:PORT works with every release",
    ) -> None:
        super().__init__(
            f"the brokers at {bootstrap} do not serve {what}; Kafka does from {since} on",
            hint=hint,
        )
        self.bootstrap = bootstrap


class NoController(UnreachableError):
    """No broker takes a request that only the controller carries out."""

    def __init__(self, bootstrap: str) -> None:
        super().__init__(
            f"the brokers at {bootstrap} have no controller now; nothing was changed",
            hint="kadmin brokers --describe shows when there is one again",
        )


def plain(error: KafkaError) -> str:
    """What *error* says, or its name where it says nothing."""
    text = PREFIX.sub("", str(error)).strip()
    return text or type(error).__name__.removesuffix("Error")
