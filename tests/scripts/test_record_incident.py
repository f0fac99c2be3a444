"""Are a night's logs parted and moved in time as log4j would have written them?"""

from datetime import datetime, timedelta
from pathlib import Path

from scripts.record_incident import Night, keep

BEGAN = datetime(2026, 11, 21, 15, 59, 58, 250_000)
NIGHT = Night(began=BEGAN, incident_began=BEGAN + timedelta(seconds=11))

LOG = """\
[2026-11-21 15:59:59,001] INFO created
java.lang.IllegalStateException: of the line before
[2026-11-21 16:00:09,250] ERROR dead at [2026-11-21 16:00:09,250]
\tat one.of.Its(Frames)
"""


def test_lines_move_to_the_hour_of_their_file_with_what_stands_behind_them(tmp_path: Path) -> None:
    keep(tmp_path, LOG, NIGHT)

    assert {
        "state-change.log.2026-11-20-02": "[2026-11-20 02:41:07,751] INFO created\n"
        "java.lang.IllegalStateException: of the line before\n",
        "state-change.log": "[2026-11-20 03:12:04,000] ERROR dead at [2026-11-21 16:00:09,250]\n"
        "\tat one.of.Its(Frames)\n",
    } == {file.name: file.read_text() for file in tmp_path.iterdir()}


def test_a_broker_that_was_silent_in_the_incident_has_an_empty_current_file(tmp_path: Path) -> None:
    keep(tmp_path, LOG[: LOG.index("[2026-11-21 16")], NIGHT)

    assert "" == (tmp_path / "state-change.log").read_text()
