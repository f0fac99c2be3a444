"""The templates of all lines that the releases of Kafka write to state-change.log.

One table of every format from 0.8.0 to 3.9 and of the KRaft brokers after it, with the ways in
which lines name their writer.  Parsers, their documentation and the lines of their tests are made
from it.  The texts within lines that have forms of their own are in `payloads`; how all of them
are written is said in `language`.
"""

from dataclasses import dataclass
from typing import Final

from kadmin.statechange.broker_lines import BROKER_LINES
from kadmin.statechange.controller_lines import CONTROLLER_LINES
from kadmin.statechange.kinds import Kind, Role
from kadmin.statechange.language import PREFIXES_IN_BRACKETS, Release, Template, release
from kadmin.statechange.metadata_lines import METADATA_LINES
from kadmin.statechange.payloads import NEWEST
from kadmin.statechange.replica_lines import REPLICA_LINES
from kadmin.statechange.template_rows import lines

NOISE_LINES: Final = lines(
    Kind.NOISE,
    None,
    ("0.8.0", "2.5", "D", "preRegister called. Server={word}, name=log4j:logger={word}"),
)

TEMPLATES: Final[tuple[Template, ...]] = (
    *CONTROLLER_LINES,
    *BROKER_LINES,
    *REPLICA_LINES,
    *METADATA_LINES,
    *NOISE_LINES,
)


@dataclass(frozen=True, slots=True)
class LogPrefix:
    """How a line names the broker that wrote it, and in which role."""

    role: Role
    text: str
    in_brackets: bool
    has_epoch: bool


LOG_PREFIXES: Final = (
    LogPrefix(Role.CONTROLLER, "[Controller id={broker} epoch={controller_epoch}] ", True, True),
    LogPrefix(Role.CONTROLLER, "[Controller id={broker}] ", True, False),
    LogPrefix(Role.BROKER, "[Broker id={broker}] ", True, False),
    LogPrefix(Role.CONTROLLER, "Controller {broker} epoch {controller_epoch} ", False, True),
    LogPrefix(Role.BROKER, "Broker {broker} ", False, False),
)
"""The controller's id is that of the broker which is the controller."""


def log_prefix_of(template: Template, version: Release) -> LogPrefix | None:
    """Return how *version* begins the lines of *template*; None for one that names no writer."""
    if template.role is None:
        return None
    in_brackets = version >= PREFIXES_IN_BRACKETS
    has_epoch = template.role is Role.CONTROLLER and template.has_epoch
    return next(
        prefix
        for prefix in LOG_PREFIXES
        if (prefix.role, prefix.in_brackets, prefix.has_epoch)
        == (template.role, in_brackets, has_epoch)
    )


NEWEST_RELEASE: Final = release(NEWEST)
assert all(template.last <= NEWEST_RELEASE for template in TEMPLATES)
