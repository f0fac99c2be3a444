import io

from kadmin.render.cluster import (
    ClusterView,
    ServerView,
    list_document,
    status_document,
    up_document,
)
from kadmin.render.output import Output
from kadmin.settings.keys import OutputFormat

SERVERS = (
    ServerView(id=1, pid=11, port=2181, state="serving", mode="leader"),
    ServerView(id=2, pid=12, port=2182, state="dead", mode=None),
    ServerView(id=3, pid=None, port=2183, state="stopped", mode=None),
)
CLUSTER = ClusterView(
    name="local",
    zookeeper_connect="127.0.0.1:2181,127.0.0.1:2182,127.0.0.1:2183",
    directory="/data/local",
    state="not serving",
    servers=SERVERS,
)
BROKEN = ClusterView(
    name="b",
    zookeeper_connect="",
    directory="/data/b",
    state="broken",
    servers=(),
    problem="only a part of it is there",
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_status_lines_leave_out_what_is_not_known() -> None:
    assert [
        "local: not serving",
        "zookeeper_connect=127.0.0.1:2181,127.0.0.1:2182,127.0.0.1:2183",
        "directory=/data/local",
        "zookeeper 1: serving mode=leader port=2181 pid=11",
        "zookeeper 2: dead port=2182 pid=12",
        "zookeeper 3: stopped port=2183",
    ] == list(status_document(CLUSTER).lines())


def test_the_body_of_a_status_names_every_field_and_no_problem_where_there_is_none() -> None:
    body = status_document(CLUSTER).body()

    assert [
        *("name", "zookeeper_connect", "directory", "state", "servers"),
        *("bootstrap_servers", "brokers"),
    ] == list(body)
    assert {"id": 3, "pid": None, "port": 2183, "state": "stopped", "mode": None} == list(
        status_document(CLUSTER).body()["servers"]  # type: ignore[call-overload]
    )[2]


def test_up_tells_which_servers_it_started() -> None:
    document = up_document(CLUSTER, started=[2, 3], started_brokers=[1])

    assert ([2, 3], [1]) == (document.body()["started"], document.body()["started_brokers"])
    assert [f"zookeeper_connect={CLUSTER.zookeeper_connect}"] == list(document.lines())


def test_a_broken_cluster_is_listed_with_its_problem() -> None:
    document = list_document([BROKEN, CLUSTER])

    assert [
        "b      broken       only a part of it is there",
        "local  not serving  127.0.0.1:2181,127.0.0.1:2182,127.0.0.1:2183",
    ] == list(document.lines())
    assert [("b", "broken", 0, "", "/data/b")] == list(document.rows())[:1]


def test_rows_are_as_long_as_the_columns() -> None:
    for document in (
        status_document(CLUSTER),
        list_document([CLUSTER, BROKEN]),
        up_document(CLUSTER, started=[], started_brokers=[]),
    ):
        assert {len(document.columns)} == {len(row) for row in document.rows()}


def test_a_terminal_gets_tables_that_cut_nothing() -> None:
    stdout = Terminal()
    output = Output(form=OutputFormat.TEXT, color=False, stdout=stdout)

    output.show(status_document(CLUSTER))
    output.show(list_document([CLUSTER]))

    text = stdout.getvalue()
    assert "…" not in text
    assert ["local", "not", "serving"] == text.split()[:3]
    assert "leader" in text
