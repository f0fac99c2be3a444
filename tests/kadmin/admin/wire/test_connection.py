"""Is the controller found that can answer, and is it told when there is none?"""

from types import SimpleNamespace
from typing import Any

import pytest
from kafka.errors import IncompatibleBrokerVersion, KafkaTimeoutError

from cluster.model import fault as subjects
from kadmin.admin.wire.connection import HEARING_S, NoController, WireConnection
from kadmin.admin.wire.errors import BrokersUnreachable
from kadmin.admin.wire.snapshot import ongoing_reassignments
from kadmin.settings.brokers import BrokerSettings
from tests.support.waiting import wait_until

NOT_CONTROLLER = 41
FINE = SimpleNamespace(error_code=0)
RESIGNED = SimpleNamespace(error_code=NOT_CONTROLLER)


class Brokers(WireConnection):
    """Brokers that name one controller after the other, each with its answer; the last stays."""

    def __init__(self, *controllers: tuple[int, Any], timeout_s: float = 5) -> None:
        super().__init__(None, BrokerSettings(bootstrap="b:9092", timeout_s=timeout_s))
        self.controllers = list(controllers)
        self.asked: list[int] = []

    @property
    def is_on_kraft(self) -> bool:
        return False

    def metadata(self, topics: Any, broker: int | None = None) -> Any:
        assert topics == []
        if not self.budget.left_s():
            raise KafkaTimeoutError
        return {"controller_id": self.controllers[0][0]}

    def ask(self, request: object, broker: int | None = None, **_: Any) -> Any:
        controller, answer = self.controllers[0]
        assert controller == broker
        self.asked.append(controller)
        if len(self.controllers) > 1:
            del self.controllers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


class MixedBrokers(WireConnection):
    """Broker 0, which has answered and does not serve a request, and broker 1, which does."""

    def __init__(self) -> None:
        nodes = [SimpleNamespace(node_id=number, host="b", port=9092 + number) for number in (0, 1)]
        manager = SimpleNamespace(
            cluster=SimpleNamespace(brokers=lambda: nodes), connection_delay=lambda node: 0
        )
        super().__init__(
            SimpleNamespace(_manager=manager), BrokerSettings(bootstrap="b:9092", timeout_s=5)
        )
        self.probe: Any = SimpleNamespace(answered=lambda: {"b:9092"})

    def send_patiently(self, request: object, broker: int, *, is_forwarded: bool = False) -> Any:
        if broker == 0:
            raise IncompatibleBrokerVersion
        return FINE


def test_what_the_first_broker_does_not_serve_is_asked_of_another() -> None:
    """In a migration a broker over ZooKeeper may have answered first."""
    assert FINE == MixedBrokers().ask(object())


def test_the_controller_is_asked() -> None:
    brokers = Brokers((0, FINE), (1, RESIGNED))

    assert FINE == brokers.ask_controller(object())
    assert [0] == brokers.asked


def test_one_that_is_silent_or_resigned_is_asked_for_by_its_successor_s_name() -> None:
    silent = BrokersUnreachable("b:9092", "no answer")
    brokers = Brokers((1, silent), (1, silent), (2, RESIGNED), (3, FINE))

    assert FINE == brokers.ask_controller(object())
    assert [1, 1, 2, 3] == brokers.asked


def test_none_is_said_at_once_and_silence_when_the_time_is_over() -> None:
    with pytest.raises(NoController):
        Brokers((-1, FINE)).ask_controller(object())
    with pytest.raises(NoController):
        Brokers((1, RESIGNED), timeout_s=0.1).ask_controller(object())
    with pytest.raises(BrokersUnreachable):
        Brokers((1, BrokersUnreachable("b", "no answer")), timeout_s=0.1).ask_controller(object())


@pytest.mark.parametrize(
    ("answer", "error"),
    [(BrokersUnreachable("b", "no answer"), BrokersUnreachable), (RESIGNED, NoController)],
)
def test_a_machine_that_stands_still_does_not_hide_why_there_is_no_answer(
    answer: Any, error: type[Exception]
) -> None:
    brokers = Brokers((1, answer), timeout_s=1)

    def stand_still(seconds: float) -> None:
        with brokers.budget.spending():
            wait_until(lambda: not brokers.budget.left_s(), what="the end of the time")

    brokers.budget.pause = stand_still  # type: ignore[method-assign]
    with pytest.raises(error):
        brokers.ask_controller(object())


def test_who_looks_again_does_not_wait_for_a_controller_that_is_silent() -> None:
    """It goes on with what others tell; the next look may find another one."""
    silent = BrokersUnreachable("b:9092", "no answer")
    brokers = Brokers((1, silent), (2, FINE))
    brokers.patience.looks = 2
    brokers.patience.note(1, "no answer", brokers.budget.renewals)

    with pytest.raises(BrokersUnreachable):
        brokers.ask_controller(object())

    assert [1] == brokers.asked


class WithoutAnyAnswer(Brokers):
    """Brokers of which none says who the controller is."""

    def serves(self, request: type) -> bool:
        return True

    def metadata(self, topics: Any, broker: int | None = None) -> Any:
        raise KafkaTimeoutError


class Late(WireConnection):
    """A broker that answers within no time that it is given."""

    def send(self, request: object, broker: int | None = None, limit_s: float | None = None) -> Any:
        raise KafkaTimeoutError


def test_what_the_controller_does_not_tell_is_left_out_whoever_was_asked_for_its_name() -> None:
    told, (fault,) = ongoing_reassignments(WithoutAnyAnswer((1, FINE)))

    assert ({}, subjects.REASSIGNMENT) == (told, fault.subject)


@pytest.mark.parametrize(
    ("timeout_s", "is_silent"), [(HEARING_S / 2, False), (10 * HEARING_S, True)]
)
def test_who_had_no_time_to_answer_is_not_left_aside_as_silent(
    timeout_s: float, is_silent: bool
) -> None:
    brokers = Late(None, BrokerSettings(bootstrap="b:9092", timeout_s=timeout_s))

    with pytest.raises(BrokersUnreachable) as raised:
        brokers.ask(object(), 1)

    assert "they answered when kadmin connected" in str(raised.value.hint)
    assert is_silent == (brokers.silence_of(1) is not None)


@pytest.mark.parametrize("remembers", [False, True])
def test_who_looks_again_and_again_does_not_wait_for_the_same_silence_each_time(
    remembers: bool,
) -> None:
    brokers = Late(None, BrokerSettings(bootstrap="b:9092", timeout_s=10 * HEARING_S))
    brokers.patience.looks = int(remembers)
    with pytest.raises(BrokersUnreachable):
        brokers.ask(object(), 1)

    brokers.budget.renew()

    assert remembers == (brokers.silence_of(1) is not None)
