"""Changes by the page: forms that are understood as actions, plans that are shown and confirmed"""

__all__ = ["routes"]
