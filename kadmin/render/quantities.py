"""Quantities in words: counts of things, and sizes."""

from typing import Final

UNITS: Final = ("B", "KiB", "MiB", "GiB", "TiB")


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def amount(size: float) -> str:
    """*size* bytes in the unit in which it is shortest: `1.4 GiB`."""
    for unit in UNITS:
        if size < 1024 or unit == UNITS[-1]:
            break
        size /= 1024
    return f"{size:.0f} {unit}" if unit == UNITS[0] else f"{size:.1f} {unit}"
