"""Sizes in words."""

from typing import Final

UNITS: Final = ("B", "KiB", "MiB", "GiB", "TiB")


def amount(size: float) -> str:
    """*size* bytes in the unit in which it is shortest: `1.4 GiB`."""
    for unit in UNITS:
        if size < 1024 or unit == UNITS[-1]:
            break
        size /= 1024
    return f"{size:.0f} {unit}" if unit == UNITS[0] else f"{size:.1f} {unit}"
