"""What operators type: names, times, lists and files, understood before a cluster is read"""

__all__ = [
    "acls",
    "configs",
    "documents",
    "election_file",
    "entities",
    "group_offsets_file",
    "groups",
    "moments",
    "moves",
    "name_filter",
    "numbers",
    "offsets_file",
    "reassignment_files",
    "replica_assignment",
    "times",
    "topics",
]
