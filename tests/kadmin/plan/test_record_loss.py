"""Changes of configs that may delete records, and those that cannot."""

import pytest

from cluster.model.config_entity import EntityKind
from kadmin.plan.record_loss import decides_what_is_kept, losses_of, question_of

HOUR_MS = "3600000"


def lost(before: dict[str, str], after: dict[str, str]) -> list[str]:
    return [str(loss) for loss in losses_of(EntityKind.TOPICS, before, after, ())]


@pytest.mark.parametrize(
    ("before", "after", "records"),
    [
        ({}, {"retention.ms": HOUR_MS}, "records older than 1 h"),
        ({"retention.ms": "-1"}, {"retention.ms": "5400000"}, "records older than 90 min"),
        ({"retention.ms": HOUR_MS}, {"retention.ms": "3599999"}, "records older than 3,599,999 ms"),
        ({"retention.ms": HOUR_MS}, {"retention.ms": "0"}, "all records"),
        (
            {"retention.ms": HOUR_MS},
            {},
            "records older than the brokers' configs say by log.retention.ms, .minutes or .hours"
            " (7 days if that is nowhere set)",
        ),
        (
            {"retention.bytes": "-1"},
            {"retention.bytes": str(3 * 2**30)},
            "the oldest records of partitions larger than 3 GiB",
        ),
        (
            {"retention.bytes": "1000"},
            {},
            "the oldest records of partitions larger than the brokers' configs say by"
            " log.retention.bytes (no limit if nowhere set)",
        ),
        ({}, {"cleanup.policy": "compact"}, "records whose key was written again later"),
        (
            {"cleanup.policy": "delete"},
            {"cleanup.policy": "delete, compact"},
            "records whose key was written again later",
        ),
        (
            {"cleanup.policy": "compact"},
            {"cleanup.policy": "compact,delete"},
            "records by age and size",
        ),
        (
            {"cleanup.policy": "compact"},
            {},
            "records as the brokers' configs say by log.cleanup.policy (by age and size if that is"
            " nowhere set)",
        ),
    ],
)
def test_what_may_be_deleted_is_named(
    before: dict[str, str], after: dict[str, str], records: str
) -> None:
    assert [f"may delete {records}"] == lost(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, {"retention.ms": "-1"}),
        ({}, {"retention.bytes": "-1"}),
        ({"retention.ms": HOUR_MS}, {"retention.ms": HOUR_MS, "segment.ms": "5"}),
        ({"retention.ms": HOUR_MS}, {"retention.ms": "3600001"}),
        ({"retention.ms": "0"}, {"retention.ms": HOUR_MS}),
        ({"cleanup.policy": "compact,delete"}, {"cleanup.policy": "delete"}),
        ({"cleanup.policy": "compact"}, {"cleanup.policy": "compact", "retention.ms": "1"}),
        ({"max.message.bytes": "5"}, {}),
    ],
)
def test_what_cannot_delete_anything_is_not_asked_about(
    before: dict[str, str], after: dict[str, str]
) -> None:
    assert [] == lost(before, after)


def test_each_key_is_named() -> None:
    after = {"retention.ms": "1", "retention.bytes": "1", "cleanup.policy": "compact,delete"}

    assert 4 == len(lost({}, after))


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        ([{}, {"retention.ms": "5"}], ["may delete records older than 1 h, on 1 topic without"]),
        ([{}] * 1200, ["may delete records older than 1 h, on 1,200 topics without"]),
        ([{"retention.ms": "5"}], []),
        ([], []),
    ],
)
def test_a_brokers_default_reaches_the_topics_without_their_own(
    overrides: list[dict[str, str]], expected: list[str]
) -> None:
    losses = losses_of(EntityKind.BROKERS, {}, {"log.retention.ms": HOUR_MS}, overrides)

    assert [f"{text} retention.ms" for text in expected] == [str(loss) for loss in losses]


def test_what_a_broker_forgets_may_stand_in_its_file() -> None:
    [loss] = losses_of(EntityKind.BROKERS, {"log.retention.bytes": "9"}, {}, [{}])

    assert "larger than server.properties says by log.retention.bytes" in str(loss)


def test_quotas_delete_nothing() -> None:
    assert () == losses_of(EntityKind.CLIENTS, {}, {"producer_byte_rate": "1"}, ())


def test_only_brokers_decide_for_topics_without_their_own() -> None:
    assert decides_what_is_kept(EntityKind.BROKERS, ["x", "log.retention.ms"])
    assert not decides_what_is_kept(EntityKind.BROKERS, ["log.cleaner.threads"])
    assert not decides_what_is_kept(EntityKind.TOPICS, ["log.retention.ms"])


def test_the_question_says_how_many_lose_records() -> None:
    assert "Change topic t?" == question_of("topic t", 0, 1)
    assert "Change topic t, which may delete records?" == question_of("topic t", 1, 1)
    assert "Change them, which may delete records of 2 of them?" == question_of("them", 2, 3)
