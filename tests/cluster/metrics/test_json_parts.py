"""JSON in parts is the same text as in one."""

import json
from typing import Any

import pytest

from cluster.metrics.json_parts import json_parts


@pytest.mark.parametrize(
    "value",
    [
        None,
        7,
        'a"b',
        [],
        {},
        [[], {}, [1, 2.5, None]],
        {"request": {"mbean": "a:*"}, "value": {"a:b=c": {"Value": 1}}, "status": 200},
        [{"value": {"a": {"b": {"c": {"d": [1, {"e": "ü"}]}}}}}, {"value": ["x", "y"]}],
        {"value": {f"bean {number}": {"Value": float(number)} for number in range(50)}},
        {"NaN": float("nan")},
    ],
)
def test_parts_make_the_text_of_the_whole(value: Any) -> None:
    assert json.dumps(value) == b"".join(json_parts(value, 3)).decode()


def test_no_part_of_a_long_answer_is_long() -> None:
    beans = {f"kafka.log:name=Size,topic=t{number}": {"Value": number} for number in range(10_000)}

    parts = list(json_parts([{"value": beans, "status": 200}]))

    assert 100 <= len(parts)
    assert max(map(len, parts)) < 20_000
