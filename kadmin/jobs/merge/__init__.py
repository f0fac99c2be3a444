"""The merge of many brokers' state-change logs into one order of time.

The way of a line: `inputs` finds the files and whose they are; `survey` learns which times lie
where in each of them; `slices` plans slices of time from that and merges each in a worker;
`output` makes text or typed rows of a slice and takes them where they shall go.  `merge` leads
through it, `survey_phase` and `merge_phase` decide which process does the work, `engines` which
engine starts, and when.  `data_source` gives Spark's queries the lines as rows.
"""

__all__ = [
    "clocks",
    "data_source",
    "engines",
    "files",
    "inputs",
    "merge",
    "output",
    "request",
    "slices",
    "summary",
    "survey",
]
