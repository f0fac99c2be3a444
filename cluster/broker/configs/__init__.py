"""Configs of a broker and of its topics: who says what, what counts, what may change."""
