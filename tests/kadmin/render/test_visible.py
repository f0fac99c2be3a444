"""Text that others wrote does nothing to a terminal, in no form of a result and in no note."""

import io
import json
from dataclasses import replace

import pytest
from rich.text import Text

from cluster.model.ids import BrokerId
from kadmin.errors import KadminError
from kadmin.plan.health import judge_loads
from kadmin.render.brokers import describe_document as describe_brokers
from kadmin.render.output import Document, Output
from kadmin.render.tables import FittedTable, Screen
from kadmin.render.topics.describe import describe_document
from kadmin.render.visible import visible, visible_json, visible_lines
from kadmin.reports.topics import report_on
from kadmin.settings.keys import OutputFormat
from tests.kadmin.builders import brokers, cluster, topic
from tests.kadmin.render.terminal import FakeTerminal

EVIL = "a\x1b[2J\x07b\r\x9b31m\u202ec"
SHOWN = r"a\x1b[2J\x07b\r\x9b31m\u202ec"


def document() -> Document:
    table = FittedTable("name", "state")
    table.add_row(EVIL, Text("\x1b[2J", "red"))
    return Document(
        schema="kadmin.test/1",
        body=lambda: {"name": EVIL},
        columns=("name",),
        rows=lambda: [(EVIL,)],
        lines=lambda: [f"Name: {EVIL}\tState: x"],
        pretty=lambda: Screen([Text(EVIL), table]),
    )


def shown(made: Document, form: OutputFormat, stream: io.StringIO, *, plain: bool = False) -> str:
    Output(form=form, stdout=stream, color=False).show(made, plain=plain)
    return stream.getvalue()


def test_control_characters_become_escapes() -> None:
    assert SHOWN == visible(EVIL)
    assert r"one\ntwo\tthree" == visible("one\ntwo\tthree")
    assert f"{SHOWN}\n\tx" == visible_lines(f"{EVIL}\n\tx")


@pytest.mark.parametrize("text", ["", "plain", "bräcket, [a]", r"\x1b", "日本", "a😀"])
def test_what_is_harmless_stays_as_it_is(text: str) -> None:
    assert text == visible(text) == visible_lines(text) == visible_json(text)


@pytest.mark.parametrize("form", OutputFormat)
def test_no_form_reaches_a_terminal_as_it_is(form: OutputFormat) -> None:
    text = shown(document(), form, FakeTerminal())

    assert not {"\x1b", "\x07", "\r", "\x9b", "\u202e"} & set(text)


def test_lines_keep_their_tabs_and_show_the_rest_in_a_pipe_too() -> None:
    expected = f"Name: {SHOWN}\tState: x\n"

    assert expected == shown(document(), OutputFormat.TEXT, io.StringIO())
    assert expected == shown(document(), OutputFormat.TEXT, FakeTerminal(), plain=True)


@pytest.mark.parametrize("stream", [io.StringIO, FakeTerminal])
def test_json_is_still_that_name(stream: type[io.StringIO]) -> None:
    assert EVIL == json.loads(shown(document(), OutputFormat.JSON, stream()))["name"]


def test_csv_in_a_pipe_is_the_name_itself() -> None:
    assert EVIL in shown(document(), OutputFormat.CSV, io.StringIO())


def test_a_table_shows_the_whole_escape_and_stays_straight() -> None:
    _, head, _, row = shown(document(), OutputFormat.TEXT, FakeTerminal()).splitlines()

    assert [SHOWN, r"\x1b[2J"] == row.split()
    assert row.rindex(r"\x1b[2J") == head.index("state")


def test_notes_warnings_and_errors_are_one_line_each() -> None:
    output = Output(stderr=(stderr := io.StringIO()))

    output.note(f"note {EVIL}")
    output.warn(f"{EVIL}\nkadmin: all is well")

    assert f"note {SHOWN}\nwarning: {SHOWN}" + r"\nkadmin: all is well" + "\n" == stderr.getvalue()


def test_racks_hosts_and_configs_of_brokers_are_shown_in_lines_and_tables() -> None:
    odd = brokers("0")
    endpoint = replace(odd[BrokerId(0)].endpoints[0], host="h\tost\x1b[A")
    rack = "r\x1b]0;pwned\x07\nack"
    odd[BrokerId(0)] = replace(odd[BrokerId(0)], endpoints=(endpoint,), rack=rack)
    snapshot = cluster(odd, topic("t", "0", configs={"k": "v\n\x1b[1m"}))
    made = (
        describe_brokers(snapshot, judge_loads(snapshot)),
        describe_document(report_on(snapshot, ["t"])),
    )

    plain = "".join(shown(each, OutputFormat.TEXT, io.StringIO()) for each in made)
    tables = "".join(shown(each, OutputFormat.TEXT, FakeTerminal()) for each in made)

    assert r"Rack: r\x1b]0;pwned\x07\nack" + "\t" in plain
    assert r"h\tost\x1b[A" in plain
    assert r"Configs: k=v\n\x1b[1m" + "\n" in plain
    assert "\x1b" not in tables
    assert r"r\x1b]0;pwned\x07\nack" in tables
    assert r"configs k=v\n\x1b[1m" in tables


def test_an_error_is_one_line_whoever_wrote_its_text(monkeypatch, capsys) -> None:
    from kadmin.cli import main

    def fail(_arguments: object) -> None:
        raise KadminError(
            "broker 1 said: no\n\tat x\x1b[2J", hint="look\x07", details=["  last\x1b", "  words"]
        )

    monkeypatch.setattr(main.kadmin, "invoke", fail)

    assert 1 == main.run(["topics", "--list"])
    assert [
        r"kadmin: broker 1 said: no\n\tat x\x1b[2J",
        r"  last\x1b",
        "  words",
        r"hint: look\x07",
    ] == capsys.readouterr().err.splitlines()
