from pathlib import Path

import pytest

from kadmin.local.jars import NETTY_JARS, SERVER_JARS, MissingJars, class_path, jars_in, pick


def test_pyspark_has_every_jar_that_a_server_needs() -> None:
    jars = class_path(with_netty=True)

    assert len(SERVER_JARS) + len(NETTY_JARS) == len(jars)
    assert all(jar.is_file() for jar in jars)


def test_a_plain_server_gets_no_netty_and_the_same_order_always() -> None:
    assert list(SERVER_JARS) == [jar.name.rsplit("-", 1)[0] for jar in class_path()]


def test_names_are_told_from_versions_and_platforms_are_left_out(tmp_path: Path) -> None:
    for name in (
        "zookeeper-3.9.5.jar",
        "zookeeper-jute-3.9.5.jar",
        "netty-common-4.2.13.Final.jar",
        "netty-transport-native-epoll-4.2.13.Final-linux-x86_64.jar",
        "notes.txt",
    ):
        (tmp_path / name).touch()

    assert ["netty-common", "zookeeper", "zookeeper-jute"] == sorted(jars_in(tmp_path))


def test_a_missing_jar_is_named(tmp_path: Path) -> None:
    (tmp_path / "zookeeper-3.9.5.jar").touch()

    with pytest.raises(MissingJars, match="no jar zookeeper-jute, slf4j-api;") as raised:
        pick(jars_in(tmp_path), ("zookeeper", "zookeeper-jute", "slf4j-api"))

    assert "pip install" in str(raised.value.hint)
