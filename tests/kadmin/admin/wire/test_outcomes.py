"""Is each answer of a broker to a change taken for what it means?"""

import pytest
from kafka.errors import KafkaConnectionError, TopicAuthorizationFailedError

from cluster.model.outcome import Committed, Conflict, ConflictKind
from kadmin.admin.wire.connection import NoController, WireConnection
from kadmin.admin.wire.outcomes import AnswerLost, Refused, change_of, outcome
from kadmin.settings.brokers import BrokerSettings

NONE, UNKNOWN_TOPIC, TIMED_OUT, DENIED, EXISTS, PARTITIONS = 0, 3, 7, 29, 36, 37
INVALID_CONFIG, DELETION_DISABLED = 40, 73


def test_no_error_is_a_change_that_was_made() -> None:
    assert Committed() == outcome(NONE, "create topic 't'", "topic 't'", None)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (UNKNOWN_TOPIC, ConflictKind.MISSING),
        (EXISTS, ConflictKind.EXISTS),
        (PARTITIONS, ConflictKind.VERSION),
    ],
)
def test_cluster_that_moved_since_the_plan_is_a_conflict(code: int, kind: ConflictKind) -> None:
    told = outcome(code, "create topic 't'", "topic 't'", "its words")

    assert Conflict("topic 't'", kind) == told


def test_error_that_no_other_plan_mends_is_a_refusal_in_the_brokers_words() -> None:
    with pytest.raises(Refused, match="the brokers refuse to delete topic 't': it is disabled"):
        outcome(DELETION_DISABLED, "delete topic 't'", "topic 't'", "it is disabled")


def test_a_config_that_only_an_older_kafka_knew_is_to_be_deleted_first() -> None:
    with pytest.raises(Refused) as refused:
        outcome(
            INVALID_CONFIG,
            "change configs of topic 't'",
            "topic 't'",
            "Unknown topic config name: message.format.version",
        )

    assert refused.value.hint is not None
    assert refused.value.hint.endswith("delete it first: --delete-config message.format.version")


def test_missing_rights_are_told_as_such() -> None:
    with pytest.raises(TopicAuthorizationFailedError):
        outcome(DENIED, "delete topic 't'", "topic 't'", None)


def test_change_whose_answer_is_lost_may_have_been_made() -> None:
    with pytest.raises(AnswerLost, match="it was done completely or not at all"):
        outcome(TIMED_OUT, "delete topic 't'", "topic 't'", None)
    with (
        pytest.raises(AnswerLost, match="asked to delete topic 't'"),
        change_of("delete topic 't'"),
    ):
        raise KafkaConnectionError("gone")


def test_change_of_several_whose_answer_is_lost_may_have_been_made_in_part() -> None:
    what = "elect 4 leaders"
    with pytest.raises(AnswerLost, match="it was done completely, in part or not at all"):
        outcome(TIMED_OUT, what, "the controller", None, is_whole=False)
    with (
        pytest.raises(AnswerLost, match="it was done completely, in part or not at all"),
        change_of(what, is_whole=False),
    ):
        raise KafkaConnectionError("gone")


def test_brokers_without_a_controller_are_named() -> None:
    connection = WireConnection(None, BrokerSettings(bootstrap="b:9092", timeout_s=1))

    with pytest.raises(NoController, match="b:9092 have no controller"):  # noqa: SIM117
        with connection.asking_controller():
            raise RuntimeError("Failed to find active controller id!")
