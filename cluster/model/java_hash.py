"""Java's hash of a string, by which Kafka distributes named things."""

from typing import Final

ASTRAL_MIN: Final = "\U00010000"
"""The first character that is two in Java."""

INT_MIN: Final = -(2**31)


def java_hash(text: str) -> int:
    """The result of `String.hashCode`: a signed number of 32 bits."""
    units = map(ord, text) if max(text, default="") < ASTRAL_MIN else utf_16(text)
    number = 0
    for unit in units:
        number = (31 * number + unit) & 0xFFFF_FFFF
    return signed(number)


def java_abs(number: int) -> int:
    """What Kafka's `Utils.abs` gives for 32 bits: the lowest number has no opposite, and gives 0.

    That is not `Utils.toPositive`, by which producers choose partitions, and which drops the sign.
    """
    return 0 if number == INT_MIN else abs(number)


def utf_16(text: str) -> memoryview:
    """The characters of *text* in Java's encoding."""
    return memoryview(text.encode("utf-16", "surrogatepass"))[2:].cast("H")


def signed(number: int) -> int:
    """*number* as a signed number of 32 bits."""
    return ((number + 0x8000_0000) & 0xFFFF_FFFF) - 0x8000_0000
