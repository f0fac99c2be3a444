"""`kadmin api-versions` against brokers of ours; real ones in `tests/interop`."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.api.dispatch import APIS
from kadmin.errors import ExitCode
from kadmin.local.zookeeper import ZooKeeperServer
from tests.support.brokers import running_broker
from tests.support.cli import done, kadmin
from tests.support.known_brokers import wait_until_alive
from tests.support.waiting import wait_until
from tests.support.watching import shown
from tests.support.zookeeper import make_chroot

pytestmark = [
    pytest.mark.zk,
    pytest.mark.clients,
    # In one process, which alone starts its brokers.
    pytest.mark.xdist_group("api-versions"),
]


@pytest.fixture(scope="module")
def connect(zookeeper: ZooKeeperServer) -> str:
    return make_chroot(zookeeper)


@pytest.fixture(scope="module")
def bootstrap(tmp_path_factory: pytest.TempPathFactory, connect: str) -> Iterator[str]:
    with (
        running_broker(tmp_path_factory.mktemp("one"), connect, 1) as one,
        running_broker(tmp_path_factory.mktemp("two"), connect, 2) as two,
    ):
        found = f"{one.bootstrap},{two.bootstrap}"
        wait_until_alive(found, "1", "2")
        yield found


def test_every_broker_tells_what_it_serves(bootstrap: str) -> None:
    told = json.loads(done("api-versions", "--bootstrap-server", bootstrap, "--output", "json"))

    served = {api["api_key"]: api for api in told["apis"]}
    assert sorted(served) == sorted(map(int, APIS))
    for key, api in APIS.items():
        expected = {"min": api.versions.lowest, "max": api.versions.highest}
        assert expected == served[int(key)]["common"]
        assert [{"broker": broker, "versions": expected} for broker in (1, 2)] == served[int(key)][
            "brokers"
        ]


def test_brokers_of_one_release_do_not_differ(bootstrap: str) -> None:
    outcome = kadmin("api-versions", "--differences", "--bootstrap-server", bootstrap)

    assert (ExitCode.DONE, "", "no differences between 2 brokers\n") == (
        outcome.exit_code,
        outcome.stdout,
        outcome.stderr,
    )


def test_watching_goes_on_while_a_broker_is_down(
    bootstrap: str, connect: str, tmp_path: Path
) -> None:
    wire = ("--bootstrap-server", bootstrap)
    session = {"zookeeper.session.timeout.ms": "2000"}
    with (
        running_broker(tmp_path / "three", connect, 3, session) as three,
        shown("api-versions", "--watch", "0.1", *wire) as watching,
    ):
        first_of_three = next(line for line in watching if "(id: 3 " in line)
        three.kill()
        silent = next(line for line in watching if "(id: 3 " in line and "ERROR" in line)
        next_of_one = next(line for line in watching if "(id: 1 " in line)
    # Other tests ask all brokers that are known.
    wait_until(lambda: "3" not in done("brokers", "--list", *wire).split(), what="two brokers")

    assert first_of_three.endswith("-> (\n")
    assert silent.endswith("-> ERROR: it did not answer\n")
    assert next_of_one.endswith("-> (\n")


def test_one_broker_is_told_in_the_lines_of_kafka_s_tool(bootstrap: str) -> None:
    words = ("broker-api-versions", "--broker", "2", "--bootstrap-server", bootstrap)

    lines = done(*words).splitlines()

    assert f"{bootstrap.partition(',')[2]} (id: 2 rack: null) -> (" == lines[0]
    assert ")" == lines[-1]
    assert "\tApiVersions(18): 0 to 4," in lines


def test_a_broker_that_is_not_there_is_named(bootstrap: str) -> None:
    outcome = kadmin("api-versions", "--broker", "7", "--bootstrap-server", bootstrap)

    assert ExitCode.FAILED == outcome.exit_code
    assert "kadmin: there is no broker 7\n" in outcome.stderr
