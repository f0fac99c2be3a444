"""Where a user's files may be."""

import pytest

from kadmin.settings.xdg import user_directory


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({"XDG_DATA_HOME": "/data"}, "/data/kadmin"),
        ({"XDG_DATA_HOME": "data"}, "/fallback/kadmin"),
        ({"XDG_DATA_HOME": ""}, "/fallback/kadmin"),
        ({}, "/fallback/kadmin"),
    ],
)
def test_only_an_absolute_path_counts(env: dict[str, str], expected: str) -> None:
    assert expected == user_directory("XDG_DATA_HOME", "/fallback", env)
