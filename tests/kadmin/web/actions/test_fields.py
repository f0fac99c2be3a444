"""Fields of forms, and what is said of them."""

import pytest

from kadmin.errors import KadminError
from kadmin.web.actions.fields import Field, in_words_of_form

FIELDS = (Field(name="brokers", label="Brokers"), Field(name="max_moves", label="Moves at once"))


@pytest.mark.parametrize(
    ("message", "hint", "expected"),
    [
        (
            "drain needs --brokers",
            "give --max-moves",
            ("drain needs Brokers", "give Moves at once"),
        ),
        ("it is there", "see it with 'kadmin topics --list'", ...),
        (
            "it is there",
            "see 'kadmin topics --list', or add --if-not-exists",
            ("it is there", None),
        ),
        ("it is needed", "'kadmin topics --help' has more", ("it is needed", None)),
        ("it is needed", None, ...),
    ],
)
def test_an_error_names_fields_as_the_form_does(
    message: str, hint: str | None, expected: object
) -> None:
    said = in_words_of_form(FIELDS, KadminError(message, hint=hint))

    assert said == ((message, hint) if expected is ... else expected)
