"""Pages over looks that are made up: large, old, and failed ones."""

import json
import re
from dataclasses import replace
from operator import itemgetter
from pathlib import Path

import pytest
from httpx import Client

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from kadmin.app.evidence import now_ms
from kadmin.app.polling import Poll
from kadmin.errors import UnreachableError
from kadmin.plan.check.evidence import Evidence
from kadmin.plan.check.judge import judge
from kadmin.plan.groups.group import Group
from kadmin.plan.groups.lag import PartitionLag
from kadmin.plan.groups.verdict import GroupVerdict, PartitionVerdict, Verdict
from kadmin.plan.log_dirs import LogDir, ReplicaLog
from kadmin.plan.metrics.measures import Unit
from kadmin.plan.metrics.report import EndpointRow, MeasureRow, MetricsReport
from kadmin.reports.views.brokers import DirRow, broker_rows
from kadmin.reports.views.observed import Observed
from kadmin.reports.views.overview import overview_of
from kadmin.reports.views.topics import TopicTable
from kadmin.web.clusters import Groups, Look
from kadmin.web.measured import Measured
from kadmin.web.serving import Serving
from tests.kadmin.builders import brokers, cluster, state, topic
from tests.support.page_in_process import bearer, client_of, serving_of

PAGE_SIZE_MAX = 500_000
TOPIC_COUNT = 10_000


def look_at(
    snapshot: ClusterSnapshot, *, age_ms: int = 0, observed: Observed | None = None
) -> Look:
    at_ms = now_ms() - age_ms
    evidence = Evidence(snapshot=snapshot, now_ms=at_ms)
    observed = observed or Observed(snapshot=snapshot)
    return Look(
        at_ms=at_ms,
        evidence=evidence,
        report=judge(evidence),
        observed=observed,
        topics=TopicTable(observed),
        overview=overview_of(observed),
        brokers=broker_rows(observed),
    )


def visit(serving: Serving, look: Look, *paths: str, fails: bool = False) -> list[str]:
    """The texts of pages of the cluster after *look*, and perhaps an attempt that failed."""
    cluster = serving.clusters["east"]
    cluster.looks.ask = lambda: look
    cluster.looks.attempt()
    if fails:

        def fail() -> Look:
            raise UnreachableError("no ZooKeeper answers <b>")

        cluster.looks.ask = fail
        cluster.looks.attempt()
    with client_of(serving) as client:
        return [text_of(client, path) for path in paths]


def text_of(client: Client, path: str) -> str:
    answer = client.get(path, headers=bearer("ann"))
    assert 200 == answer.status_code, path
    return answer.text


@pytest.fixture
def serving(tmp_path: Path) -> Serving:
    return serving_of(tmp_path)


@pytest.mark.slow
def test_a_page_of_ten_thousand_topics_is_small(serving: Serving) -> None:
    snapshot = cluster(
        brokers("1 2 3"),
        *(topic(f"topic-of-a-team-{number:05}", "1,2,3") for number in range(TOPIC_COUNT)),
    )
    path = "/clusters/east/topics"
    queries = ("", "?sort=-partitions&page=7&size=1000", "?filter=TEAM-09999")

    *pages, found = visit(serving, look_at(snapshot), *(path + query for query in queries))

    assert [100, 1000] == [page.count('scope="row"') for page in pages]
    assert [] == [len(page.encode()) for page in pages if len(page.encode()) > PAGE_SIZE_MAX]
    assert "topic-of-a-team-09999" in found
    assert "(10\u202f000 in all)" in found


def test_numbers_that_are_old_are_marked_and_the_reason_is_shown(serving: Serving) -> None:
    snapshot = cluster(brokers("1"), topic("t", "1", states={0: state(1, "1")}))
    look = look_at(snapshot, age_ms=4 * 3_600_000 * 1000)
    paths = ("/", "/clusters/east", "/clusters/east/topics", "/clusters/east/topics/t")

    pages = visit(serving, look, *paths, fails=True)

    for page in pages:
        assert 'class="age stale"' in page
        assert "no ZooKeeper answers &lt;b&gt;" in page


def test_a_broker_that_is_registered_and_silent_is_not_called_alive(serving: Serving) -> None:
    look = look_at(cluster(brokers("1 2"), topic("t", "1,2")))
    look = replace(look, evidence=replace(look.evidence, silent_brokers=(BrokerId(2),)))
    paths = ("/clusters/east", "/clusters/east/brokers", "/clusters/east/brokers/2")

    *of_both, of_silent = visit(serving, look, *paths)

    states = re.compile(r'<span class="state \w+">(alive|no answer)</span>')
    assert [["alive", "no answer"]] * 2 == [states.findall(page) for page in of_both]
    assert ["no answer"] == states.findall(of_silent)


