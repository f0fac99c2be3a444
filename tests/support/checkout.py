"""Where is the checkout that is tested, and what do its tests keep from run to run?"""

import os
from pathlib import Path
from typing import Final

CHECKOUT: Final = Path(__file__).parents[2]
CACHE: Final = Path(os.environ.get("KADMIN_TEST_CACHE") or CHECKOUT / ".cache")
"""Releases from Maven, and examples for which a property did not hold."""
