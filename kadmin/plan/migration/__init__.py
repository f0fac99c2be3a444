"""The judgement of a migration from ZooKeeper to KRaft: before, during it, and on the way back"""

__all__ = [
    "brokers",
    "check",
    "evidence",
    "findings",
    "old_clients",
    "preview",
    "rollback",
    "status",
    "store_diff",
    "stores",
]
