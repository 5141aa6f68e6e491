"""Requests before they are sent."""

from __future__ import annotations

import atexit
import os
import threading
from typing import TYPE_CHECKING, cast

from ._check import EMPTY
from ._errors import kind_of
from ._options import Options, words
from ._program import Messages, is_empty, json_of
from ._rows import Rows

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .types import Record


class _Running:
    """A process for one choice of options, and who may use it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.rows: Rows | None = None

    def ask(self, options: tuple[str, ...], row: bytes) -> Record:
        with self.lock:
            if self.rows is None:
                # It answers one row at a time.
                self.rows = Rows("--jobs", "1", *options)
            try:
                (record,) = self.rows.records([row])
            except BaseException:
                # A half-sent row is nobody's anymore. The next request starts a process.
                self.rows.kill()
                self.rows = None
                raise
        return record


_lock = threading.Lock()
_running: dict[tuple[str, ...], _Running] = {}


def precheck(messages: Messages, /, *options: str, **keywords: Unpack[Options]) -> Record:
    """Check the messages of a request, or its body, in a process that stays.

    The first call starts it, and later ones with the same options take about a millisecond. Threads
    may share it. `record["verdict"]` is "stuck" if the provider would reject the request, and
    `record["findings"]` says why.

    Raises UnknownFormatError if they are not recognized, UsageError for an option that is not
    known, and ProgramError if the process fails; the next call starts another one.
    """
    if is_empty(messages):
        return cast("Record", dict(EMPTY))
    typed = tuple(words(options, keywords))
    with _lock:
        running = _running.setdefault(typed, _Running())
    record = running.ask(typed, json_of(messages))
    if why := record.get("error"):
        raise kind_of(why)(f"not checked: {why}")
    return record


@atexit.register
def _stop() -> None:
    for running in _running.values():
        if running.rows is not None:
            running.rows.kill()


def _forget() -> None:
    """Leave the processes to the parent: a fork must not use its pipes."""
    global _lock, _running
    _lock, _running = threading.Lock(), {}


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
