"""Taking `--add-config`, `--add-config-file` and `--delete-config` apart."""

import pytest

from kadmin.arguments.configs import (
    NotAnAssignment,
    parse_assignments,
    parse_names,
    parse_properties,
)
from kadmin.errors import UsageError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=1", {"a": "1"}),
        ("a=1,b=2", {"a": "1", "b": "2"}),
        (" a = 1 , b = 2 ", {"a": "1", "b": "2"}),
        ("a=", {"a": ""}),
        ("a=,b=1", {"a": "", "b": "1"}),
        ("a=[x,y],b=1", {"a": "x,y", "b": "1"}),
        ("a=[x,y] , b=[z]", {"a": "x,y", "b": "z"}),
        ("a=[]", {"a": ""}),
        ("a=x=y", {"a": "x=y"}),
        ("S=[iterations=8192,password=p=w]", {"S": "iterations=8192,password=p=w"}),
        ("S=[password=a]b],c=1", {"S": "password=a]b", "c": "1"}),
        ("listeners=PLAINTEXT://[::1]:9092", {"listeners": "PLAINTEXT://[::1]:9092"}),
        ("a=1,a=2", {"a": "2"}),
        ("a=1,", {"a": "1"}),
        ("", {}),
    ],
)
def test_assignments_are_split_at_commas_outside_of_brackets(
    text: str, expected: dict[str, str]
) -> None:
    assert parse_assignments(text) == expected


@pytest.mark.parametrize(
    "text", ["a", "a,b=1", "=1", "a=1,b", "a=1,,b=2", "a=[x,y", "a=[x]y,b=1", "a=1,secret"]
)
def test_what_is_no_assignment_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(NotAnAssignment) as caught:
        parse_assignments(text)

    assert "secret" not in str(caught.value)


def test_keys_to_delete_are_split_at_commas() -> None:
    assert parse_names(["a, b", "c", "a"]) == ("a", "b", "c")
    assert parse_names([]) == ()


@pytest.mark.parametrize("texts", [[""], ["a,,b"], ["a,"]])
def test_an_empty_key_to_delete_is_refused(texts: list[str]) -> None:
    with pytest.raises(UsageError):
        parse_names(texts)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=1\nb : 2\nc 3\nd\n", {"a": "1", "b": "2", "c": "3", "d": ""}),
        ("# comment\n! comment\n\n  a = 1  \n", {"a": "1  "}),
        ("a=x,\\\n    y", {"a": "x,y"}),
        ("a=1\\\\\nb=2", {"a": "1\\", "b": "2"}),
        ("a=[x,y]", {"a": "x,y"}),
        ("a\\ b=1", {"a b": "1"}),
        ("a\\==1", {"a=": "1"}),
        ("a=\\u00e4\\t\\q", {"a": "ä\tq"}),
        ("a=x=y:z", {"a": "x=y:z"}),
        ("a==1", {"a": "=1"}),
        ("a=# no comment", {"a": "# no comment"}),
        ("a=1\na=2", {"a": "2"}),
        ("a=1\\", {"a": "1"}),
        ("", {}),
    ],
)
def test_a_properties_file_is_read_as_java_does(text: str, expected: dict[str, str]) -> None:
    assert parse_properties(text) == expected
