"""That nothing is lost is what every run of the suite shows; here, which reports are sent."""

from typing import Literal

import pytest

from tests.support.brief_reports import only_what_is_told


@pytest.mark.parametrize(
    ("when", "outcome", "sections", "is_sent"),
    [
        ("setup", "passed", [], False),
        ("call", "passed", [], True),
        ("teardown", "passed", [], False),
        ("setup", "skipped", [], True),
        ("setup", "failed", [], True),
        ("teardown", "failed", [], True),
        ("setup", "passed", [("Captured stdout setup", "printed")], True),
    ],
)
def test_of_a_test_that_passes_only_the_call_is_reported(
    when: Literal["setup", "call", "teardown"],
    outcome: Literal["passed", "failed", "skipped"],
    sections: list[tuple[str, str]],
    is_sent: bool,
) -> None:
    sent: list[pytest.TestReport] = []
    report = pytest.TestReport(
        "tests/test_it.py::test_it",
        ("tests/test_it.py", 1, "test_it"),
        {},
        outcome,
        None,
        when,
        sections,
    )

    only_what_is_told(sent.append)(report)

    assert ([report] if is_sent else []) == sent
