"""Fields of a saved cluster's JSON: checked one by one, and an error names the place."""

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Final, NoReturn, TypeVar

from cluster.model.ids import BrokerId
from cluster.model.topic import kept_once

EnumT = TypeVar("EnumT", bound=Enum)

INT32_MAX: Final = 2**31 - 1
INT64_MAX: Final = 2**63 - 1
SHOWN_MAX: Final = 60


class WrongField(ValueError):
    """A field that is missing, or is not what it should be."""


class Fields:
    """The fields of an object at *place*, such as `brokers[3]`; empty for the file itself."""

    def __init__(self, value: object, place: str) -> None:
        self.place = place
        if not isinstance(value, dict):
            self.refuse(None, value, "an object")
        self.values: dict[str, object] = value

    def refuse(self, key: str | None, value: object, expected: str) -> NoReturn:
        place = ".".join(part for part in (self.place, key) if part)
        if key is not None and key not in self.values:
            raise WrongField(f"it has no '{place}', {expected}")
        shown = repr(value)
        more = "…" if len(shown) > SHOWN_MAX else ""
        raise WrongField(f"'{place}' is not {expected}: {shown[:SHOWN_MAX]}{more}")

    def integer(self, key: str, low: int = -2, high: int = INT64_MAX) -> int:
        value = self.values.get(key)
        if type(value) is not int or not low <= value <= high:
            self.refuse(key, value, f"a whole number from {low}")
        return value

    def optional_integer(self, key: str, low: int = -2) -> int | None:
        return None if self.values.get(key) is None else self.integer(key, low)

    def broker(self, key: str, low: int = 0) -> BrokerId:
        return BrokerId(self.integer(key, low, INT32_MAX))

    def brokers(self, key: str, *, is_optional: bool = False) -> tuple[BrokerId, ...]:
        value = self.values.get(key)
        if value is None and is_optional:
            return ()
        if type(value) is not list:
            self.refuse(key, value, "a list of broker ids")
        for broker in value:
            if type(broker) is not int or not 0 <= broker <= INT32_MAX:
                self.refuse(key, value, "a list of broker ids")
        return kept_once(tuple(value))

    def text(self, key: str) -> str:
        value = self.values.get(key)
        if type(value) is not str:
            self.refuse(key, value, "text")
        return value

    def optional_text(self, key: str) -> str | None:
        return None if self.values.get(key) is None else self.text(key)

    def boolean(self, key: str) -> bool:
        """Return the flag *key*, False where it is left out."""
        value = self.values.get(key, False)
        if type(value) is not bool:
            self.refuse(key, value, "true or false")
        return value

    def member(self, key: str, members: type[EnumT]) -> EnumT:
        """Return the member of *members* with the value of *key*."""
        value = self.text(key)
        found = next((each for each in members if each.value == value), None)
        if found is None:
            self.refuse(key, value, "one of " + ", ".join(str(each.value) for each in members))
        return found

    def texts(self, key: str) -> dict[str, str]:
        """Return the object *key*, whose values are all text."""
        value = self.values.get(key)
        if type(value) is not dict or not all(type(each) is str for each in value.values()):
            self.refuse(key, value, "an object whose values are text")
        return value

    def listed(self, key: str) -> list[object]:
        value = self.values.get(key)
        if type(value) is not list:
            self.refuse(key, value, "a list")
        return value

    def below(self, key: str) -> "Fields | None":
        """Return the fields of the object *key*; None where it is null or left out."""
        value = self.values.get(key)
        return None if value is None else Fields(value, ".".join(filter(None, (self.place, key))))

    def each(self, key: str) -> Iterator["Fields"]:
        """Return the fields of each object in the list *key*."""
        prefix = f"{self.place}.{key}" if self.place else key
        for number, value in enumerate(self.listed(key)):
            yield Fields(value, f"{prefix}[{number}]")

    def row(self, key: str, types: tuple[Callable[[object], bool], ...]) -> Iterator[list[object]]:
        """Return each list in the list *key*, whose first values are of *types*."""
        for number, row in enumerate(self.listed(key)):
            if (
                type(row) is not list
                or len(row) < len(types)
                or not all(fits(value) for fits, value in zip(types, row, strict=False))
            ):
                self.refuse(f"{key}[{number}]", row, f"a list of {len(types)} values")
            yield row


def is_text(value: object) -> bool:
    return type(value) is str


def is_number(value: object) -> bool:
    return type(value) is int and -INT64_MAX <= value <= INT64_MAX
