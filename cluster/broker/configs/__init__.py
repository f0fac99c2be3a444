"""Configs of a broker and of its topics: the table, sources, which value wins, who applies it."""
