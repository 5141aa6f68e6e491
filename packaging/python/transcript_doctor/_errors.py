"""What goes wrong, as types."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types import Report

# The end of what the program printed to standard error that an error message repeats.
_LAST_WORDS = 2000

# Exit statuses of the program.
_USAGE, _NOT_CHECKED, _REFUSED, _NOTHING = 2, 3, 4, 5


class ProgramError(RuntimeError):
    """There is no answer: the program did not start, died, or could not do what was asked.

    If it printed a report nevertheless, as of a folder with one file that is no transcript,
    `report` has it.
    """

    report: Report | None = None


class UsageError(ProgramError):
    """The program does not know an option, or its value."""


class NotFoundError(ProgramError):
    """There is no such file, folder, or session, or there is no transcript in the folder."""


class UnknownFormatError(ProgramError):
    """It is not a transcript of a known format."""


class RefusedError(ProgramError):
    """A repair was refused, and nothing was written.

    Another process has the file open, or more would change than one program damages.
    """


def failure(what: str, status: int, stderr: bytes, stdout: bytes = b"") -> ProgramError:
    """Say how the program ended, with the reasons in its report and what it printed last."""
    how = f"killed by signal {-status}" if status < 0 else f"exit status {status}"
    report = _report(stdout)
    missed = report["not_checked"] if report else []
    words = "; ".join(f"{entry['path']}: {entry['why']}" for entry in missed)
    words = words or stderr[-_LAST_WORDS:].decode(errors="replace").strip()
    if status == _NOTHING:
        words = words or "no transcript was found"
    kinds: dict[int, type[ProgramError]] = {
        _USAGE: UsageError,
        _NOT_CHECKED: kind_of(words),
        _REFUSED: RefusedError,
        _NOTHING: NotFoundError,
    }
    error = kinds.get(status, ProgramError)(
        f"transcript-doctor {what} ({how}): {words or 'it said nothing'}"
    )
    error.report = report
    return error


def kind_of(why: str) -> type[ProgramError]:
    """Choose the error for a reason why something was not checked; the first of several decides."""
    reason = why.partition(";")[0]
    if "no such file or folder" in reason:
        return NotFoundError
    return UnknownFormatError if "unknown format" in reason else ProgramError


def _report(stdout: bytes) -> Report | None:
    try:
        report: Report = json.loads(stdout)
    except ValueError:
        return None
    return report
