"""Do global options count wherever they stand, and does a slip get a useful answer?"""

import json
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from kadmin.cli.frame import Command, command, command_with_subcommands, repeated_options
from kadmin.cli.options import option
from kadmin.settings.keys import KEYS
from tests.support.cli import done, kadmin


def setting(key: str, *arguments: str) -> object:
    body = json.loads(done(*arguments))
    return next(item["value"] for item in body["settings"] if item["key"] == key)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--timeout", "7", "--output", "json", "config", "show"),
        ("config", "--timeout", "7", "--output", "json", "show"),
        ("config", "show", "--timeout", "7", "--output", "json"),
        ("--output", "json", "config", "--timeout=7", "show"),
        (
            "--timeout",
            "1",
            "config",
            "--timeout",
            "2",
            "show",
            "--timeout",
            "7",
            "--output",
            "json",
        ),
        ("--timeout", "1", "config", "--timeout", "7", "show", "--output", "json"),
        ("config", "show", "--timeout", "1", "--output", "json", "--timeout", "7"),
    ],
)
def test_global_option_may_stand_anywhere_and_the_last_one_counts(
    arguments: tuple[str, ...],
) -> None:
    assert 7.0 == setting("timeout", *arguments)


@pytest.mark.parametrize("key", [key for key in KEYS if key.is_flag], ids=lambda key: key.name)
def test_flag_counts_before_and_after_the_command(key: object) -> None:
    name, option = key.name, key.option  # type: ignore[attr-defined]

    assert setting(name, "config", "show", "--output", "json") is False
    assert setting(name, option, "config", "show", "--output", "json") is True
    assert setting(name, "config", option, "show", "--output", "json") is True
    assert setting(name, "config", "show", option, "--output", "json") is True


def test_options_of_one_run_are_forgotten_in_the_next() -> None:
    assert 7.0 == setting("timeout", "config", "show", "--output", "json", "--timeout", "7")
    assert 30.0 == setting("timeout", "config", "show", "--output", "json")


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (("topcs",), "there is no command 'kadmin topcs'; did you mean 'topics'?", "kadmin --help"),
        (("qqq",), "there is no command 'kadmin qqq'; the help lists them all", "kadmin --help"),
        (
            ("config", "lst"),
            "there is no command 'kadmin config lst'; did you mean 'list'?",
            "kadmin config --help",
        ),
        (
            ("topics", "--descirbe"),
            "no such option '--descirbe'. Did you mean '--describe'?",
            "kadmin topics --help",
        ),
        (
            ("--debgu",),
            "no such option '--debgu'. Did you mean '--debug'?",
            "kadmin --help",
        ),
        (("config", "use"), "missing argument 'NAME'", "kadmin config use --help"),
        (("topics", "--topic"), "option '--topic' requires an argument", "kadmin topics --help"),
        (
            ("topics", "--partitions", "x"),
            "invalid value for '--partitions': 'x' is not a valid whole number",
            "kadmin topics --help",
        ),
        (
            ("brokers", "--list", "--group", "g"),
            "no such option '--group'",
            "kadmin brokers --help",
        ),
        (
            ("topics", "--watch", "x"),
            "invalid value for '--watch': 'x' is not a valid number",
            "kadmin topics --help",
        ),
        (
            ("offsets", "--watch", "nan"),
            "invalid value for '--watch': 'nan' is not a valid number",
            "kadmin offsets --help",
        ),
        (
            ("log-dirs", "--watch", "100000000000"),
            "invalid value for '--watch': 100000000000.0 is not in the range",
            "kadmin log-dirs --help",
        ),
        (
            ("config", "show", "--timeout", "soon"),
            "invalid value for '--timeout': 'soon' must be a time such as",
            "kadmin config show --help",
        ),
        (
            ("config", "show", "--output", "xml"),
            "invalid value for '--output': 'xml' is not one of",
            "kadmin config show --help",
        ),
        (
            ("config", "show", "--zookeeper", "a:b"),
            "invalid value for '--zookeeper': 'a:b' is not HOST:PORT",
            "kadmin config show --help",
        ),
    ],
)
def test_slip_is_wrong_usage_with_the_next_step(
    arguments: tuple[str, ...], message: str, hint: str
) -> None:
    outcome = kadmin(*arguments)

    assert (2, "") == (outcome.exit_code, outcome.stdout)
    said, hinted = outcome.stderr.splitlines()
    assert said.startswith(f"kadmin: {message}")
    assert f"hint: {hint}" == hinted


@pytest.mark.parametrize(
    ("arguments", "option", "instead"),
    [
        (
            ("produce", "--broker-list", "b:9092", "--topic", "t"),
            "--broker-list",
            "--bootstrap-server HOST:PORT",
        ),
        (
            ("dump-log", "--command-config=client.properties", "--files", "x"),
            "--command-config",
            "this command asks no broker: leave it out",
        ),
        (("produce", "--topic", "t", "--batch-size", "9"), "--batch-size", "-X batch.size=BYTES"),
    ],
)
def test_option_of_kafka_s_tools_is_told_with_what_stands_for_it(
    arguments: tuple[str, ...], option: str, instead: str
) -> None:
    outcome = kadmin(*arguments)

    assert (2, "") == (outcome.exit_code, outcome.stdout)
    assert f"kadmin: no such option '{option}'\nhint: {instead}\n" == outcome.stderr


