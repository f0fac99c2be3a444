"""Are settings' texts understood as an operator means them, and refused when they mean nothing?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kazoo.hosts import collect_hosts

from kadmin.settings.keys import (
    KEYS,
    Secret,
    parse_bootstrap,
    parse_connect,
    parse_flag,
    parse_seconds,
)

names = st.from_regex(r"[a-z][a-z0-9-]{0,8}(\.[a-z][a-z0-9]{0,5})?", fullmatch=True)
addresses = st.one_of(names, st.ip_addresses(v=4).map(str), st.ip_addresses(v=6).map("[{}]".format))
servers = st.tuples(addresses, st.none() | st.integers(1, 65535))
nodes = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=5)
chroots = st.lists(nodes, max_size=3)


def written(server: tuple[str, int | None]) -> str:
    host, port = server
    return host if port is None else f"{host}:{port}"


@given(st.lists(servers, min_size=1, max_size=4), chroots, st.sampled_from(["", "/"]))
def test_connect_string_gets_every_port_and_loses_the_trailing_slash(
    ensemble: list[tuple[str, int | None]], path: list[str], slash: str
) -> None:
    text = ",".join(map(written, ensemble)) + "".join(f"/{node}" for node in path) + slash

    connect = parse_connect(text)

    hosts, chroot = collect_hosts(connect)
    assert [(host.strip("[]"), port or 2181) for host, port in ensemble] == hosts
    assert ("".join(f"/{node}" for node in path) or None) == chroot
    assert connect == parse_connect(connect)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "'' is not HOST:PORT"),
        ("/kafka", "'' is not HOST:PORT"),
        ("zk:2181,", "'' is not HOST:PORT"),
        ("zk:port", "'zk:port' is not HOST:PORT"),
        ("zk:0", "the port of 'zk:0' is not in 1..65535"),
        ("zk:65536", "the port of 'zk:65536' is not in 1..65535"),
        ("zk:2181 zk2:2181", "'zk:2181 zk2:2181' is not HOST:PORT"),
        ("::1:2181", "'::1:2181' is not HOST:PORT: an IPv6 address stands in brackets, [::1]:2181"),
        ("a..b:2181", "'a..b:2181' is not HOST:PORT"),
        ("http://zk:2181", "'http:' is not HOST:PORT"),
        ("zk//kafka", "the chroot '//kafka' is not a ZooKeeper path"),
        ("zk/../kafka", "the chroot '/../kafka' is not a ZooKeeper path"),
        ("zk/ka\x00fka", "is not a ZooKeeper path"),
        ("zk1:2181/kafka,zk2:2181/kafka", "the chroot stands once, after the last server"),
    ],
)
def test_connect_string_that_means_nothing_is_refused_by_its_faulty_part(
    text: str, reason: str
) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        parse_connect(text)

    assert reason in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "seconds"), [("30", 30), ("2.5s", 2.5), ("500ms", 0.5), (" 1m ", 60), ("0.1", 0.1)]
)
def test_times_are_read_with_their_units(text: str, seconds: float) -> None:
    assert seconds == parse_seconds(text)


@pytest.mark.parametrize("text", ["", "0", "0ms", "-1", "1h", "1e3", "nan", "inf", "ten"])
def test_times_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must be a time"):
        parse_seconds(text)


@pytest.mark.parametrize("text", ["86401", "1441m", "9" * 400])
def test_times_that_nobody_waits_for_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="at most a day"):
        parse_seconds(text)


@pytest.mark.parametrize("text", ["1", "true", "YES", " on "])
def test_words_for_yes_switch_a_flag_on(text: str) -> None:
    assert parse_flag(text) is True


@pytest.mark.parametrize("text", ["0", "False", "no", "off"])
def test_words_for_no_switch_a_flag_off(text: str) -> None:
    assert parse_flag(text) is False


def test_a_secret_does_not_show_itself() -> None:
    secret = Secret("swordfish")

    assert "swordfish" not in repr(secret)
    assert "swordfish" not in repr({"password": secret})
    assert "swordfish" == secret


def test_no_secret_can_be_given_as_an_option() -> None:
    assert [] == [key.name for key in KEYS if key.secret and key.has_option]


def test_bootstrap_servers_get_every_port() -> None:
    assert parse_bootstrap(" b1, b2:9093 ,[::1]") == "b1:9092,b2:9093,[::1]:9092"


@pytest.mark.parametrize("text", ["", "b1,", "b1:9092/kafka", "PLAINTEXT://b1:9092", "b1:0"])
def test_bootstrap_servers_that_mean_nothing_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"HOST:PORT|port"):
        parse_bootstrap(text)
