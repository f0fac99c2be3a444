"""Java's hash of a string, by which Kafka distributes named things."""

ASTRAL_MIN = "\U00010000"
"""The first character that is two in Java."""


def java_hash(text: str) -> int:
    """The result of `String.hashCode`: a signed number of 32 bits."""
    units = map(ord, text) if max(text, default="") < ASTRAL_MIN else utf_16(text)
    number = 0
    for unit in units:
        number = (31 * number + unit) & 0xFFFF_FFFF
    return signed(number)


def utf_16(text: str) -> memoryview:
    """The characters of *text* in Java's encoding."""
    return memoryview(text.encode("utf-16", "surrogatepass"))[2:].cast("H")


def signed(number: int) -> int:
    """*number* as a signed number of 32 bits."""
    return ((number + 0x8000_0000) & 0xFFFF_FFFF) - 0x8000_0000
