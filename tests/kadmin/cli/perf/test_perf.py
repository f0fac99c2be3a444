"""Does `kadmin perf` measure a broker, leave nothing behind, and refuse what has no meaning?"""

import json
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from kadmin.records.perf import target
from kadmin.records.perf.target import NewTarget, create, made_for_test
from kadmin.settings.brokers import BrokerSettings
from tests.support.cli import done, kadmin
from tests.support.one_broker import OneBroker
from tests.support.waiting import OUTER_LIMIT_S

pytestmark = [pytest.mark.clients]

AT = ("--bootstrap-server", "b:1")
PRODUCE = ("perf", "produce", *AT)
CONSUME = ("perf", "consume", *AT, "--topic", "t", "--messages", "1")
END_TO_END = ("perf", "end-to-end", *AT)
LOAD = ("perf", "load", *AT)
SOME = ("--topic", "t", "--num-records", "1")

LAST = re.compile(
    r"300 records sent, \d+\.\d{6} records/sec \(\d+\.\d\d MB/sec\), \d+\.\d\d ms avg latency,"
    r" \d+\.\d\d ms max latency, \d+ ms 50th, \d+ ms 95th, \d+ ms 99th, \d+ ms 99\.9th\."
)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((*PRODUCE, "--num-records", "1"), "missing option '--topic'"),
        ((*PRODUCE, "--topic", "t"), "when does it end?"),
        ((*PRODUCE, *SOME, "--throughput", "0"), "--throughput is above 0"),
        ((*PRODUCE, *SOME, "--partitions", "3"), "--partitions needs --create-topic"),
        ((*PRODUCE, *SOME, "--topic-config", "a=b"), "--topic-config needs --create-topic"),
        ((*PRODUCE, *SOME, "--create-topic", "--topic-config", "a"), "it takes KEY=VALUE"),
        ((*PRODUCE, *SOME, "--record-size", "9", "--payload-monotonic"), "do not go together"),
        ((*PRODUCE, *SOME, "--payload-file", "/nowhere"), "cannot read /nowhere"),
        ((*PRODUCE, *SOME, "--payload-file", "/dev/null"), "there is no value in /dev/null"),
        ((*PRODUCE, *SOME, "--key-distribution", "zipf"), "--key-distribution needs --keys"),
        ((*PRODUCE, *SOME, "--processes", "2"), "there are fewer records than that"),
        ((*PRODUCE, *SOME, "--rounds", "2"), "--rounds is about --compare"),
        ((*PRODUCE, *SOME, "--compare", "a=1", "a=2", "--svg", "f"), "--svg is of one run"),
        ((*PRODUCE, *SOME, "--svg", "/nowhere/a.svg"), "cannot write '/nowhere/a.svg': No such"),
        ((*CONSUME, "--hdr", ""), "cannot write ''"),
        ((*CONSUME, "--csv", ""), "--csv was given an empty name"),
        ((*CONSUME, "--topic", ""), "--topic was given an empty name"),
        ((*LOAD, "--topic", ""), "--topic was given an empty name"),
        ((*CONSUME, "--property-file", ""), "cannot read the property file ''"),
        ((*PRODUCE, "t", "1", "x", "-1"), "is not topic num_records record_size"),
        ((*PRODUCE, "t", "1"), "2 words are not four"),
        ((*PRODUCE, *SOME, "--transactional-id", "x"), "kadmin writes in no transaction"),
        ((*PRODUCE, *SOME, "-X", "transactional.id=x"), "kadmin writes in no transaction"),
        ((*PRODUCE, *SOME, "--message-send-gap-ms", "5"), "--throughput RATE"),
        (
            (*PRODUCE, *SOME, "--producer-props", "bootstrap.servers=c:1"),
            "--bootstrap-server names others",
        ),
        ((*CONSUME, "--date-format", "QQ"), "'QQ' has no meaning in a date"),
        ((*CONSUME, "--group", ""), "a group has a name"),
        ((*END_TO_END, "--topic", "t"), "missing option '--num-records'"),
        ((*END_TO_END, *SOME, "--producer-acks", "0"), "requires synchronous acknowledgement"),
        ((*END_TO_END, "b:1", "zk:1", "t", "9"), "as in Kafka's tool"),
        ((*LOAD, "--topic", "t", "--topic", "t"), "a topic is named twice"),
        ((*LOAD,), "missing option '--topic'"),
        (("perf", "report", *AT, "--only", "x"), "'x' is not one of"),
        (("perf", "report", *AT, "--html", "/"), "cannot write '/': Is a directory"),
    ],
)
def test_wrong_usage_is_refused_before_any_broker_is_asked(
    arguments: tuple[str, ...], reason: str
) -> None:
    outcome = kadmin(*arguments)

    assert (2, "") == (outcome.exit_code, outcome.stdout)
    assert reason in outcome.stderr


