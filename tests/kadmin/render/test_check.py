"""A check on one screen, and in one line for Nagios."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.check.findings import CheckReport, Finding, Kind, Severity
from kadmin.render.check import NAGIOS_CODES, check_document, nagios_line
from kadmin.render.output import Output
from tests.kadmin.render.terminal import FakeTerminal

MANY = tuple(TopicPartition("t", number) for number in range(7))
OFFLINE = Finding(
    severity=Severity.CRITICAL,
    kind=Kind.OFFLINE,
    text="7 partitions are offline | for now",
    partitions=MANY,
    brokers=(BrokerId(7),),
    command="kadmin topics --describe",
)
NOTE = Finding(severity=Severity.NOTE, kind=Kind.SKEW, text="skewed", topics=("a", "b"))


def report(*findings: Finding) -> CheckReport:
    return CheckReport(
        findings=findings,
        unlooked=("log directories: no answer",),
        broker_count=3,
        controller=BrokerId(1),
        topic_count=1,
        partition_count=1200,
    )


EXPECTED = [
    "3 brokers, controller 1, 1 topic, 1,200 partitions: 1 critical",
    "CRITICAL: 7 partitions are offline | for now: 7 of t",
    "  kadmin topics --describe",
    "NOTE: skewed: a, b",
    "not checked: log directories: no answer",
]


@pytest.mark.parametrize(
    ("lacks_controller", "words"), [(True, "no controller"), (False, "controller unknown")]
)
def test_a_controller_that_cannot_be_read_is_not_missing(
    lacks_controller: bool, words: str
) -> None:
    found = replace(report(NOTE), controller=None, lacks_controller=lacks_controller)

    assert f"3 brokers, {words}, 1 topic" in next(iter(check_document(found).lines()))


def test_lines_have_the_worst_first_and_a_command_below() -> None:
    assert EXPECTED == list(check_document(report(OFFLINE, NOTE)).lines())
    assert "3 brokers, controller 1, 1 topic, 1,200 partitions: healthy" == next(
        iter(check_document(report(NOTE)).lines())
    )


def test_what_a_text_names_is_not_named_twice() -> None:
    finding = replace(NOTE, text="the id of topic 'a' is no UUID: x", has_names=True)

    assert (
        "NOTE: the id of topic 'a' is no UUID: x"
        == list(check_document(report(finding)).lines())[1]
    )


def test_many_partitions_are_counted_by_topic() -> None:
    """So that every topic is named, and a long name once."""
    named = [TopicPartition("small", 0), TopicPartition("a", 1), *MANY]
    few = [TopicPartition(f"t{number}", 0) for number in range(8)]

    def shown(partitions: Sequence[TopicPartition]) -> str:
        finding = replace(OFFLINE, text="lost", partitions=tuple(partitions))
        return list(check_document(report(finding)).lines())[1]

    assert "CRITICAL: lost: t-0, t-1, t-2, t-3, t-4" == shown(MANY[:5])
    assert "CRITICAL: lost: 7 of t, 1 of a, 1 of small" == shown(named)
    assert shown(few).endswith("1 of t3, 1 of t4, 3 of 3 other topics")


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_a_screen_has_all_of_it_at_every_width(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    terminal = FakeTerminal()

    Output(color=False, stdout=terminal).show(check_document(report(OFFLINE, NOTE)))

    shown = " ".join(terminal.getvalue().split())
    wanted = " ".join(" ".join(EXPECTED).replace("CRITICAL:", "CRITICAL").split())
    assert wanted.replace("NOTE:", "NOTE") == shown
    assert all(len(line) <= width for line in terminal.getvalue().splitlines())


def test_lines_hang_behind_their_label_and_a_command_stays_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    terminal = FakeTerminal()
    command = "kadmin topics --describe --unavailable-partitions"

    Output(color=False, stdout=terminal).show(
        check_document(report(replace(OFFLINE, command=command)))
    )

    assert [
        "3 brokers, controller 1, 1 topic,",
        "1,200 partitions: 1 critical",
        "CRITICAL  7 partitions are offline | for",
        "          now: 7 of t",
        f"          {command}",
        "not checked: log directories: no answer",
    ] == [line.rstrip() for line in terminal.getvalue().splitlines()]


def test_documents_name_everything() -> None:
    document = check_document(report(OFFLINE, NOTE))

    body = document.body()
    first, second = document.rows()

    assert (False, Severity.CRITICAL, 1200) == (
        body["healthy"],
        body["worst"],
        body["partitions"],
    )
    findings = body["findings"]
    assert isinstance(findings, list)
    assert list(map(str, MANY)) == findings[0]["partitions"]
    assert ["critical", "offline", "t-0 t-1 t-2 t-3 t-4 t-5 t-6", "7"] == [
        first[column] for column in (0, 1, 3, 5)
    ]
    assert ("a b", None) == (second[4], second[6])


def test_nagios_reads_one_line() -> None:
    assert (
        "KADMIN CRITICAL - 7 partitions are offline / for now | critical=1 warning=0 offline=7"
        " under_min_isr=0 under_replicated=0 brokers=3 partitions=1200"
        == nagios_line(report(OFFLINE, NOTE))
    )
    assert nagios_line(report(NOTE)).startswith(
        "KADMIN OK - 3 brokers, controller 1, 1 topic, 1,200 partitions: healthy | "
    )
    assert [2, 1, 0, 0] == [NAGIOS_CODES[each] for each in (*Severity, None)]
