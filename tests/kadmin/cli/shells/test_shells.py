"""Do the completion scripts work in the shells themselves?"""

from pathlib import Path
from typing import Final

import pytest

from tests.support.shells import Shell
from tests.support.zookeeper import client_of

LISTING = ("bash", "fish")
EDITING = ("bash", "zsh")
OFFERED: Final = {
    "kadmin topi": ["topics"],
    "kadmin --output json topi": ["topics"],
    "kadmin --cluster topics conf": ["config", "configs"],
    "kadmin topics --under-r": ["--under-replicated-partitions"],
    "kadmin topics --output ": ["csv", "json", "text", "yaml"],
    "kadmin config use --outp": ["--output"],
    "kadmin config us": ["use"],
    "kadmin completion ": ["bash", "fish", "zsh"],
    "kadmin topics --create --topic x --config retention.m": ["retention.ms="],
    "kadmin topics --alter --delete-config retention.m": ["retention.ms"],
    "kadmin acls --list --cluster --transac": ["--transactional-id"],
    "kadmin acls --list --cluster --resource-pattern-type ma": ["match"],
    "kadmin reassign --wait pl": ["plan"],
    "kadmin simulate --add 5 --lose-r": ["--lose-rack"],
    "kadmin lead --wait 5 --unf": ["--unfair"],
    "kadmin topics --partitions ": [],
    "kadmin config add ": [],
}
"""What is offered at the end of a line."""


@pytest.mark.slow
@pytest.mark.parametrize("name", LISTING)
def test_commands_options_and_fixed_values_are_offered(name: str, tmp_path: Path) -> None:
    """In one shell: to load the completion takes it longer than all of the lines."""
    shell = Shell.installed(name, tmp_path)

    assert OFFERED == dict(zip(OFFERED, shell.candidates_of([*OFFERED]), strict=True))


@pytest.mark.slow
def test_bash_replaces_only_what_follows_the_last_break_of_a_word(tmp_path: Path) -> None:
    shell = Shell.installed("bash", tmp_path)

    assert shell.candidates("kadmin topics --output=j") == ["json"]
    assert shell.candidates("kadmin topics --config cleanup.policy=c") == ["compact"]


@pytest.mark.slow
@pytest.mark.parametrize("name", LISTING)
def test_files_are_offered_where_an_option_wants_one(name: str, tmp_path: Path) -> None:
    shell = Shell.installed(name, tmp_path)
    (tmp_path / "truststore.pem").touch()

    assert shell.candidates("kadmin --zookeeper-tls-ca trusts") == ["truststore.pem"]
    assert shell.candidates("kadmin --zookeeper-user trusts") == []


@pytest.mark.slow
@pytest.mark.parametrize("name", EDITING)
@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("kadmin topi", "kadmin topics "),
        ("kadmin topics --under-r", "kadmin topics --under-replicated-partitions "),
        ("kadmin topics --output=ya", "kadmin topics --output=yaml "),
        ("kadmin --output json config us", "kadmin --output json config use "),
        ("kadmin topics --config retention.m", "kadmin topics --config retention.ms="),
    ],
)
def test_tab_completes_the_line_in_the_shells_own_editor(
    name: str, line: str, completed: str, tmp_path: Path
) -> None:
    shell = Shell.installed(name, tmp_path)

    assert shell.line_after_tab(line) == completed


@pytest.mark.slow
def test_zsh_finds_the_script_by_its_name_too(tmp_path: Path) -> None:
    shell = Shell.installed("zsh", tmp_path)
    (tmp_path / "script").rename(tmp_path / "_kadmin")

    completed = shell.line_after_tab("kadmin topi", load="fpath=($PWD $fpath); compinit -u -D")

    assert completed == "kadmin topics "


@pytest.mark.zk
@pytest.mark.parametrize("name", LISTING)
def test_topics_and_brokers_of_the_lines_cluster_are_offered(
    name: str, tmp_path: Path, chroot: str
) -> None:
    shell = Shell.installed(name, tmp_path)
    with client_of(chroot) as client:
        for path in ("/brokers/topics/orders", "/brokers/topics/orders-eu", "/brokers/ids/17"):
            client.ensure_path(path)
        client.ensure_path("/config/topics")
        client.create("/config/topics/orders", b'{"version":1,"config":{"segment.ms":"5"}}')
    alter = f"kadmin topics --zookeeper {chroot} --alter --topic orders --delete-config "
    expected = {
        f"kadmin --zookeeper {chroot} topics --topic ord": ["orders", "orders-eu"],
        f"kadmin --zookeeper '{chroot}' topics --topic ord": ["orders", "orders-eu"],
        f"kadmin --zookeeper={chroot} topics --topic ord": ["orders", "orders-eu"],
        f"kadmin topics --zookeeper {chroot} --topic x,orders-": ["x,orders-eu"],
        f"kadmin brokers --zookeeper {chroot} --broker ": ["17"],
        alter: ["segment.ms"],
    }

    assert expected == dict(zip(expected, shell.candidates_of([*expected]), strict=True))


@pytest.mark.zk
@pytest.mark.parametrize("name", EDITING)
def test_tab_completes_a_topic_of_the_lines_cluster(name: str, tmp_path: Path, chroot: str) -> None:
    shell = Shell.installed(name, tmp_path)
    with client_of(chroot) as client:
        client.ensure_path("/brokers/topics/payments")

    line = f"kadmin --zookeeper {chroot} topics --topic pay"

    completed = f"kadmin --zookeeper {chroot} topics --topic payments "
    assert shell.line_after_tab(line) == completed