@pytest.mark.parametrize("arguments", [(), ("config",)])
def test_no_command_at_all_shows_the_help_as_wrong_usage(arguments: tuple[str, ...]) -> None:
    outcome = kadmin(*arguments)

    assert (2, "") == (outcome.exit_code, outcome.stdout)
    assert outcome.stderr.startswith("Usage: kadmin")


def test_help_of_kadmin_lists_commands_and_security_options() -> None:
    text = done("--help")

    assert "--zookeeper-tls-ca" in text
    assert "See and change topics." in text
    assert "--zookeeper-password " not in text


def test_help_of_a_command_lists_global_options_and_points_to_the_others() -> None:
    text = done("config", "list", "-h")

    assert "--timeout" in text
    assert "--zookeeper-tls-ca" not in text
    assert "ZooKeeper security options: see 'kadmin --help'." in text


def test_help_is_asked_for_in_both_ways_whoever_looked_at_the_command_first() -> None:
    command = Command("looked-at")

    command.get_params(click.Context(command))

    (option,) = command.help_options(click.Context(command))
    assert ["--help", "-h"] == option.opts


def test_only_commands_that_speak_to_brokers_take_their_settings() -> None:
    using, other = done("consume", "--help"), done("zookeeper", "--help")

    assert "--bootstrap-server" in using
    assert "--broker-tls-ca" not in using
    assert "ZooKeeper and broker security options: see 'kadmin --help'." in using
    assert "--bootstrap-server" not in other
    assert "--broker-tls-ca" in done("--help")


IMPORTED = """
import sys
from kadmin.cli.main import run
code = run(sys.argv[1:])
print(*sorted({name.split(".")[0] for name in sys.modules} | set(sys.modules)), file=sys.stderr)
sys.exit(code)
"""


def modules_of(*arguments: str) -> set[str]:
    run = subprocess.run(
        [sys.executable, "-c", IMPORTED, *arguments], capture_output=True, text=True, check=True
    )
    return set(run.stderr.split())


HEAVY = {"kazoo", "rich", "yaml", "tomlkit", "pyspark", "asyncio", "ssl", "socket", "logging"}


def test_help_imports_neither_a_client_nor_a_command() -> None:
    modules = modules_of("--help")

    assert not modules & {*HEAVY, "tomllib", "json", "pathlib", "kadmin.settings.resolve"}
    ours = {name for name in modules if name.startswith("kadmin.")}
    expected = {"called_name", "cli", "cli.frame", "cli.main", "cli.options", "errors"}
    expected |= {"settings", "settings.keys", "version"}
    assert {f"kadmin.{name}" for name in expected} == ours


@pytest.mark.slow
def test_command_imports_only_what_it_uses() -> None:
    modules = modules_of("config", "list", "--quiet")

    assert not modules & HEAVY
    assert "kadmin.cli.topics.command" not in modules


def test_help_lists_options_only_and_security_where_it_is_set() -> None:
    adding, using = done("config", "add", "--help"), done("config", "use", "--help")

    assert "--zookeeper-tls-ca" in adding
    assert "--zookeeper-tls-ca" not in using
    assert adding.index("Options:") < adding.index("Global options:")
    assert "\n  NAME" not in using


@command("list")
def list_reports(session: object) -> None:
    click.echo("list of reports")


@command_with_subcommands("reports", {"list": (__name__, "list_reports", "List them.")})
@option("--name", metavar="NAME", help="Of the report.")
@option("--all", "all_", is_flag=True, help="Every one.")
def reports(session: object, name: str | None, all_: bool) -> None:
    click.echo(f"report {name}")


@pytest.mark.parametrize(
    ("words", "printed", "code"),
    [
        ([], "report None", 0),
        (["--name", "list"], "report list", 0),
        (["list"], "list of reports", 0),
        (["--timeout", "7", "list"], "list of reports", 0),
        (["--name", "n", "list"], "--name does not go with 'reports list'", 2),
        (["--name", "n", "--all", "list"], "--name, --all do not go with 'reports list'", 2),
        (["lists"], "there is no command 'reports lists'; did you mean 'list'?", 2),
        (["list", "--name", "n"], "No such option '--name'", 2),
        (["--help"], "Usage: reports [OPTIONS] [COMMAND [ARGS]...]", 0),
    ],
)
def test_command_has_options_of_its_own_or_a_subcommand(
    words: list[str], printed: str, code: int
) -> None:
    result = CliRunner().invoke(reports, words)

    assert printed in result.output
    assert code == result.exit_code


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("--props a=1 b=2 --topic t", "--props a=1 --props b=2 --topic t"),
        ("--props a=1", "--props a=1"),
        ("--props a=1 b=2 c=3", "--props a=1 --props b=2 --props c=3"),
        ("--props a=1 word b=2", "--props a=1 word b=2"),
        ("--props --other a=1 b=2", "--props --other a=1 b=2"),
        ("a=1 --props b=2 -x c=3", "a=1 --props b=2 -x c=3"),
    ],
)
def test_an_option_may_take_all_words_with_a_sign_that_follow(words: str, meant: str) -> None:
    assert list(repeated_options(words.split(), ("--props",))) == meant.split()
