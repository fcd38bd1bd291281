"""How a command says what went wrong: a line for people, or JSON."""

import json
import sys


def failed(wrong: str, *, as_json: bool) -> int:
    """1, once it is said."""
    if as_json:
        print(json.dumps({"ok": False, "wrong": wrong}))
    else:
        print(wrong, file=sys.stderr)
    return 1
