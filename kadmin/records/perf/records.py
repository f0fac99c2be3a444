"""The records of a performance test: their values and keys, made before the clock starts.

Knows neither client nor clock.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate, islice
from typing import Any, Final

POOL_MAX: Final = 10_000
POOL_BYTES: Final = 16_000_000
POOL_MIN: Final = 16
LETTERS: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class KeyDistribution(StrEnum):
    """Which of the keys a record gets."""

    SEQUENTIAL = "sequential"
    UNIFORM = "uniform"
    ZIPF = "zipf"
    """The second key half as often as the first, the third a third as often, and so on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordSpec:
    """Which records are sent: random letters of *size* bytes, one of *payloads*, or with
    *is_monotonic* their own numbers; *key_count* different keys, 0 for none."""

    size: int = 100
    payloads: tuple[bytes, ...] = ()
    is_monotonic: bool = False
    key_count: int = 0
    keys: KeyDistribution = KeyDistribution.UNIFORM
    seed: int = 0

    @property
    def mean_size(self) -> int:
        """Bytes of a value, about."""
        if self.payloads:
            return max(1, sum(map(len, self.payloads)) // len(self.payloads))
        return 8 if self.is_monotonic else self.size


class Records:
    """Records by their number, as what `Producer.produce_batch` takes.

    They come from a pool that is made once and used in turn, so that making them costs nothing
    while the clock runs; only numbers are made one by one.
    """

    def __init__(self, spec: RecordSpec) -> None:
        self.spec = spec
        size = max(POOL_MIN, min(POOL_MAX, POOL_BYTES // max(1, spec.mean_size)))
        chance = random.Random(spec.seed)
        self.keys = keys_of(spec, size, chance)
        self.pool: list[dict[str, Any]] = []
        if not spec.is_monotonic:
            self.pool = [{"value": value} for value in values_of(spec, size, chance)]
            for one, key in zip(self.pool, self.keys, strict=False):
                one["key"] = key

    def take(self, first: int, count: int) -> list[dict[str, Any]]:
        """Return *count* records from number *first* on; the caller changes none of them."""
        if self.spec.is_monotonic:
            return [self.numbered(number) for number in range(first, first + count)]
        pool = self.pool
        at = first % len(pool)
        found = pool[at : at + count]
        while len(found) < count:
            found += pool[: count - len(found)]
        return found

    def numbered(self, number: int) -> dict[str, Any]:
        value = {"value": str(number).encode()}
        if self.keys:
            value["key"] = self.keys[number % len(self.keys)]
        return value


def values_of(spec: RecordSpec, count: int, chance: random.Random) -> list[bytes]:
    if spec.payloads:
        return chance.choices(spec.payloads, k=count)
    letters = bytes(chance.choices(LETTERS, k=spec.size + count))
    # Each begins elsewhere in the same letters: they differ, and take no time to be made.
    return [letters[start : start + spec.size] for start in range(count)]


def keys_of(spec: RecordSpec, count: int, chance: random.Random) -> list[bytes]:
    """Return the keys of *count* records; none where there are no keys."""
    if spec.key_count == 0:
        return []
    numbers: Sequence[int]
    if spec.keys is KeyDistribution.SEQUENTIAL:
        numbers = [number % spec.key_count for number in range(count)]
    elif spec.keys is KeyDistribution.UNIFORM:
        numbers = chance.choices(range(spec.key_count), k=count)
    else:
        weights = accumulate(1 / rank for rank in range(1, spec.key_count + 1))
        numbers = chance.choices(range(spec.key_count), cum_weights=list(weights), k=count)
    return [f"key-{number}".encode() for number in numbers]


def split_payloads(text: bytes, delimiter: str) -> tuple[bytes, ...]:
    """Return the payloads of a file; empty ones are left out.

    Kafka's tool splits at a regular expression; this at the *delimiter* itself.
    """
    return tuple(islice(filter(None, text.split(delimiter.encode())), POOL_MAX * 10))
