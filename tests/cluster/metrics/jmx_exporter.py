"""jmx_exporter's rules, in few lines: which series do the rules of a file make of a bean?

Source: JmxCollector of jmx_exporter.
"""

import re
from collections.abc import Mapping
from typing import Any

import yaml

Series = tuple[str, frozenset[tuple[str, str]]]


class Rules:
    """The rules of one file, the first of which that matches counts."""

    def __init__(self, text: str) -> None:
        config = yaml.safe_load(text)
        self._is_lowered = bool(config.get("lowercaseOutputName"))
        self._rules: list[Mapping[str, Any]] = config["rules"]

    def series(
        self, domain: str, properties: Mapping[str, str], attribute: str, value: object
    ) -> Series | None:
        """Return the series of an attribute; None where no rule with a name matches."""
        bean = ", ".join(f"{key}={each}" for key, each in properties.items())
        text = f"{domain}<{bean}><>{attribute}: {value}"
        for rule in self._rules:
            found = re.fullmatch(f".*(?:{rule['pattern']}).*", text)
            if found is None:
                continue
            name = safe(substituted(rule["name"], found))
            labels = {
                safe(substituted(key, found)): substituted(str(each), found)
                for key, each in rule.get("labels", {}).items()
            }
            return name.lower() if self._is_lowered else name, frozenset(labels.items())
        return None


def substituted(template: str, found: re.Match[str]) -> str:
    return re.sub(r"\$(\d+)", lambda group: found[int(group[1])], template)


def safe(name: str) -> str:
    return re.sub(r"[^a-zA-Z0-9:]+", "_", name)
