"""Clients of a ZooKeeper: are they told apart by what they own, and what by their address?"""

import pytest

from cluster.model.ids import BrokerId
from kadmin.plan.zookeeper_clients import (
    CONNECTIONS,
    EPHEMERALS,
    KRAFT,
    WATCHES,
    Client,
    ClientKind,
    ClientReport,
    ServerClients,
    report_on,
)

CONS = """\
 /10.0.0.1:41000[1](queued=0,recved=9,sent=9,sid=0x1,lop=PING,est=1700000000000,to=18000)
 /10.0.0.2:41000[1](queued=0,recved=9,sent=9,sid=0x2,lop=PING,est=1700000000000,to=18000)
 /10.0.0.7:41000[1](queued=0,recved=9,sent=9,sid=0x7,lop=PING,est=1700000000000,to=18000)
 /10.0.0.8:41000[1](queued=0,recved=9,sent=9,sid=0x8,lop=PING,est=1700000000000,to=18000)
 /10.0.0.9:41000[1](queued=0,recved=9,sent=9,sid=0x9,lop=PING,est=1700000000000,to=18000)
 /0:0:0:0:0:0:0:1:41000[1](queued=0,recved=9,sent=9,sid=0xa,lop=PING,est=1,to=18000)
 /10.0.0.10:41000[0](queued=0,recved=1,sent=0)

"""
DUMP = """\
SessionTracker dump:
Session Sets (1)/(1):
1 expire at Sun Nov 29 01:54:05 UTC 2026:
\t0x1
ephemeral nodes dump:
Sessions with Ephemerals (3):
0x1:
\t/prod/brokers/ids/1
\t/prod/controller
0x2:
\t/test/brokers/ids/2
0x7:
\t/prod/consumers/billing/ids/billing_host-1-a
Connections dump:
Connections Sets (3)/(2):
1 expire at Sun Nov 29 01:54:14 UTC 2026:
\tip: /10.0.0.1:41000 sessionId: 0x1
"""
WCHC = """\
0x8
\t/prod/brokers/ids
\t/prod/controller
0xa
\t/kafka-manager/configs

"""


def report(answers: dict[str, str], **hosts: int) -> ClientReport:
    return report_on(
        [ServerClients("zk1:2181", answers)],
        "/prod",
        {address.replace("_", "."): (BrokerId(broker),) for address, broker in hosts.items()},
        BrokerId(1),
    )


def named(client: Client) -> tuple[str, ClientKind, str]:
    return client.address, client.kind, client.name


def test_each_session_is_named_by_what_it_owns_and_watches() -> None:
    found = report({CONNECTIONS: CONS, EPHEMERALS: DUMP, WATCHES: WCHC})

    assert [
        ("10.0.0.1:41000", ClientKind.CONTROLLER, "broker 1, the controller"),
        ("10.0.0.7:41000", ClientKind.OLD_CONSUMER, "old consumer of 'billing'"),
        ("10.0.0.2:41000", ClientKind.OTHER_CLUSTER, "broker 2 of /test"),
        ("0:0:0:0:0:0:0:1:41000", ClientKind.PROGRAM, "CMAK (Kafka Manager)"),
        (
            "10.0.0.8:41000",
            ClientKind.WATCHER,
            "an exporter, a tool or a KRaft controller",
        ),
        ("10.0.0.9:41000", ClientKind.UNKNOWN, "owns and watches nothing that is reported"),
    ] == [named(each) for each in found.clients]
    assert 5 == len(found.others)


def test_the_session_of_the_command_is_left_out() -> None:
    told = [ServerClients("zk1:2181", {CONNECTIONS: CONS})]

    assert not any(each.session == 9 for each in report_on(told, "", {}, None, 9).clients)


def test_controllers_on_kraft_own_and_watch_nothing() -> None:
    told = [ServerClients("zk1:2181", {CONNECTIONS: CONS, EPHEMERALS: DUMP, WATCHES: WCHC})]
    found = report_on(told, "/prod", {}, None, has_kraft=True)

    assert {"10.0.0.9:41000": KRAFT} == {
        each.address: each.name for each in found.clients if each.kind is ClientKind.UNKNOWN
    }


def test_an_admin_server_reports_the_same() -> None:
    connections = """{"command": "connections", "connections": [
        {"remote_socket_address": "10.0.0.1:41000", "session_id": 1},
        {"remote_socket_address": "10.0.0.3:41000", "session_id": -2}, 7,
        {"remote_socket_address": "nothing"}], "secure_connections": []}"""
    dump = '{"session_id_to_ephemeral_paths": {"1": ["/prod/brokers/ids/1"], "x": [], "3": 1}}'
    watches = '{"session_id_to_watched_paths": {"-2": ["/burrow/notifier"]}}'
    found = report({CONNECTIONS: connections, EPHEMERALS: dump, WATCHES: watches})

    assert [
        ("10.0.0.1:41000", ClientKind.CONTROLLER, "broker 1, the controller"),
        ("10.0.0.3:41000", ClientKind.PROGRAM, "Burrow"),
    ] == [named(each) for each in found.clients]


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "no ZooKeeper\n\n", "0xzz\n\t/a"])
def test_any_answer_is_read_without_an_error(text: str) -> None:
    found = report({CONNECTIONS: text, EPHEMERALS: text, WATCHES: text})

    assert () == found.clients


def test_what_is_not_allowed_is_named_with_the_setting() -> None:
    forbidden = "cons is not executed because it is not in the whitelist.\n"
    found = report({CONNECTIONS: forbidden, EPHEMERALS: DUMP, WATCHES: WCHC})

    assert [
        "'cons' is not allowed on zk1:2181: 4lw.commands.whitelist=srvr,cons,dump,wchc in its"
        " zoo.cfg allows it after a restart, and --admin-port asks the admin server"
    ] == list(found.unlooked)


def test_a_client_without_znodes_is_named_by_the_broker_of_its_host() -> None:
    found = report({CONNECTIONS: CONS}, **{"10_0_0_9": 3})

    assert "on the host of broker 3" in [each.name for each in found.clients]


def test_an_old_consumer_of_another_chroot_is_not_one_of_this_cluster() -> None:
    dump = "ephemeral nodes dump:\nSessions with Ephemerals (1):\n0x1:\n\t/consumers/g/ids/c\n"
    told = [ServerClients("zk1:2181", {CONNECTIONS: CONS, EPHEMERALS: dump})]
    found = report_on(told, "/prod", {}, None)

    (name,) = (each.name for each in found.clients if each.kind is ClientKind.OTHER_CLUSTER)
    assert "old consumer of 'g' at /" == name


def test_a_server_without_clients_is_an_answer_beside_one_that_is_down() -> None:
    down = ServerClients("zk2:2181", {}, "connection refused")

    assert report_on([ServerClients("zk1:2181", {CONNECTIONS: ""}), down], "", {}, None).has_answer
    assert not report_on([down], "", {}, None).has_answer
