"""Does one document come out right in every form, and everything else on the other stream?"""

import csv
import io
import json
import os
from typing import Any

import pytest
import yaml
from rich.text import Text

from kadmin.render.output import LINES_PER_WRITE, Document, Output
from kadmin.settings.keys import OutputFormat
from tests.kadmin.render.terminal import FakeTerminal


class CountingStream(io.StringIO):
    """Counts the writes, each of which may be a system call."""

    writes = 0

    def write(self, text: str) -> int:
        self.writes += 1
        return super().write(text)


def refuse() -> Any:
    raise AssertionError("made a form that nobody asked for")


DOCUMENT = Document(
    schema="kadmin.test/1",
    body=lambda: {"name": "bräcket, [a]", "ids": (1, 2), "rack": None, "live": True},
    columns=("name", "live", "rack"),
    rows=lambda: [("bräcket, [a]", True, None)],
    lines=lambda: ["bräcket, [a]"],
    pretty=lambda: Text("pretty", style="bold red"),
)
BODY = {
    "schema": "kadmin.test/1",
    "name": "bräcket, [a]",
    "ids": [1, 2],
    "rack": None,
    "live": True,
}


def shown(form: OutputFormat, *, stdout: io.StringIO | None = None, color: bool = True) -> str:
    stdout = stdout or io.StringIO()
    Output(form=form, stdout=stdout, color=color).show(DOCUMENT)
    return stdout.getvalue()


def test_json_begins_with_the_schema_and_is_one_line_in_a_pipe() -> None:
    text = shown(OutputFormat.JSON)

    assert BODY == json.loads(text)
    assert text.startswith('{"schema": "kadmin.test/1", ')
    assert 1 == text.count("\n")


def test_json_is_indented_and_never_coloured_on_a_terminal() -> None:
    text = shown(OutputFormat.JSON, stdout=FakeTerminal())

    assert BODY == json.loads(text)
    assert text.startswith('{\n  "schema"')
    assert "\x1b" not in text


def test_yaml_says_the_same_as_json_in_the_same_order() -> None:
    text = shown(OutputFormat.YAML)

    assert list(BODY.items()) == list(yaml.safe_load(text).items())
    assert "bräcket" in text


def test_csv_has_a_header_quotes_where_needed_and_no_pythonisms() -> None:
    header, row = csv.reader(io.StringIO(shown(OutputFormat.CSV)))

    assert ["name", "live", "rack"] == header
    assert ["bräcket, [a]", "true", ""] == row


def test_text_is_lines_in_a_pipe_and_pretty_on_a_terminal() -> None:
    assert "bräcket, [a]\n" == shown(OutputFormat.TEXT)
    assert "pretty\n" == shown(OutputFormat.TEXT, stdout=FakeTerminal(), color=False)


def test_plain_keeps_to_the_lines_on_a_terminal() -> None:
    stdout = FakeTerminal()

    Output(stdout=stdout).show(DOCUMENT, plain=True)

    assert "bräcket, [a]\n" == stdout.getvalue()


@pytest.mark.parametrize("form", list(OutputFormat))
def test_only_the_form_that_is_asked_for_is_made(form: OutputFormat) -> None:
    document = Document(
        schema="kadmin.test/1",
        body=(lambda: BODY) if form in (OutputFormat.JSON, OutputFormat.YAML) else refuse,
        columns=("name",),
        rows=(lambda: [("x",)]) if form is OutputFormat.CSV else refuse,
        lines=(lambda: ["x"]) if form is OutputFormat.TEXT else refuse,
        pretty=refuse,
    )
    stdout = io.StringIO()

    Output(form=form, stdout=stdout).show(document)

    assert stdout.getvalue()


def test_many_lines_are_few_writes_and_none_is_lost() -> None:
    count = 2 * LINES_PER_WRITE + 1
    stdout = CountingStream()
    lines = [str(number) for number in range(count)]

    Output(stdout=stdout).show(
        Document(
            schema="kadmin.test/1",
            body=dict,
            columns=(),
            rows=list,
            lines=lambda: lines,
        )
    )

    assert lines == stdout.getvalue().splitlines()
    assert 3 == stdout.writes


def test_reader_that_has_left_is_noticed_without_writing() -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as stream:
        output = Output(stdout=stream)
        output.check_reader()

        os.close(reading)

        with pytest.raises(BrokenPipeError):
            output.check_reader()


def test_stream_that_is_no_file_has_no_reader_to_lose() -> None:
    Output(stdout=io.StringIO()).check_reader()
