"""`kadmin migration`: leave ZooKeeper for KRaft, and the way back"""

__all__: list[str] = []
