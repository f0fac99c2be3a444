"""`kadmin snapshot`: keep a cluster in a file, show it, and compare"""

__all__: list[str] = []
