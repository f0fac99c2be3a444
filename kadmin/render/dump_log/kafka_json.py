"""JSON to the byte as Kafka writes it: names of fields, data, numbers and escapes."""

import json
import math
import re
from base64 import b64encode
from typing import Any, Final

ESCAPE: Final = re.compile(r"\\\\|\\u00[01][0-9a-f]")
PLAIN_MIN: Final = 1e-3
PLAIN_END: Final = 1e7
"""Java writes numbers outside of these bounds with an exponent."""


def kafka_json(value: Any) -> str:
    """Return fields, or a value in them, as Kafka's tools print them."""
    match value:
        case dict():
            pairs = (f'"{kafka_name(name)}":{kafka_json(one)}' for name, one in value.items())
            return f"{{{','.join(pairs)}}}"
        case list():
            return f"[{','.join(map(kafka_json, value))}]"
        case bytes():
            return f'"{b64encode(value).decode()}"'
        case float():
            return java_double(value)
        case _:
            text = json.dumps(value, ensure_ascii=False)
            # Kafka's digits of control characters are capitals.
            return ESCAPE.sub(lambda escape: escape[0][:2] + escape[0][2:].upper(), text)


def kafka_name(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(other.capitalize() for other in others)


def java_double(number: float) -> str:
    """Return *number* as Java 19 and later write it; what is no number is quoted.

    Source: Double.toString.
    """
    if not math.isfinite(number):
        return '"NaN"' if math.isnan(number) else f'"{"-" if number < 0 else ""}Infinity"'
    if number == 0 or PLAIN_MIN <= abs(number) < PLAIN_END:
        return repr(number)
    mantissa, _, exponent = f"{number!r}".partition("e")
    digits = mantissa.lstrip("-").replace(".", "").lstrip("0")
    if not exponent:
        exponent = str(math.floor(math.log10(abs(number))))
    digits = digits.rstrip("0") or "0"
    return f"{'-' if number < 0 else ''}{digits[0]}.{digits[1:] or '0'}E{int(exponent)}"
