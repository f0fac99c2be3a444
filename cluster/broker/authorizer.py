"""What may a client do here?  Everything: there are no ACLs, and Kafka without any says so as well.

Numbers as of Kafka's AclOperation, one bit each.
"""

from typing import Final

NOT_REQUESTED: Final = -(2**31)
"""What stands where the client did not want to know."""

CREATE: Final = 5
ALTER: Final = 7
DESCRIBE: Final = 8
DESCRIBE_CONFIGS: Final = 10
ALTER_CONFIGS: Final = 11
COMMON: Final = (CREATE, ALTER, DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS)

READ: Final = 3
WRITE: Final = 4
DELETE: Final = 6
TOPIC_OPERATIONS: Final = sum(1 << number for number in (*COMMON, READ, WRITE, DELETE))

CLUSTER_ACTION: Final = 9
IDEMPOTENT_WRITE: Final = 12
CLUSTER_OPERATIONS: Final = sum(1 << n for n in (*COMMON, CLUSTER_ACTION, IDEMPOTENT_WRITE))
