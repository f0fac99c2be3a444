"""Paths of brokers, as options name them: `BROKER=PATH`."""

from typing import Final, NamedTuple

from kadmin.errors import UsageError

INT32_MAX: Final = 2**31 - 1


class BrokerPath(NamedTuple):
    """A broker's id, without zeros before it, and a path or a URI."""

    broker: str
    path: str


def broker_path(text: str, hint: str) -> BrokerPath:
    """Parse *text* as a broker and a path.

    Raises:
        UsageError: it is no broker's id and a path; *hint* is how to list those.
    """
    broker, _, path = text.partition("=")
    if not (broker.isascii() and broker.isdigit() and path):
        raise UsageError(f"'{text}' is no broker's id with a path", hint=hint)
    digits = broker.lstrip("0") or "0"
    # Python refuses to convert some thousand digits: their number comes first.
    if len(digits) > len(str(INT32_MAX)) or int(digits) > INT32_MAX:
        raise UsageError(
            f"the number before ={path} is no broker's id: the largest is {INT32_MAX}", hint=hint
        )
    return BrokerPath(digits, path)
