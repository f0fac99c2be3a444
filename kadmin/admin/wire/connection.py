"""Requests to brokers: how are they sent, and what do the client's failures mean?

Knows neither how a client is opened nor what is asked.
"""

import re
import time
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeVar

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
from kafka.protocol.admin import DescribeQuorumRequest
from kafka.protocol.metadata import MetadataRequest

from cluster.model.address import host_and_port
from cluster.model.ids import BrokerId
from kadmin.admin.asking import Asking
from kadmin.admin.ports import Fence
from kadmin.admin.wire.errors import ANSWERED_BEFORE, BrokersUnreachable
from kadmin.admin.wire.outcomes import NO_FENCE, change_of
from kadmin.admin.wire.patience import Patience
from kadmin.admin.wire.probe import Probe
from kadmin.budget import Budget
from kadmin.errors import KadminError, UnreachableError
from kadmin.settings.brokers import BrokerSettings

SILENCES: Final = (
    KafkaConnectionError,
    KafkaTimeoutError,
    NodeNotReadyError,
    RequestTimedOutError,
)
TIMEOUTS: Final = (KafkaTimeoutError, RequestTimedOutError)
CONNECT_TIMEOUT: Final = "timed out"
"""How kafka-python puts it that a connection or a handshake took too long."""

NO_QUORUM: Final = "the controllers do not answer"
"""Of a request that brokers on KRaft pass on."""
PAUSE_S: Final = 0.05
ATTEMPTS_MAX: Final = 20
HEARING_S: Final = 0.25
"""Who had less time to answer, at the end of that of the command, is not known to be silent."""
SHARE: Final = 0.95
SETTLING_S: Final = 0.2
"""For those who have asked on threads to make something of the end of the time."""

Broker = TypeVar("Broker", bound=Hashable)
Answer = TypeVar("Answer")

PREFIX: Final = re.compile(r"^(?:\[Error \d+\] )?(?:\w+Error: (?:\d+ )?)?")
"""What stands before the words of an error."""


