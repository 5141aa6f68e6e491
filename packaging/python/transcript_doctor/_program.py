"""One run of the program."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

from ._binary import find_binary
from ._errors import failure

StrPath = str | os.PathLike[str]
# One message of a list, or the body of a request.
Message = Mapping[str, Any]
Messages = Sequence[Message] | Message

# Members of a body that hold the conversation.
_LISTS = ("messages", "input", "contents")


def answer(command: str, options: Sequence[str], what: StrPath | Messages) -> Any:
    """Run a command on a path or on messages, and read its JSON."""
    stdin, name = b"", "-"
    if isinstance(what, (str, os.PathLike)):
        name = os.fspath(what)
    else:
        stdin = json_of(what)
    return parsed(command, [*options, "--", name], stdin)


def parsed(command: str, arguments: Sequence[str], stdin: bytes = b"") -> Any:
    """Run a command, and read its JSON. Raises ProgramError if it has no answer."""
    ran = subprocess.run(
        [find_binary(), command, "--format", "json", *arguments], capture_output=True, input=stdin
    )
    # 1: problems were found, or are left
    if ran.returncode not in {0, 1}:
        raise failure(command, ran.returncode, ran.stderr, ran.stdout)
    return json.loads(ran.stdout)


def json_of(messages: Messages) -> bytes:
    """Write messages as the program reads them."""
    # Escapes, because half a surrogate pair is valid in JSON and in a str, but not in UTF-8.
    return json.dumps(messages).encode()


def is_empty(messages: Messages) -> bool:
    """Whether there are no messages. A list without any does not show its format."""
    if not isinstance(messages, Mapping):
        return len(messages) == 0
    return any(messages.get(name) == [] for name in _LISTS)
