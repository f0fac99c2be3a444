"""Words of a command line as a shell takes them, also where their bytes are no text."""

import shlex


def quoted(word: str) -> str:
    """Return *word* for a line that can be pasted: `$'bad\\377.json'`, as bash has it, where it
    holds bytes that are no UTF-8, or characters that do something to a terminal.

    A word that looks like an option has quotes, which distinguish it from one.
    """
    if word.isprintable():
        return f"'{word}'" if word.startswith("--") and "'" not in word else shlex.quote(word)
    return "$'" + "".join(map(_escaped, word)) + "'"


def _escaped(character: str) -> str:
    if character in "\\'":
        return f"\\{character}"
    if character.isprintable():
        return character
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogateescape"))
