"""The judgement of a migration from ZooKeeper to KRaft: before, during it, and on the way back"""

__all__ = [
    "brokers",
    "check",
    "evidence",
    "findings",
    "preview",
    "rollback",
    "status",
    "store_diff",
    "stores",
]
