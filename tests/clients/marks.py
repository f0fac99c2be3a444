"""Which marks does a test have that drives real client libraries, besides `clients`?

That one each module names itself: by it the module is known before it is imported.
"""

from typing import Final

import pytest

LIBRARIES: Final = [
    pytest.mark.zk,
    # kafka-python reads its schemas by a function that Python is about to drop.
    pytest.mark.filterwarnings("ignore:(read|open)_text is deprecated:DeprecationWarning"),
    # What a library leaves to the collector of garbage says nothing about the broker.
    pytest.mark.filterwarnings(
        "ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning"
    ),
]
