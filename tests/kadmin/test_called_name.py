"""The second name of the command, which Kerberos leaves free: it stands in what is to be pasted."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from kadmin.called_name import COMMANDS, as_called, called_name
from kadmin.cli.main import CATALOG
from tests.support.cli import kadmin


@pytest.fixture
def second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/opt/kadmin/bin/kadmin-kafka", "topics"])


def test_every_command_is_known() -> None:
    assert set(CATALOG) == set(COMMANDS)


@pytest.mark.parametrize(
    ("argument", "name"),
    [
        ("/usr/bin/kadmin", "kadmin"),
        ("kadmin-kafka", "kadmin-kafka"),
        ("/opt/kadmin/bin/kadmin-kafka", "kadmin-kafka"),
        ("/x/kadmin/__main__.py", "kadmin"),
        ("pytest", "kadmin"),
        ("", "kadmin"),
    ],
)
def test_the_name_is_that_of_the_program(
    argument: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [argument])

    assert name == called_name()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("kadmin topics --list", "kadmin-kafka topics --list"),
        (
            "'kadmin config use NAME' or kadmin --help",
            "'kadmin-kafka config use NAME' or kadmin-kafka --help",
        ),
        ("see 'kadmin delete-records'", "see 'kadmin-kafka delete-records'"),
        # Sentences about kadmin, its files, and other programs.
        ("kadmin reads partitions itself", "kadmin reads partitions itself"),
        ("kadmin topicsy", "kadmin topicsy"),
        ("/opt/kadmin topics", "/opt/kadmin topics"),
        ("not-kadmin topics kadmin-kafka topics", "not-kadmin topics kadmin-kafka topics"),
    ],
)
@pytest.mark.usefixtures("second")
def test_commands_get_the_name_and_sentences_keep_theirs(text: str, expected: str) -> None:
    assert expected == as_called(text)


@pytest.mark.usefixtures("second")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("topics",), "kadmin-kafka: which action is meant"),
        (("topics",), "hint: kadmin-kafka topics --help\n"),
        (("config", "use", "x"), "kadmin-kafka: there is no cluster 'x'"),
        (("config", "use", "x"), "'kadmin-kafka config list' lists all there are"),
        (("topics", "--list"), "'kadmin-kafka cluster up'"),
        (("topcs",), "there is no command 'kadmin-kafka topcs'"),
        (("cluster", "list"), "'kadmin-kafka cluster up' makes one"),
        (
            ("brokers", "--zookeeper", "127.0.0.1:1", "--timeout", "100ms", "--list"),
            "'kadmin-kafka config show'",
        ),
    ],
)
def test_messages_say_the_name_by_which_it_was_called(
    arguments: tuple[str, ...], told: str
) -> None:
    run = kadmin(*arguments)

    assert told in run.stderr, run


@pytest.mark.usefixtures("second")
def test_help_and_examples_say_it_too() -> None:
    shown = kadmin("merge-logs", "--help").stdout

    assert "Usage: kadmin-kafka merge-logs " in shown
    assert "  kadmin-kafka merge-logs collected/ --topic orders" in shown
    assert "kadmin merge-logs" not in shown


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_its_completion_leaves_the_other_name_alone(
    shell: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which on the hosts where it is used is Kerberos's."""
    usual = kadmin("completion", shell).stdout
    monkeypatch.setattr(sys, "argv", ["kadmin-kafka"])
    second = kadmin("completion", shell).stdout

    def completed(script: str) -> set[str]:
        lines = re.findall(
            r"^(?: *complete -F _kadmin| *compdef _kadmin|#compdef|complete -c) (.*)$",
            script,
            re.MULTILINE,
        )
        return {word for line in lines for word in line.split()[:2] if word.startswith("kadmin")}

    assert {"kadmin", "kadmin-kafka"} == completed(usual)
    assert {"kadmin-kafka"} == completed(second)


@pytest.mark.slow
def test_bash_completes_by_the_second_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["kadmin-kafka"])
    script = tmp_path / "completion"
    script.write_text(kadmin("completion", "bash").stdout)
    line = "kadmin-kafka topi"
    asked = (
        f"source {script}; complete -p kadmin && exit 9; COMP_LINE={line!r};"
        f" COMP_POINT={len(line)}; _kadmin; echo ${{COMPREPLY[@]}}"
    )

    run = subprocess.run(["bash", "--norc", "-c", asked], capture_output=True, text=True)

    assert (0, "topics\n") == (run.returncode, run.stdout)
