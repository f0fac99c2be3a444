"""What logs without TRACE lines lack, by parts of a story.

Kafka writes at INFO since 2.6 (KAFKA-8470).  Such logs are complete about what is not named here:
leaders, the controller that elected them, failed elections, epochs that fall, and refused orders.
"""

from typing import Final

from kadmin.story.values import AnomalyKind

UNLOGGED_AT_INFO: Final = {
    "isr": "changes that leaders ask for: the ISR is known as each leader epoch begins, and where "
    "the controller removes a replica",
    "leaderless": "when a leader was lost: the time begins with the next line of the "
    "controller that names none, or is not seen where it had found another one by then",
    "reasons": "which replicas a partition shall get: moves by a reassignment are on-request or "
    "preferred-election",
    "roles": "when each order was sent: delays count from the decision, the controller's own time "
    "included",
    "deletions": "that a topic was deleted: its story ends where that of the next one of its name "
    "begins, or not at all",
    AnomalyKind.TWO_LEADERS: "what brokers answer clients: only the leaders that are decided, or "
    "that begin, are compared",
    AnomalyKind.UNCLEAN_ELECTION: "the ISR before: known where the leader is ordered to recover "
    "(3.2 and later), or from the epoch before",
    AnomalyKind.UNANSWERED_ORDER: "whether the order was sent: that it was decided is all",
    AnomalyKind.LATE_LEADER: "whether the order was sent late, or carried out late",
    AnomalyKind.ISR_FLAPPING: "nearly all of it: only what begins a leader epoch is counted",
}
"""By parts of a story, and kinds of anomalies: what the missing lines would show."""

MISSED: Final = (AnomalyKind.ISR_FLAPPING, AnomalyKind.UNCLEAN_ELECTION, AnomalyKind.TWO_LEADERS)
"""Anomalies that may be there all the same where none is found."""
