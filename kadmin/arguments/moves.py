"""The arguments of goals of a plan of moves, as an operator types them."""

from cluster.model.ids import BrokerId
from kadmin.arguments.numbers import broker_number
from kadmin.errors import UsageError
from kadmin.repetition import repeated
from kadmin.wording import listed


class BadReplacements(UsageError):
    """A `--replace` that cannot be meant."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"--replace {problem}", hint="write it like --replace 4=9,5=10")


def parse_replacements(text: str) -> dict[BrokerId, BrokerId]:
    """Return the new broker for each old one of `4=9,5=10`.

    Raises:
        BadReplacements: something that is no such pair, or a broker in two of them.
    """
    pairs = []
    wrong = []
    for part in text.split(","):
        old, _, new = part.partition("=")
        try:
            pairs.append((BrokerId(broker_number(old)), BrokerId(broker_number(new))))
        except ValueError:
            wrong.append(f"'{part}'")
    if wrong:
        raise BadReplacements(f"contains what is no pair of brokers: {listed(wrong)}")
    twice = repeated(broker for pair in pairs for broker in pair)
    if twice:
        raise BadReplacements(f"names more than once: {listed(twice)}")
    return dict(pairs)
