"""Does every column reach from the templates to the typed rows, in both parsers?

Of every template, in every release that has it, each form is written once with values that differ
from one another; the plain parser and the columns must both find what went into it.
"""

import pytest

from kadmin.statechange.columns import (
    COLUMNS,
    PLACEHOLDERS,
    SAID_COLUMNS,
    SHAPES_WITHOUT_COLUMN,
    Shape,
)
from kadmin.statechange.examples import every_example, releases_of
from kadmin.statechange.language import HOLE, Template
from kadmin.statechange.parse import parse_line
from kadmin.statechange.payloads import PAYLOADS
from kadmin.statechange.templates import LOG_PREFIXES, TEMPLATES
from kadmin.statechange.typed import SCHEMA
from tests.kadmin.statechange.rows import row_of, rows_of

# Said by a line's head, or by its template.
OF_NO_PLACEHOLDER = {"time", "level", "role", "kind", "message"}
NO_ONE_ASKS_FOR = {"n", "numbers", "word", "text"}


def template_id(template: Template) -> str:
    return f"{template.kind}-{template.text[:40]}"


@pytest.mark.slow
@pytest.mark.parametrize("template", TEMPLATES, ids=template_id)
def test_every_form_of_a_template_says_its_values_to_both_parsers(template: Template) -> None:
    # Most releases write the same.
    examples = {
        example.text: example
        for version in releases_of(template)
        for example in every_example(template, version)
    }
    rows = rows_of([text.encode() for text in examples])

    for number, (example, row) in enumerate(zip(examples.values(), rows, strict=True), start=1):
        assert example == parse_line(example.text)
        assert row_of(number, example) == row
    said = {name for row in rows for name, value in row.items() if value not in (None, [])}
    assert columns_named_in(template) <= said


def columns_named_in(template: Template) -> set[str]:
    """The columns that the text of *template* itself has placeholders for."""
    return {column for name in HOLE.findall(template.text) for column in PLACEHOLDERS[name].columns}


def test_every_column_is_said_by_placeholders_or_by_the_line_around_them() -> None:
    assert OF_NO_PLACEHOLDER == {column.name for column in SAID_COLUMNS if not column.placeholders}


def test_every_placeholder_of_a_column_stands_in_some_text() -> None:
    texts = [template.text for template in TEMPLATES] + [prefix.text for prefix in LOG_PREFIXES]
    for form in PAYLOADS:
        texts += [form.text, form.item, form.separator]

    assert set(PLACEHOLDERS) == {name for text in texts for name in HOLE.findall(text)}


def test_only_what_no_one_asks_for_is_in_no_column() -> None:
    families = {name for name, shape in SHAPES_WITHOUT_COLUMN.items() if shape is Shape.PAYLOAD}

    assert {form.family for form in PAYLOADS} == families
    assert NO_ONE_ASKS_FOR | families == {
        name for name, placeholder in PLACEHOLDERS.items() if not placeholder.columns
    }


def test_typed_rows_have_all_columns_in_the_order_of_the_table() -> None:
    assert [column.name for column in COLUMNS] == SCHEMA.names
    assert all(column.meaning for column in COLUMNS)
