"""Merged state-change logs, and the stories of partitions"""

__all__ = ["story", "story_body", "story_words", "summary"]
