"""A kadmin that offers values for Tab however long it takes, run as `python -m` this module.

The second after which the real one gives up is over too soon on a busy machine.
"""

from kadmin.__main__ import main
from kadmin.cli import completion
from tests.support.waiting import OUTER_LIMIT_S

if __name__ == "__main__":
    completion.PATIENCE_S = float(OUTER_LIMIT_S)  # type: ignore[misc]
    main()
