"""Addresses as one text.

Apart from the values that have one: what only lists topics waits for neither them nor their like.
"""


def host_and_port(host: str, port: int) -> str:
    """An address in one text; one of IPv6 stands in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def split_address(text: str) -> tuple[str, int]:
    """Host and port of *text*, which has both; without the brackets of IPv6."""
    host, _, port = text.rpartition(":")
    return host.strip("[]"), int(port)
