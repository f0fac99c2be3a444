"""The page of `kadmin serve`: its server, logins, safety, look; views and changes are of `app`"""

__all__ = ["access", "audit", "clusters", "measured", "server", "serving", "tokens"]
