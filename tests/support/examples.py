"""How many examples Hypothesis draws for a property."""

import os
from typing import Final

PERCENT: Final = int(os.environ.get("EXAMPLES", "100"))


def example_count(count: int) -> int:
    """*count* in a whole run; EXAMPLES=40 in the environment draws 40 % of them."""
    return max(1, count * PERCENT // 100)
