"""Unknown fields of a znode: what it holds beside the fields that we know."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

NOTHING: Final[Mapping[str, object]] = MappingProxyType({})
"""The common case, one object for all."""
