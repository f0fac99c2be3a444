"""Error codes: the same numbers, names and retriability as another implementation has."""

from kio.schema.errors import ErrorCode as Theirs

from cluster.model.error_codes import ErrorCode, error_name


def test_codes_names_and_retriability_are_those_of_the_other_implementation() -> None:
    ours = {code.value: (code.name, code.is_retriable) for code in ErrorCode}
    theirs = {int(code.value): (code.name.upper(), code.retriable) for code in Theirs}

    assert sorted(ours) == list(range(-1, 128))
    assert {value: theirs[value] for value in ours} == ours


def test_a_code_is_shown_by_name_and_one_of_a_later_release_by_number() -> None:
    assert error_name(6) == "NOT_LEADER_OR_FOLLOWER"
    assert error_name(0) == "NONE"
    assert error_name(9999) == "error 9999"