@pytest.mark.xdist_group("one-broker")
class TestWithABroker:
    """Tests that share a broker, each with topics of its own."""

    def test_a_topic_for_the_test_is_gone_behind_it(
        self, one_broker: OneBroker, tmp_path: Path
    ) -> None:
        at = ("--bootstrap-server", one_broker.broker.bootstrap)
        files = ("--csv", str(tmp_path / "csv"), "--svg", str(tmp_path / "a.svg"))

        outcome = kadmin(
            *("perf", "produce", *at, "--create-topic", "--topic", "perf-made", "--yes"),
            *("--partitions", "2", "--num-records", "300", "--warmup", "50", "--keys", "10"),
            *("--hdr", str(tmp_path / "a.hlog"), "--print-metrics", *files),
        )

        assert outcome.exit_code == 0, outcome
        lines = outcome.stdout.splitlines()
        assert LAST.fullmatch(lines[1])
        assert lines[2].startswith("Metric Name")
        assert "warm-up: 50 records sent" in outcome.stderr
        assert "make topic 'perf-made' with 2 partitions" in outcome.stderr
        assert "perf-made" not in done("topics", "--list", *at).split()
        assert {"a.svg", "a.hlog", "csv"} == {path.name for path in tmp_path.iterdir()}

    def test_records_are_added_to_others_only_when_that_is_confirmed(
        self, one_broker: OneBroker, tmp_path: Path
    ) -> None:
        at = ("--bootstrap-server", one_broker.broker.bootstrap)
        topic = ("--topic", "perf-filled")
        done(
            *("topics", "--create", *topic, "--partitions", "2", "--replication-factor", "1"),
            *("--zookeeper", one_broker.zookeeper, "--yes", "--wait"),
        )
        produce = ("perf", "produce", *at, *topic, "--num-records", "300", "--throughput", "30000")
        done(*produce, "--reporting-interval", "60000")

        refused = kadmin(*produce)
        added = json.loads(done(*produce, "--yes", "--processes", "2", "--output", "json"))

        assert refused.exit_code == 6
        assert "topic 'perf-filled' with 2 partitions and 300 records" in refused.stderr
        assert (300, 0, 2) == (added["records"], added["failed"], added["processes"])
        self.read_back(at, topic)
        large = kadmin(*produce, "--yes", "--record-size", "2000000")
        assert large.exit_code == 1
        assert "failed: message size too large" in large.stderr
        exists = kadmin(
            *("perf", "produce", *at, *topic, "--create-topic", "--yes"), "--duration=1"
        )
        assert (1, True) == (exists.exit_code, "exists: --create-topic makes" in exists.stderr)

    def read_back(self, at: tuple[str, ...], topic: tuple[str, ...]) -> None:
        consume = ("perf", "consume", *at, *topic)

        header, row = done(*consume, "--messages", "600", "--timeout-ms", "3600000").splitlines()
        fewer = kadmin(*consume, "--messages", "700", "--timeout-ms", "1", "--show-detailed-stats")

        found = dict(zip(header.split(", "), row.split(", "), strict=True))
        assert ("600", "0.0572") == (found["data.consumed.in.nMsg"], found["data.consumed.in.MB"])
        assert fewer.exit_code == 0
        assert "timeout (1 ms) exceeded" in fewer.stderr
        assert fewer.stdout.startswith("time, threadId, data.consumed.in.MB")

    def test_one_record_after_another_goes_through(self, one_broker: OneBroker) -> None:
        address = one_broker.broker.bootstrap

        said = done(
            *("perf", "end-to-end", address, "perf-way", "5", "1", "10"),
            *("--create-topic", "--warmup", "1", "--yes"),
        )

        first, average, percentiles = said.splitlines()
        assert re.fullmatch(r"0\t\d+\.\d+", first)
        assert re.fullmatch(r"Avg latency: \d+\.\d{4} ms", average)
        assert re.fullmatch(r"Percentiles: 50th = \d+, 99th = \d+, 99\.9th = \d+", percentiles)

    @pytest.mark.parametrize("during", ["creation", "test"])
    def test_a_topic_that_was_made_is_deleted_when_a_signal_ends_the_test(
        self, one_broker: OneBroker, monkeypatch: pytest.MonkeyPatch, during: str
    ) -> None:
        settings = BrokerSettings(bootstrap=one_broker.broker.bootstrap, timeout_s=OUTER_LIMIT_S)
        topic = NewTarget(topic=f"perf-ended-{during}", partitions=1, replicas=1, configs={})
        ended: list[int] = []
        before = signal.signal(signal.SIGTERM, lambda number, _: ended.append(number))

        def create_and_end(*arguments: Any) -> None:
            create(*arguments)
            signal.raise_signal(signal.SIGTERM)

        if during == "creation":
            monkeypatch.setattr(target, "create", create_and_end)
        try:
            with pytest.raises(KeyboardInterrupt), made_for_test(settings, [topic]):
                signal.raise_signal(signal.SIGTERM)
        finally:
            signal.signal(signal.SIGTERM, before)

        assert [signal.SIGTERM] == ended
        at = ("--bootstrap-server", one_broker.broker.bootstrap)
        assert topic.topic not in done("topics", "--list", *at).split()

    def test_a_topic_that_another_has_deleted_is_none_that_is_left(
        self, one_broker: OneBroker
    ) -> None:
        settings = BrokerSettings(bootstrap=one_broker.broker.bootstrap, timeout_s=OUTER_LIMIT_S)
        topic = NewTarget(topic="perf-gone", partitions=1, replicas=1, configs={})

        with made_for_test(settings, [topic]):
            done(
                *("topics", "--delete", "--topic", topic.topic, "--yes", "--wait"),
                *("--bootstrap-server", one_broker.broker.bootstrap),
            )

    def test_two_settings_take_turns(self, one_broker: OneBroker) -> None:
        said = done(
            *("perf", "produce", "--bootstrap-server", one_broker.broker.bootstrap),
            *("--create-topic", "--num-records", "50", "--yes", "--rounds", "1"),
            *("--compare", "linger.ms=0", "linger.ms=1", "--output", "json"),
        )

        found = json.loads(said)
        assert ("linger.ms=0", "linger.ms=1") == (found["a"], found["b"])
        assert ["A", "B"] == [one["side"] for one in found["rounds"]]
        assert found["ratios"]["records/sec"]["median"] > 0

    def test_a_load_without_faults_finds_none(self, one_broker: OneBroker) -> None:
        found = json.loads(
            done(
                *("perf", "load", "--bootstrap-server", one_broker.broker.bootstrap),
                *("--topic", "perf-load-a", "--topic", "perf-load-b", "--create-topic", "--yes"),
                *("--partitions", "2", "--throughput", "200", "--duration", "0.5"),
                *("--outage", "3600", "--producers", "2", "--consumers", "2", "--output", "json"),
            )
        )

        assert (4, [], {}, 0) == (
            *(found["partitions"], found["incidents"]),
            *(found["unread"], found["out_of_order"]),
        )
        assert found["sent"] == found["written"]["records"] == found["read"]["records"] > 0

    def test_a_report_has_a_page_with_its_figures(
        self, one_broker: OneBroker, tmp_path: Path
    ) -> None:
        page = tmp_path / "report.html"

        said = done(
            *("perf", "report", "--bootstrap-server", one_broker.broker.bootstrap),
            *("--only", "replicas", "--duration", "0.1", "--rounds", "1", "--yes"),
            *("--html", str(page), "--output", "json"),
        )

        (experiment,) = json.loads(said)["experiments"]
        assert ["1"] == [point["setting"] for point in experiment["points"]]
        assert "kadmin perf produce --duration 0.1" in page.read_text()
