"""`kadmin groups`: see and change groups of consumers"""

__all__ = ["places"]
