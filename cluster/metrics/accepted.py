"""What a client of HTTP accepts, by its headers Accept and Accept-Encoding."""

import re
from typing import Final

NO_QUALITY: Final = re.compile(r"q\s*=\s*0(\.0*)?")


def accepts(header: str, name: str) -> bool:
    """Return whether *header* names *name*, and not with a quality of 0, which refuses it."""
    for word in header.lower().split(","):
        named, *parameters = (part.strip() for part in word.split(";"))
        if named == name:
            return not any(NO_QUALITY.fullmatch(each) for each in parameters)
    return False
