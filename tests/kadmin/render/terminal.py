"""A stream that passes for a terminal; there is no real one in a test's process."""

import io


class FakeTerminal(io.StringIO):
    def isatty(self) -> bool:
        return True
