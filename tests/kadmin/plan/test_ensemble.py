"""What ZooKeepers of several releases tell of themselves, and what is wrong among them."""

import pytest

from kadmin.plan.ensemble import ServerAnswers, ServerState, report_on

SRVR = """\
Zookeeper version: 3.5.9-83df9301aa5c2a5d284a9940177808c01bc35cef, built on 01/06/2021 19:49 GMT
Latency min/avg/max: 0/1/12
Received: 155
Sent: 157
Connections: 2
Outstanding: 4
Zxid: 0x10000003f
Mode: {mode}
Node count: 29
"""
REFUSED = "{} is not executed because it is not in the whitelist.\n"
NOT_SERVING = "This ZooKeeper instance is not currently serving requests\n"
MNTR = """\
zk_version\t3.9.5-293c, built on 2026-02-11 20:18 UTC
zk_server_state\tleader
zk_avg_latency\t5.7536
zk_min_latency\t0
zk_max_latency\t30
zk_num_alive_connections\t2
zk_outstanding_requests\t0
zk_znode_count\t29
zk_watch_count\t12
zk_approximate_data_size\t1341
zk_global_sessions\t3
zk_local_sessions\t1
zk_quorum_size\t3
zk_synced_followers\t{synced}
"""
CONF = """\
clientPort=2181
serverId=2
membership:
server.1=zk1:2888:3888:participant;0.0.0.0:2181
server.2=zk2:2888:3888:participant
server.3=zk3:2888:3888
server.4=zk4:2888:3888:observer
version=0
"""


def answered(server, **answers):
    return ServerAnswers(server=server, answers=answers)


def down(server):
    return ServerAnswers(server=server, failure="connection refused")


def words(server, mode):
    """A server that allows what is allowed by default."""
    return answered(
        server,
        srvr=SRVR.format(mode=mode),
        mntr=REFUSED.format("mntr"),
        conf=REFUSED.format("conf"),
    )


def test_a_server_that_allows_its_default_words_tells_what_they_hold():
    (server,) = report_on([words("a:2181", "standalone")]).servers

    assert (ServerState.SERVING, "standalone", "3.5.9") == (
        server.state,
        server.mode,
        server.version,
    )
    assert (0, 1, 12) == (server.latency_min_ms, server.latency_avg_ms, server.latency_max_ms)
    assert (4, 2, 29) == (server.outstanding, server.connections, server.znodes)
    assert "0x10000003f" == server.zxid
    assert (None, None, None) == (server.sessions, server.watches, server.voters)


def test_all_words_tell_sessions_followers_and_members():
    told = answered("a:1", srvr=SRVR.format(mode="leader"), mntr=MNTR.format(synced=2), conf=CONF)

    report = report_on([told])
    (server,) = report.servers

    assert (4, 12, 1341, 2) == (server.sessions, server.watches, server.data_bytes, server.id)
    assert (2, 2) == (server.followers, server.synced_followers)
    assert 3 == report.voters
    assert 5.7536 == server.latency_avg_ms
    assert () == report.problems


def test_an_admin_server_tells_what_a_forbidden_word_would():
    figures = {"server_state": "standalone", "global_sessions": "7", "command": "monitor"}
    told = ServerAnswers(server="a:1", answers={"srvr": REFUSED.format("srvr")}, figures=figures)

    (server,) = report_on([told]).servers

    assert (ServerState.SERVING, "standalone", 7) == (server.state, server.mode, server.sessions)


def test_an_ensemble_with_a_leader_is_well():
    report = report_on([words("a:1", "follower"), words("b:1", "leader"), words("c:1", "follower")])

    assert ((), "b:1") == (report.problems, report.leader)


@pytest.mark.parametrize("said", ["", "HTTP/1.1 400 Bad Request", "\0\0\0\4"])
def test_what_answers_and_is_no_zookeeper_is_down(said):
    report = report_on([words("a:1", "leader"), answered("b:9092", srvr=said, mntr=said, conf="")])

    assert ("b:9092",) == report.down
    assert ("b:9092 is down: what answers there is no ZooKeeper, or wants TLS",) == report.problems


def test_a_server_that_forbids_all_words_is_not_down():
    refused = {word: REFUSED.format(word) for word in ("srvr", "mntr", "conf")}

    report = report_on([answered("a:1", **refused)])

    assert (ServerState.ANSWERS, ()) == (report.servers[0].state, report.problems)


def test_a_server_that_is_down_is_named_with_the_reason():
    report = report_on([words("a:1", "follower"), words("b:1", "leader"), down("c:1")])

    assert ("c:1 is down: connection refused",) == report.problems
    assert ("c:1",) == report.down


@pytest.mark.parametrize(
    "said",
    [answered("a:1", srvr=NOT_SERVING), words("a:1", "read-only")],
    ids=["idle", "read-only"],
)
def test_a_server_without_a_majority_does_not_serve(said):
    report = report_on([said, down("b:1"), down("c:1")])

    assert ServerState.NOT_SERVING == report.servers[0].state
    assert [
        "no majority: 1 of 3 answers",
        "a:1 does not serve: most of the ensemble is not there",
    ] == list(report.problems[:2])


def test_followers_without_a_leader_are_a_fault():
    report = report_on([words("a:1", "follower"), words("b:1", "follower")])

    assert ("none of them leads",) == report.problems


def test_servers_of_several_ensembles_are_a_fault():
    alone = report_on([words("a:1", "standalone"), words("b:1", "standalone")])
    leaders = report_on([words("a:1", "leader"), words("b:1", "leader")])

    assert ("a:1, b:1 stand alone, with data of their own: no one ensemble",) == alone.problems
    assert ("a:1, b:1 lead at the same time: they are no one ensemble",) == leaders.problems


def test_followers_that_are_behind_are_told_but_not_those_that_are_down():
    leader = answered("a:1", srvr=SRVR.format(mode="leader"), mntr=MNTR.format(synced=1))
    two = [leader, words("b:1", "follower")]

    assert ("1 follower of a:1 is not in sync",) == report_on(
        [*two, words("c:1", "follower")]
    ).problems
    assert ("c:1 is down: connection refused",) == report_on([*two, down("c:1")]).problems


def test_what_is_not_allowed_is_named_with_how_to_allow_it():
    notes = report_on([words("a:1", "standalone")]).notes

    assert [True, True] == [
        note.startswith(f"'{word}' is not allowed on a:1: 4lw.commands.whitelist=srvr,mntr,conf in")
        for note, word in zip(notes, ("mntr", "conf"), strict=True)
    ]


def test_a_server_that_allows_nothing_lives_at_least():
    told = answered("a:1", **{word: REFUSED.format(word) for word in ("srvr", "mntr", "conf")})

    report = report_on([told])

    assert (ServerState.ANSWERS, ()) == (report.servers[0].state, report.problems)


def test_members_that_the_connect_string_leaves_out_are_counted():
    told = answered("a:1", srvr=SRVR.format(mode="leader"), conf=CONF)

    (note,) = report_on([told, words("b:1", "follower")]).notes[:1]

    assert note.startswith("3 servers vote in the ensemble, and 2 of them are named")


def test_an_admin_server_that_does_not_answer_is_named():
    answers = {"srvr": SRVR.format(mode="standalone")}
    told = ServerAnswers(server="a:1", answers=answers, admin_failure="a:8080: connection refused")

    assert ("no admin server at a:8080: connection refused",) == report_on([told]).notes
