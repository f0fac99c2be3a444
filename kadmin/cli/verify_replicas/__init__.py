"""`kadmin verify-replicas`: prove that replicas are equal"""

__all__ = []
