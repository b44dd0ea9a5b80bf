"""JSON as it leaves: always valid, always on one line, whatever characters the texts hold."""

import json
from typing import Any

from fastapi.responses import JSONResponse

_LINE_ENDS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}
"""Line ends to some readers, though not to JSON; escaped, because an event's data is one line."""


def to_json(data: object) -> bytes:
    """`data` in UTF-8 on one line; a lone surrogate becomes its JSON escape."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_LINE_ENDS).encode("utf-8", "backslashreplace")


class JsonResponse(JSONResponse):
    """A response that cannot fail on the texts it carries."""

    def render(self, content: Any) -> bytes:
        """The body."""
        return to_json(content)
