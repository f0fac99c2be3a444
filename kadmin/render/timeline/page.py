"""The page: the JSON of an analysis, as `--output json` prints it, and the script that draws it.

The page loads nothing from anywhere, and no text of a log is taken for markup.
"""

import json
from importlib.resources import files
from typing import TYPE_CHECKING

from kadmin.render.merge_logs.story_body import analysis_body

if TYPE_CHECKING:
    from kadmin.jobs.story.tell import Analysis


def timeline_page(analysis: "Analysis") -> str:
    """Return the page of *analysis*, as HTML in UTF-8 with plotly.js in it; some 5 MB and more."""
    from plotly.offline import get_plotlyjs

    parts = {
        "STYLE": own_file("page.css"),
        "DATA": json_for_script(analysis_body(analysis)),
        "PLOTLY": get_plotlyjs(),
        "SCRIPT": own_file("page.js"),
    }
    page = own_file("page.html")
    pieces = []
    for name, content in parts.items():
        before, _, page = page.partition(f"/*{name}*/")
        pieces += [before, content]
    return "".join([*pieces, page])


def own_file(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def json_for_script(body: object) -> str:
    """Return *body* as JSON in which nothing can end the element that it stands in."""
    text = json.dumps(body, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