class WireConnection:
    """An open client, all of whose waits spend one *budget*.

    *probe* holds the addresses that have answered; without a probe, none is known to have.  A
    broker that has timed out once is not waited for again by the same command; how long, and
    whether by later looks, is in *patience*.
    """

    def __init__(
        self,
        client: KafkaAdminClient,
        settings: BrokerSettings,
        probe: Probe | None = None,
        budget: Budget | None = None,
        patience: Patience | None = None,
    ) -> None:
        self.client: Any = client
        self.settings = settings
        self.probe = probe
        self.budget = budget or Budget(settings.timeout_s)
        self.patience = patience or Patience()
        self.hindrance: KadminError | None = None
        """Why nothing can be changed by these brokers for now."""

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
        """Read brokers, controller and *topics* from one broker; None means all topics.

        *broker* is asked, and any other if it does not answer or none is named.  `describe_cluster`
        is not used: it fails on 2.8, and takes one more request.
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
        fields = answer.to_dict()
        assert isinstance(fields, dict)
        return fields

    def fence(self) -> Fence:
        """Return an empty fence: brokers accept none; their answer decides about a plan that is out
        of date.

        Raises:
            KadminError: nothing can be changed now.
        """
        if self.hindrance is not None:
            raise self.hindrance
        return NO_FENCE

    @contextmanager
    def changing(self, what: str, *, is_whole: bool = True) -> Iterator[None]:
        """Say of a request without an answer that it may have been carried out; unless it
        *is_whole*, also in part.

        It is waited for as long as any, whatever the plan has taken.
        """
        self.budget.renew()
        with change_of(what, is_whole=is_whole):
            yield

    @contextmanager
    def asking_controller(self) -> Iterator[None]:
        """Say of a call of kafka-python that goes to the controller if there was none."""
        try:
            yield
        except RuntimeError as error:  # That is how kafka-python puts it.
            raise NoController(self.settings.bootstrap) from error

    def serves(self, request: type) -> bool:
        """Return whether the brokers know *request*, a class of kafka-python, in a version of
        its."""
        return self.version_of(request) is not None

    def version_of(self, request: type) -> int | None:
        """Return the version in which *request* is sent; None where the brokers know none of
        its."""
        try:
            return int(self.client._manager.broker_version_data.api_version(request))
        except IncompatibleBrokerVersion:
            return None

    def read(self, call: Callable[[], object]) -> Any:
        """Return what some broker answers to *call* of kafka-python, which must be a read.

        Other brokers may still list a broker that died a moment ago, so that it may be chosen.
        kafka-python then avoids it for a while, and another broker is asked.
        """
        failure: KafkaError | None = None
        end_s = self.budget.end_s()
        while True:
            try:
                return self.client._manager.run(call)
            except KafkaConnectionError as error:
                failure = error
            except NodeNotReadyError as error:  # No broker is left for now.
                failure = failure or error
            if time.monotonic() >= end_s:
                raise failure
            self.budget.pause(PAUSE_S)

    def ask(self, request: object, broker: int | None = None, *, is_forwarded: bool = False) -> Any:
        """Return what *broker*, None for any, answers to *request*, which changes nothing.

        One that *is_forwarded* waits for the controller: that it has no answer is not the broker's
        silence.

        Raises:
            BrokersUnreachable: a broker that is named does not answer.
            KafkaError: no other does; what is in an answer is the caller's.
        """
        if broker is None:
            return self.ask_someone(request, is_forwarded=is_forwarded)
        if (reason := self.silence_of(broker)) is None:
            try:
                return self.send_patiently(request, broker, is_forwarded=is_forwarded)
            except SILENCES as error:
                reason = plain(error)
                if is_forwarded and isinstance(error, TIMEOUTS):
                    raise BrokersUnreachable(
                        self.settings.bootstrap, NO_QUORUM, hint=ANSWERED_BEFORE
                    ) from error
        reason = f"broker {broker}: {reason}"
        raise BrokersUnreachable(self.settings.bootstrap, reason, hint=ANSWERED_BEFORE)

    def ask_someone(self, request: object, *, is_forwarded: bool = False) -> Any:
        """Return the answer to *request* of one of the brokers that have answered before.

        A broker that does not answer spends half of the remaining time; the rest is for the others.
        One that does not serve it, as some do in a migration or an upgrade, leaves it to any other.
        """
        unfit: set[int] = set()
        while (broker := self.someone(unfit)) is not None:
            try:
                with self.budget.sharing():
                    return self.send_patiently(request, broker, is_forwarded=is_forwarded)
            except IncompatibleBrokerVersion:
                unfit.add(broker)
            except SILENCES:
                if is_forwarded:
                    raise
                if self.silence_of(broker) is None:
                    break
        return self.read(lambda: self.client._manager.send(request, self.someone(unfit)))

    def silence_of(self, broker: int) -> str | None:
        """Return why *broker* is not to be waited for again by now; None where it is."""
        return self.patience.silence_of(broker, self.budget.renewals)

    def note_silence(self, broker: int, error: KafkaError, limit_s: float) -> None:
        """Remember that *broker* has timed out, if *error* is a timeout and *limit_s* was long
        enough.

        A broker that refuses connections does so at once, and may be asked again at no cost.
        """
        is_silence = isinstance(error, TIMEOUTS) or CONNECT_TIMEOUT in str(error)
        if is_silence and limit_s >= HEARING_S:
            self.patience.note(broker, plain(error), self.budget.renewals)

    def ask_controller(self, request: object) -> Any:
        """Return what the controller answers to *request*, which changes nothing and can be refused
        as a whole.

        One that dies or resigns meanwhile is waited for until the timeout, or as long as there is
        patience with one broker.

        Raises:
            NoController: there is none now.
            BrokersUnreachable: it does not answer.
        """
        failure: KadminError | None = None
        while failure is None or self.budget.left_s() > PAUSE_S:
            if failure is not None:
                self.budget.pause(PAUSE_S)
            try:
                controller = self.controller()
            except SILENCES:
                # No time was left to find out which broker is the controller now.
                if failure is None:
                    raise
                break
            try:
                answer = self.ask(request, controller, is_forwarded=self.is_on_kraft)
            except BrokersUnreachable as error:
                failure = error
                is_silent = self.is_on_kraft or self.silence_of(controller) is not None
                if self.patience.is_limited and is_silent:
                    break
            else:
                if answer.error_code != NotControllerError.errno:
                    return answer
                failure = NoController(self.settings.bootstrap)
        raise failure

    def ask_each(self, request: object, brokers: Iterable[BrokerId]) -> dict[BrokerId, Any]:
        """Return what each of *brokers* answers to *request*, which changes nothing.

        All are asked at once, so that silence costs one time limit, or the patience with one
        broker; who is silent is left out.
        """
        return self.ask_all(dict.fromkeys(brokers, request))[0]

    def ask_all(
        self, requests: Mapping[BrokerId, object]
    ) -> tuple[dict[BrokerId, Any], dict[BrokerId, str]]:
        """Return what each broker answers to its own of *requests*, as `ask_each`, and why
        others do not answer."""
        silent = {
            broker: reason for broker in requests if (reason := self.silence_of(broker)) is not None
        }
        unknown = self.unknown(requests.keys() - silent.keys())
        silent |= {broker: not_known(broker) for broker in requests if broker in unknown}
        asked = [broker for broker in requests if broker not in silent]
        manager = self.client._manager

        async def answers() -> dict[BrokerId, Any]:
            sent = {broker: manager.send(requests[broker], broker) for broker in asked}
            # A little before all of it is over, which would cost the answers that have come.
            all_s = SHARE * self.budget.left_s()
            began_s = time.monotonic()
            found = {}
            for broker, answer in sent.items():
                limit_s = self.patience.limit_s(broker, all_s)
                left_s = max(0.0, began_s + limit_s - time.monotonic())
                try:
                    found[broker] = await manager.wait_for(answer, round(1000 * left_s))
                except SILENCES as error:
                    self.note_silence(broker, error, limit_s)
                    silent[broker] = plain(error)
            return found

        found: dict[BrokerId, Any] = manager.run(answers) if asked else {}
        return found, silent

    def at_once(
        self, brokers: Sequence[Broker], ask: Callable[[Broker], Answer]
    ) -> dict[Broker, "Answer | KadminError | KafkaError"]:
        """Return what *ask* returns or raises for each of *brokers*, which are asked at the same
        time.

        A broker that does not answer is a `BrokersUnreachable`.
        """

        def answer_of(broker: Broker) -> "Answer | KadminError | KafkaError":
            try:
                return ask(broker)
            except (KadminError, KafkaError) as error:
                return error

        if len(brokers) == 1:
            return {brokers[0]: answer_of(brokers[0])}
        with self.budget.spending() as left_s:
            answers = Asking(brokers, answer_of).answers(left_s + SETTLING_S)
        silence = BrokersUnreachable(self.settings.bootstrap, "no answer", hint=ANSWERED_BEFORE)
        return {broker: answers.get(broker, silence) for broker in brokers}

    def send_patiently(self, request: object, broker: int, *, is_forwarded: bool = False) -> Any:
        """Return what *broker* answers to *request*, which may be sent to it again: as `send`, but
        within its own time, and its silence is remembered, unless *is_forwarded*."""
        limit_s = self.patience.limit_s(broker, self.budget.left_s())
        try:
            return self.send(request, broker, limit_s)
        except SILENCES as error:
            if is_forwarded and isinstance(error, TIMEOUTS):
                # It answers in order: what is asked next would wait behind this.
                self.client._manager.hang_up(broker)
            else:
                self.note_silence(broker, error, limit_s)
            raise

    @property
    def is_on_kraft(self) -> bool:
        """Whether the brokers have a metadata quorum: those with ZooKeeper serve no such
        request."""
        return self.serves(DescribeQuorumRequest)

    def send(self, request: object, broker: int | None = None, limit_s: float | None = None) -> Any:
        """Return what *broker*, None for any, answers to *request* within *limit_s*, None for all
        that is left: its errors are the caller's."""
        if broker is not None:
            self.learn_of(broker)
        manager = self.client._manager
        return manager.run_within(limit_s, manager.send, request, broker)

    def someone(self, unfit: Collection[int] = ()) -> int | None:
        """Return a broker at one of the addresses that have answered, unless it has failed since;
        where some are *unfit*, any other one.

        None if no broker is known to be at one of them; kafka-python then chooses any, also one
        that no longer answers and that other brokers still list as alive.
        """
        if self.probe is None:
            return None
        manager, answered = self.client._manager, self.probe.answered()
        for node in manager.cluster.brokers():
            if (
                node.node_id not in unfit
                and (unfit or host_and_port(node.host, node.port) in answered)
                and not manager.connection_delay(node.node_id)
                and self.silence_of(node.node_id) is None
            ):
                return int(node.node_id)
        return None

    def learn_of(self, broker: int) -> None:
        """Ensure that kafka-python knows the address of *broker*.

        It knows the brokers in the metadata of the first broker that answered, which may be
        incomplete.

        Raises:
            BrokersUnreachable: no broker's metadata has it after several attempts.
        """
        if self.unknown([broker]):
            raise BrokersUnreachable(self.settings.bootstrap, not_known(broker))

    def unknown(self, brokers: Iterable[int]) -> list[int]:
        """Return those of *brokers* that no broker's metadata has after several attempts."""
        known = self.client._manager.cluster
        left = list(brokers)
        end_s = self.budget.end_s()
        for _attempt in range(ATTEMPTS_MAX):
            left = [broker for broker in left if known.broker_metadata(broker) is None]
            if not left or time.monotonic() >= end_s:
                break
            self.read(lambda: known.refresh_metadata(self.someone()))
            self.budget.pause(PAUSE_S)
        return left

    def awaited_controller(self) -> int | None:
        """Return the controller; None where there seems to be none, again and again.

        So it seems to a broker, too, that has just started.
        """
        for attempt in range(ATTEMPTS_MAX):
            if attempt:
                self.budget.pause(PAUSE_S)
            controller = int(self.metadata([])["controller_id"])
            if controller >= 0:
                return controller
        return None

    def controller(self) -> int:
        """Return the broker that carries out what only a controller does.

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


def not_known(broker: int) -> str:
    return f"broker {broker} is not known to all of them"


def plain(error: KafkaError) -> str:
    """Return the text of *error*, or its name if it has no text."""
    if isinstance(error, TIMEOUTS):
        return "no answer"
    text = PREFIX.sub("", str(error)).strip()
    return text or type(error).__name__.removesuffix("Error")
