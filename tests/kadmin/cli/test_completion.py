"""What does `kadmin completion` print, and when does it keep silent?"""

from pathlib import Path

import pytest

from kadmin.cli.completion import SHELLS, script_of
from kadmin.cli.live_values import VALUES
from kadmin.cli.main import kadmin as root
from kadmin.cli.tree import command_tree
from kadmin.errors import ExitCode
from tests.support.cli import KadminRun, done, kadmin, kadmin_process, offered
from tests.support.zookeeper import client_of


@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_of_each_shell_is_printed(shell: str) -> None:
    assert done("completion", shell) == script_of(shell)


@pytest.mark.slow
def test_the_script_needs_no_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read when a shell starts; a slip in the configuration must not show there."""
    broken = tmp_path / "config.toml"
    broken.write_text("[")
    monkeypatch.setenv("KADMIN_CONFIG", str(broken))

    assert done("completion", "bash") == script_of("bash")


def test_no_shell_is_wrong_usage_that_names_the_shells() -> None:
    run = kadmin("completion")

    assert run.exit_code == ExitCode.USAGE
    assert "bash, zsh, fish" in run.stderr


def test_every_kind_of_value_that_an_option_wants_can_be_told() -> None:
    nodes = list(command_tree(root).walk())
    wanted = {option.values.live for node in nodes for option in node.options}
    wanted |= {argument.values.live for node in nodes for argument in node.arguments}

    assert wanted - {None} <= VALUES.keys()


@pytest.mark.slow
def test_named_clusters_are_told_without_a_cluster() -> None:
    done("config", "add", "prod", "--zookeeper", "zk:2181")
    done("config", "add", "staging", "--zookeeper", "zk:2182")

    assert offered("clusters", "--current", "s") == ["staging"]


@pytest.mark.slow
def test_no_broker_is_told_of_a_cluster_of_this_machine_that_is_not_there() -> None:
    run = kadmin_process("completion", "--values", "local-brokers", "--name", "nothing")

    assert KadminRun(0, "", "") == run


def test_only_the_last_item_of_a_list_is_completed() -> None:
    told = offered("topic-configs", "--current", "a,b,retention.m")

    assert told == ["a,b,retention.ms"]


@pytest.mark.slow
def test_a_cluster_that_does_not_answer_costs_no_word() -> None:
    run = kadmin_process("completion", "--values", "topics", "--zookeeper", "127.0.0.1:1")

    assert KadminRun(0, "", "") == run


def test_a_broken_configuration_file_costs_no_word(home: Path) -> None:
    file = home / "config" / "kadmin" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("not toml")

    assert KadminRun(0, "", "") == kadmin_process("completion", "--values", "topics")


@pytest.mark.zk
def test_names_that_a_shell_would_take_for_syntax_are_never_told(chroot: str) -> None:
    with client_of(chroot) as client:
        for name in ("good", "$(reboot)", "a;b", "`reboot`", "two words", "a'b"):
            client.ensure_path(f"/brokers/topics/{name}")

    assert offered("topics", "--zookeeper", chroot) == ["good"]


@pytest.mark.zk
def test_of_a_named_topic_only_the_configs_are_told_that_it_has(chroot: str) -> None:
    with client_of(chroot) as client:
        for path in ("/brokers/ids", "/brokers/topics/t", "/config/changes"):
            client.ensure_path(path)
        client.ensure_path("/config/topics")
        client.create("/config/topics/t", b'{"version":1,"config":{"segment.ms":"5","x.y":"1"}}')

    values = ("set-topic-configs", "--zookeeper", chroot)

    assert offered(*values, "--topic", "t") == ["segment.ms", "x.y"]
    assert "retention.ms" in offered(*values)
