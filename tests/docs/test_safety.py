"""Every fence of the page about safety has tests, and every test that it names is there."""

import re

from tests.support.checkout import CHECKOUT

PAGE = CHECKOUT / "docs" / "safety.md"
HEADINGS = ("|---", "| fence |", "| write |", "| what |")
FILE = re.compile(r"`(tests/[a-z_/]+\.py)`: (`test_\w+`(?:, `test_\w+`)*)")


def test_every_test_that_the_page_names_is_there() -> None:
    named = [
        (path, test)
        for path, tests in FILE.findall(PAGE.read_text(encoding="utf-8"))
        for test in re.findall(r"test_\w+", tests)
    ]

    assert len(named) > 30
    for path, test in named:
        text = (CHECKOUT / path).read_text(encoding="utf-8")
        assert re.search(rf"^ *def {test}\(", text, re.MULTILINE), f"{path} has no {test}"


def test_no_fence_goes_without_a_test() -> None:
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("|") and not line.startswith(HEADINGS):
            tests = line.split("|")[-2]
            assert "`: `test_" in tests or tests.strip() == "as above", line
