"""What do the texts of templates stand for?"""

import pytest

from kadmin.statechange.language import pattern, release, variants


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain [1,2] and (x) > y", ["plain [1,2] and (x) > y"]),
        ("a[[ with {leader}]].", ["a with {leader}.", "a."]),
        ("ISR [{isr}] [[(under)]]. {n}", ["ISR [{isr}] (under). {n}", "ISR [{isr}] . {n}"]),
        ("<Set|HashSet>({peers})", ["Set({peers})", "HashSet({peers})"]),
        ("<a|b <c|d {n}>> e", ["a e", "b c e", "b d {n} e"]),
        ("[[ to <x|y>]]", [" to x", " to y", ""]),
        ("Metadata batch <multiple deferred>: x", ["Metadata batch <multiple deferred>: x"]),
    ],
)
def test_a_text_stands_for_all_its_variants(text: str, expected: list[str]) -> None:
    assert sorted(expected) == sorted(variants(text))


def test_releases_compare_by_their_numbers() -> None:
    versions = ["0.8.0", "0.9.0", "0.10.2", "1.0", "2.10", "3.9", "4.0"]

    assert versions == sorted(sorted(versions), key=release)


def test_text_around_values_is_taken_literally() -> None:
    found = pattern("a.b (was {leader})? [{isr}]", any_case=False)

    assert found.fullmatch("a.b (was 3)? [1, 2]") is not None
    assert found.fullmatch("axb (was 3)? [1, 2]") is None


@pytest.mark.parametrize("text", ["handling 1", "Handling 1"])
def test_the_first_letter_may_be_a_capital(text: str) -> None:
    assert pattern("handling {n}", any_case=True).fullmatch(text) is not None
    assert pattern("Handling {n}", any_case=True).fullmatch(text) is not None


@pytest.mark.parametrize("text", ["x 12345678901234567890", "x -", "x +1", "x ١"])
def test_an_integer_has_ascii_digits_and_fits_into_eight_bytes(text: str) -> None:
    assert pattern("x {n}", any_case=False).fullmatch(text) is None


def test_a_longer_state_is_not_taken_for_a_shorter_one() -> None:
    found = pattern("to {to}", any_case=False).match("to NewReplica")

    assert found is not None
    assert found["to"] == "NewReplica"