def test_a_sum_says_what_it_leaves_out(serving: Serving) -> None:
    snapshot = cluster(
        brokers("1"), topic("t", "1,7 7", states={0: state(1, "1"), 1: state(-1, "7")})
    )
    led = TopicPartition("t", 0)
    log = ReplicaLog(partition=led, size_bytes=5, lag_records=0, is_future=False)
    dirs = {BrokerId(1): [LogDir(path="/data", replicas=(log,))]}
    observed = Observed(snapshot=snapshot, log_dirs=dirs, ends={led: 9})
    topics = "/clusters/east/topics"
    paths = (f"{topics}/t", topics, "/clusters/east", "/")

    of_topic, of_topics, *of_cluster = visit(serving, look_at(snapshot, observed=observed), *paths)

    assert "<small>without 2 of 3 replicas</small>" in of_topic
    assert "<small>without 1 of 2 partitions</small>" in of_topic
    assert "Sizes are without broker 7. Offsets are without 1 of 2 partitions." in of_topics
    assert [True, True] == ["without broker 7<" in page for page in of_cluster]


def test_the_log_directories_of_the_api_name_the_brokers_that_are_left_out(
    serving: Serving,
) -> None:
    snapshot = cluster(brokers("1 2"), topic("t", "1,2,7"))
    observed = Observed(snapshot=snapshot, log_dirs={BrokerId(1): []})
    look = look_at(snapshot, observed=observed)
    look = replace(look, evidence=replace(look.evidence, silent_brokers=(BrokerId(2),)))

    (answer,) = visit(serving, look, "/api/v1/clusters/east/log-dirs")

    assert ([7], [2]) == itemgetter("dead_brokers", "silent_brokers")(json.loads(answer))


def test_one_thing_is_counted_as_one(serving: Serving) -> None:
    directory = DirRow(
        path="/data",
        replica_count=1,
        size_bytes=5,
        total_bytes=None,
        usable_bytes=None,
        has_failed=False,
    )
    look = look_at(cluster(brokers("1"), topic("t", "1")))
    rows = [replace(each, dirs=(directory,)) for each in look.brokers]
    look = replace(look, brokers=rows, warnings=("a part of it could not be read",))

    summary, broker = visit(serving, look, "/clusters/east", "/clusters/east/brokers/1")

    assert "1 warning while it was read" in summary
    assert "1 replica," in broker


def test_a_fresh_look_is_not_marked_as_stale(serving: Serving) -> None:
    page = visit(serving, look_at(cluster(brokers("1"))), "/clusters/east")[0]

    assert ('class="age"' in page, "stale" in re.sub("data-stale", "", page)) == (True, False)


def test_clusters_are_in_order_of_how_bad_they_are(serving: Serving) -> None:
    west = serving.clusters["west"]
    west.looks.ask = lambda: look_at(cluster(brokers("1"), topic("t", "2")))
    west.looks.attempt()

    page = visit(serving, look_at(cluster(brokers("1"))), "/")[0]

    assert page.index("/clusters/west") < page.index("/clusters/east")


def test_a_topic_shows_its_leader_its_isr_and_who_is_not_in_it(serving: Serving) -> None:
    snapshot = cluster(brokers("1 2"), topic("t", "1,2,3", states={0: state(1, "1,2")}))

    page = visit(serving, look_at(snapshot), "/clusters/east/topics/t")[0]

    chips = re.findall(r'class="replica([^"]*)" title="([^"]+)">(\d)<', page)
    assert [
        (" leader", "leader", "1"),
        ("", "in the ISR", "2"),
        (" out", "not in the ISR", "3"),
    ] == chips


def test_halves_of_characters_are_shown_as_escapes(serving: Serving) -> None:
    half = "half-\ud800"
    snapshot = cluster(brokers("1"), topic(half, "1"), topic("t", "1", configs={half: half}))
    places = ("/clusters/east/topics", "/clusters/east/topics/t", "/api/v1/clusters/east/topics")

    pages = visit(serving, look_at(snapshot), *places)

    assert all("half-\\ud800" in page for page in pages)


def test_a_failure_with_halves_of_characters_is_a_problem_document(serving: Serving) -> None:
    def fail() -> Look:
        raise UnreachableError("no broker \ud800 answers")

    serving.clusters["east"].looks.ask = fail
    serving.clusters["east"].looks.attempt()

    with client_of(serving) as client:
        places = ("/clusters/east", "/api/v1/clusters/east/topics")
        answers = [client.get(place, headers=bearer("ann")) for place in places]

    assert [503, 503] == [answer.status_code for answer in answers]
    assert all("no broker \\ud800 answers" in answer.text for answer in answers)


