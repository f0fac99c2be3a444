"""The shell's twin for tests: virtual disks and whatever else can fail, by seed."""

__all__ = []
