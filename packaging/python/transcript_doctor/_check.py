"""Transcripts, here: what is wrong with them, and why."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from ._binary import find_binary
from ._errors import failure
from ._options import CheckOptions, ExplainOptions, words
from ._paths import above, refused
from ._program import Messages, StrPath, answer, is_empty, parsed

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .types import Conversation, Record, Report

# What a list without messages is: no format, no provider.
EMPTY: Conversation = {
    "verdict": "empty",
    "records": 0,
    "calls": 0,
    "findings": [],
    "pending": [],
    "unknown_side_effects": [],
}
_VERDICTS = ("empty", "healthy", "stuck", "lossy", "pending", "unreadable", "unknown")


def check(
    transcript: StrPath | Messages, /, *options: str, **keywords: Unpack[CheckOptions]
) -> Report:
    """Find what is wrong with a transcript.

    It is a file, a folder of them, a session by its ID, the messages of a request, or its body.
    Options are those of the command line: `check("run.jsonl", target="bedrock")`, or as they are
    typed there: `check("run.jsonl", "--target", "bedrock")`. No configuration file is read.

    Raises ProgramError if something could not be checked, which does not mean that it is healthy:
    NotFoundError, UnknownFormatError, UsageError.
    """
    if not isinstance(transcript, (str, os.PathLike)) and is_empty(transcript):
        return _nothing()
    typed = ["--isolated", *words(options, keywords)]
    return cast("Report", answer("check", typed, transcript))


def check_many(
    paths: Iterable[StrPath], /, *options: str, **keywords: Unpack[CheckOptions]
) -> Iterator[Record]:
    """Check files and folders of them in one process, and yield a record for each transcript.

    Each path has at least one record. A record has the absolute `path` of its transcript, and
    `error` instead of a verdict if that could not be checked, which stops no other. A transcript
    that several paths name may have several. Records come while the program runs, in no certain
    order, and only one is in memory.

    Raises UsageError for an option that is not known, and ProgramError if the program fails.
    """
    typed = words(options, keywords)
    asked = dict.fromkeys(os.path.abspath(os.fsencode(path)) for path in paths)
    for path in list(asked):
        if why := refused(path):
            del asked[path]
            yield {"path": os.fsdecode(path), "error": why}
    waiting = dict(asked)
    for record in _records(asked, typed):
        waiting.pop(_owner(record, asked), None)
        yield record
    # Another path may be the same file, or there is nothing to check.
    for path in waiting:
        records = list(_records([path], typed))
        yield from records or [{"path": os.fsdecode(path), "error": "no transcript was found"}]


def explain(
    what: StrPath | Messages | None = None, /, *options: str, **keywords: Unpack[ExplainOptions]
) -> dict[str, Any]:
    """Explain a transcript, a record (`run.jsonl:7`), a rule (`TD104`), or an error message.

    `explain("run.jsonl", error="API Error: 400 …")` looks the error up in the transcript,
    `explain(error="API Error: 400 …")` says what it means. Raises what `check` does.
    """
    typed = words(options, keywords)
    found = parsed("explain", typed) if what is None else answer("explain", typed, what)
    return cast("dict[str, Any]", found)


def _nothing() -> Report:
    """Report that there are no messages."""
    counts = dict.fromkeys(("conversations", *_VERDICTS, "not_checked"), 0)
    return {
        "schema": "transcript-doctor/report/v1",
        "target": "none",
        "summary": {**counts, "conversations": 1, "empty": 1},
        "conversations": [{"path": "-", **EMPTY}],
        "not_checked": [],
        "skipped": [],
        "exit_code": 0,
    }


def _records(paths: Collection[bytes], options: Sequence[str]) -> Iterator[Record]:
    if not paths:
        return
    protocol = ["--files-from", "-", "--format", "jsonl", "--isolated"]
    command: list[StrPath] = [find_binary(), "check", *protocol, *options]
    with contextlib.ExitStack() as open_files:
        # Files, not pipes: nobody needs to write or read them while the program runs.
        stdin, stderr = (open_files.enter_context(tempfile.TemporaryFile()) for _ in range(2))
        stdin.write(b"".join(path + b"\0" for path in paths))
        stdin.seek(0)
        program = open_files.enter_context(
            subprocess.Popen(
                command,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=stderr,
                # From the root, the program names every file by its whole path.
                cwd=os.path.abspath(os.sep),
            )
        )
        # Whoever does not want the rest does not wait for it.
        open_files.callback(program.kill)
        last: Report | None = None
        for line in program.stdout or ():
            record = json.loads(line)
            if "schema" in record:
                last = record
                break
            yield record
        program.wait()
        # 1: problems were found; 3: something was not checked; 5: nothing was found
        if program.returncode not in {0, 1, 3, 5} or last is None:
            stderr.seek(0)
            raise failure(f"did not check {len(paths)} paths", program.returncode, stderr.read())
    missed = [*last["not_checked"], *(own for own in last["skipped"] if _path(own) in paths)]
    for entry in missed:
        yield cast("Record", {**entry, "error": entry["why"]})


def _path(record: Any) -> bytes:
    written = record.get("path_hex")
    return bytes.fromhex(written) if written else os.fsencode(record["path"])


def _owner(record: Record, asked: Collection[bytes]) -> bytes:
    """Find the path that was asked for: that of the record, or of what it is in."""
    path = _path(record)
    return next((own for own in (path, *above(path)) if own in asked), path)