@pytest.mark.parametrize("name", ["none", "a b", "%3Cscript%3E"])
def test_what_does_not_exist_is_not_found(serving: Serving, name: str) -> None:
    visit(serving, look_at(cluster(brokers("1"))))

    with client_of(serving) as client:
        answer = client.get(f"/clusters/east/topics/{name}", headers=bearer("ann"))

    assert 404 == answer.status_code
    assert "<script>" not in answer.text


def test_a_topic_that_15_000_groups_read_names_those_furthest_behind(serving: Serving) -> None:
    def reader(number: int) -> GroupVerdict:
        row = PartitionLag(partition=TopicPartition("orders", 0), committed=number, end=20_000)
        return GroupVerdict(
            group=Group(name=f"group-{number:05}", state="Empty", assignor="", coordinator=None),
            time_ms=0,
            partitions=(
                PartitionVerdict(row=row, verdict=Verdict.STOPPED, reason="", movement=None),
            ),
        )

    read = Groups(at_ms=now_ms(), verdicts=tuple(map(reader, range(15_000))), unanswered={})
    watched = serving.clusters["east"]
    watched.groups.ask = lambda: read
    watched.groups.attempt()
    look = look_at(cluster(brokers("1"), topic("orders", "1")))

    [page] = visit(serving, look, "/clusters/east/topics/orders")

    assert len(page) < PAGE_SIZE_MAX
    assert "group-00000" in page
    assert "group-14999" not in page
    assert "These are furthest behind of 15" in page


@pytest.mark.parametrize("poll", ["looks", "groups", "ends"])
def test_a_bug_in_one_poll_is_shown_with_how_often_and_the_age_of_what_is_left(
    serving: Serving, poll: str
) -> None:
    look = look_at(cluster(brokers("1")))
    watched = serving.clusters["east"]
    watched.looks.ask = lambda: look
    watched.looks.attempt()
    broken = getattr(watched, poll)
    broken.ask = lambda: 1 // 0
    broken.attempt()
    broken.attempt()

    with client_of(serving) as client:
        page = text_of(client, "/clusters/east")

    assert "Not everything could be read" in page
    assert f"internal error of kadmin while it read {broken.name}: ZeroDivisionError" in page
    assert '<span class="bad">2</span>' in page
    assert 'class="age"' in page


def test_what_is_being_read_is_shown_with_how_long_it_takes_so_far(serving: Serving) -> None:
    look = look_at(cluster(brokers("1")))
    watched = serving.clusters["east"]
    seen: list[str] = []

    def ask() -> Groups:
        seen.extend(visit(serving, look, "/clusters/east/groups", "/clusters/east"))
        return Groups(at_ms=0, verdicts=(), unanswered={})

    watched.groups.ask = ask
    watched.groups.attempt()

    of_groups, of_cluster = seen
    assert "Groups are being read, for " in of_groups
    assert "so far" in of_groups
    assert "so far" in of_cluster
    assert watched.groups.waiting_s is None


def measured(bytes_in: float, age_s: float, problem: str | None = None) -> Measured:
    endpoint = EndpointRow(name="1", url="http://b1/metrics", age_s=age_s, problem=problem)
    row = MeasureRow(
        title="bytes in",
        unit=Unit.BYTES_PER_SECOND,
        value=bytes_in,
        by_broker={"1": bytes_in},
        age_s=age_s,
        is_combined=True,
        is_wanted=True,
    )
    return Measured(at_ms=now_ms(), report=MetricsReport(endpoints=(endpoint,), rows=(row,)))


def test_metrics_of_brokers_are_on_their_pages_with_their_age(serving: Serving) -> None:
    snapshot = cluster(brokers("1 2"), topic("t", "1", states={0: state(1, "1")}))
    poll = Poll("metrics of brokers", lambda: measured(3 * 2**20, 7200, "refused <b>"), 10)
    poll.attempt()
    serving.clusters["east"].measured = poll

    paths = ("/clusters/east/brokers", "/clusters/east/brokers/1", "/clusters/east/brokers/2")
    listed, first, second = visit(serving, look_at(snapshot), *paths)

    assert "3.0\xa0MiB/s" in listed
    assert "3.0 MiB/s" in first
    assert "refused &lt;b&gt;" in first
    assert all("2 h" in page and 'class="age stale"' in page for page in (listed, first))
    assert ("t</a>-0" in first, "t</a>-0" in second) == (True, False)
    assert "It has no endpoint among those that are read." in second


@pytest.mark.parametrize("broker", ["3", "x", "01"])
def test_a_broker_that_is_not_there_has_no_page(serving: Serving, broker: str) -> None:
    visit(serving, look_at(cluster(brokers("1 2"))))
    with client_of(serving) as client:
        path = f"/clusters/east/brokers/{broker}"
        assert 404 == client.get(path, headers=bearer("ann")).status_code
