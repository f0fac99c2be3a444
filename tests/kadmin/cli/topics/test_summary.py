"""`kadmin topics --describe --summary` over a real ZooKeeper; with sizes in `test_log_dirs`."""

import json

import pytest

from kadmin.errors import ExitCode
from tests.kadmin.cli.topics.runs import topics
from tests.support.asking import AskingKadmin
from tests.support.cli import kadmin

pytestmark = pytest.mark.zk

SUMMARY = ("topics", "--describe", "--summary", "--no-sizes")


def test_each_topic_has_a_line(sick):
    assert topics(*SUMMARY[1:]) == (
        "Topic: __consumer_offsets\tPartitionCount: 1\tReplicationFactor: 3\tSizeBytes: unknown"
        "\tHealth: ok\n"
        "Topic: gone\tPartitionCount: 1\tReplicationFactor: 1\tSizeBytes: unknown"
        "\tHealth: marked for deletion\n"
        "Topic: orders\tPartitionCount: 3\tReplicationFactor: 2\tSizeBytes: unknown"
        "\tHealth: 1 unavailable, 2 under min ISR, 2 under-replicated, 1 at min ISR,"
        " 1 leader not preferred\n"
    )


def test_topics_with_configs_of_their_own_are_judged_by_their_states(sick):
    whole = topics(*SUMMARY[1:]).splitlines()

    chosen = topics(*SUMMARY[1:], "--topics-with-overrides").splitlines()

    assert chosen
    assert set(chosen) < set(whole)


def test_the_sickest_come_first_and_the_rest_is_counted(sick):
    outcome = kadmin(*SUMMARY, "--sort-by", "health", "--limit", "1", "--output", "json")

    told = json.loads(outcome.stdout)
    assert ["orders"] == [row["topic"] for row in told["topics"]]
    assert (1, 2) == (told["topics"][0]["unavailable"], told["hidden_topics"])
    assert "2 topics not shown\n" == outcome.stderr


def test_on_a_terminal_the_sickest_come_first(sick):
    with AskingKadmin(*SUMMARY) as asking:
        exit_code = asking.exit_code()

    places = [asking.said.index(f"\n{name} ") for name in ("orders", "gone", "__consumer_offsets")]
    assert ExitCode.DONE == exit_code
    assert sorted(places) == places


def test_filters_keep_topics_and_the_exit_code_tells_of_them(sick):
    found = kadmin(*SUMMARY, "--unavailable-partitions", "--exit-code")
    none = kadmin(*SUMMARY, "--unavailable-partitions", "--exit-code", "--topic", "gone")

    assert (ExitCode.FOUND, 1) == (found.exit_code, len(found.stdout.splitlines()))
    assert (ExitCode.DONE, "", "none of 1 partition: unavailable\n") == (
        none.exit_code,
        none.stdout,
        none.stderr,
    )


def test_without_a_broker_that_answers_sizes_are_not_known(sick):
    outcome = kadmin(*SUMMARY[:-1])

    assert (ExitCode.DONE, 3) == (outcome.exit_code, outcome.stdout.count("SizeBytes: unknown"))
    assert "sizes are not known: " in outcome.stderr


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--limit", "2"), "--limit needs --summary"),
        (("--sort-by", "size"), "--sort-by needs --summary"),
        (("--no-sizes",), "--no-sizes needs --summary"),
        (("--summary", "--no-sizes", "--sort-by", "size"), "--sort-by size needs to know sizes"),
    ],
)
def test_options_of_a_summary_go_with_one(words, reason):
    outcome = kadmin("topics", "--describe", *words)

    assert ExitCode.USAGE == outcome.exit_code
    assert reason in outcome.stderr
