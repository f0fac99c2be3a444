"""Java's hash of a string, by which Kafka spreads things that have names."""


def java_hash(text: str) -> int:
    """What `String.hashCode` gives: a signed number of 32 bits.

    Only for characters of the Basic Multilingual Plane, as all names of Kafka's are.
    """
    number = 0
    for character in text:
        number = (31 * number + ord(character)) & 0xFFFF_FFFF
    return signed(number)


def signed(number: int) -> int:
    """*number* as 32 bits hold it."""
    return ((number + 0x8000_0000) & 0xFFFF_FFFF) - 0x8000_0000
