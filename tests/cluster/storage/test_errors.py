"""Each refusal has one of Kafka's error codes, and no two have the same."""

from collections import Counter

from cluster.model.error_codes import ErrorCode
from cluster.storage.errors import LogError


def log_errors(root: type[LogError] = LogError) -> set[type[LogError]]:
    return set(root.__subclasses__()).union(*(log_errors(one) for one in root.__subclasses__()))


def test_every_refusal_of_a_log_has_a_code_of_its_own():
    # One that inherits a code says more of the same.
    codes = Counter(one.error_code for one in log_errors() if "error_code" in vars(one))

    assert len(codes) >= 11
    assert set(codes.values()) == {1}
    assert all(isinstance(code, ErrorCode) for code in codes)
    assert ErrorCode.CORRUPT_MESSAGE not in codes
