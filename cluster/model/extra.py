"""Unknown fields of a znode, beside the known ones."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

NOTHING: Final[Mapping[str, object]] = MappingProxyType({})
"""The common case, one object for all."""
