"""A migration to KRaft: what stands in its way, how large it is, how far it is, and the way back"""

__all__ = ["check", "diff", "preview", "rollback", "status"]
