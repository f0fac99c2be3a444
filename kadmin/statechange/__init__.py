"""Lines of Kafka's state-change.log: their templates, a parser, and typed columns of them."""

__all__ = [
    "collectors",
    "filters",
    "kinds",
    "layouts",
    "lines",
    "parse",
    "typed",
    "wrapped_heads",
]
