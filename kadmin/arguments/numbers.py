"""Lists of numbers: which partitions and brokers do options name?"""

from cluster.model.ids import BrokerId
from kadmin.errors import UsageError
from kadmin.repetition import repeated
from kadmin.wording import listed


class BadNumbers(UsageError):
    """A list of numbers that cannot be meant."""

    def __init__(self, option: str, problem: str) -> None:
        super().__init__(f"{option} {problem}", hint=f"write it like {option} 1,2,3")


def parse_numbers(text: str, option: str) -> tuple[int, ...]:
    """Return the numbers of `3,1,2`, in their order, as *option* has them.

    Raises:
        BadNumbers: something that is no number, or one twice.
    """
    numbers = []
    wrong = []
    for part in text.split(","):
        try:
            numbers.append(broker_number(part))
        except ValueError:
            wrong.append(f"'{part}'")
    if wrong:
        raise BadNumbers(option, f"contains what is no number: {listed(wrong)}")
    twice = repeated(numbers)
    if twice:
        raise BadNumbers(option, f"contains duplicate entries: {listed(twice)}")
    return tuple(numbers)


class BadBrokerList(UsageError):
    """A `--broker-list` that cannot be meant."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"broker list {problem}", hint="write it like --broker-list 1,2,3")


def parse_broker_list(text: str) -> tuple[BrokerId, ...]:
    """Return the brokers of `1,2,3`, in order of id.

    Raises:
        BadBrokerList: something that is no id, or one twice.
    """
    brokers = []
    wrong = []
    for part in text.split(","):
        try:
            brokers.append(BrokerId(broker_number(part)))
        except ValueError:
            wrong.append(f"'{part}'")
    if wrong:
        raise BadBrokerList(f"contains what is no broker id: {listed(wrong)}")
    twice = repeated(brokers)
    if twice:
        raise BadBrokerList(f"contains duplicate entries: {listed(twice)}")
    return tuple(sorted(brokers))


def broker_number(text: str) -> int:
    text = text.strip()
    if not (text.isascii() and text.isdigit()) or int(text) > 2**31 - 1:
        raise ValueError(f"'{text}'")
    return int(text)
