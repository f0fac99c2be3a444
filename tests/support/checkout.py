"""Where is the checkout that is tested?"""

from pathlib import Path
from typing import Final

CHECKOUT: Final = Path(__file__).parents[2]
