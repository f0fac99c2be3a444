"""The file of partitions that are to get a leader: is it understood, or all wrong named?"""

import pytest

from kadmin.arguments.documents import BadFile
from kadmin.arguments.election_file import parse_partitions


def test_a_file_is_read_in_order() -> None:
    text = """{"version":1,"partitions":[{"topic":"t","partition":10},{"topic":"t","partition":9},
        {"topic":"a","partition":11}]}"""

    assert list(map(str, parse_partitions(text, "e.json"))) == ["a-11", "t-9", "t-10"]
    assert parse_partitions('{"partitions":[]}', "e.json") == ()


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("", ["it is empty"]),
        ("{}", ['replica election data is missing "partitions" field']),
        ('{"partitions":1}', ['replica election data is missing "partitions" field']),
        (
            '{"partitions":[{"topic":"t","partition":0},{"topic":"t","partition":0},7,'
            '{"topic":"t"},{"topic":"a b","partition":0},{"topic":"t","partition":-1}]}',
            [
                "partitions[2] has no 'topic' and 'partition' of one",
                "partitions[3] has no 'topic' and 'partition' of one",
                "partitions[4] has no 'topic' and 'partition' of one",
                "partitions[5] has no 'topic' and 'partition' of one",
                "replica election data contains duplicate partitions: t-0",
            ],
        ),
    ],
)
def test_all_that_is_wrong_in_a_file_is_named(text: str, problems: list[str]) -> None:
    with pytest.raises(BadFile) as raised:
        parse_partitions(text, "e.json")

    assert list(raised.value.problems) == problems
