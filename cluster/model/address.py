"""Addresses as text.

Apart from the values with addresses, so that commands which only list topics need not import them.
"""


def host_and_port(host: str, port: int) -> str:
    """An address as text; one of IPv6 is in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def split_address(text: str) -> tuple[str, int]:
    """Host and port of *text*, which has both; without the brackets of IPv6."""
    host, _, port = text.rpartition(":")
    return host.strip("[]"), int(port)
