"""`kadmin throttle`: see throttles of replication, and release those left behind"""

__all__: list[str] = []
