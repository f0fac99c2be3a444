"""What a command, a page or a supervisor does: sessions, evidence, collections, verifications"""

__all__ = [
    "broker_paths",
    "collecting",
    "evidence",
    "groups",
    "moves",
    "reading",
    "session",
    "spark",
    "verify_files",
    "verify_live",
]
