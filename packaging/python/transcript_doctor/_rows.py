"""The row protocol: a conversation a line in, exactly one record for each out, in their order."""

from __future__ import annotations

import contextlib
import json
import subprocess
import tempfile
import threading
from typing import TYPE_CHECKING, Literal, cast

from ._binary import find_binary
from ._errors import ProgramError, failure
from ._options import RepairOptions, words

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from typing_extensions import Unpack

    from .types import RepairRecord


class Rows:
    """A running `check --rows` or `repair --rows`.

    It answers one batch of rows after the other, so a worker of an engine starts one process.
    """

    def __init__(
        self,
        *options: str,
        command: Literal["check", "repair"] = "check",
        **keywords: Unpack[RepairOptions],
    ) -> None:
        """Start the program with these options of its command line, and no configuration file."""
        self.command = command
        # A file, not a pipe: nobody needs to read it while the program runs, and it cannot fill up.
        self._stderr = tempfile.TemporaryFile()
        protocol = ["--rows", "--rows-errors", "--format", "jsonl", "--isolated"]
        self._process = subprocess.Popen(
            [find_binary(), command, *protocol, *words(options, keywords), "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            # Linux gives 64 KB, which is less than many rows.
            pipesize=1 << 20,
        )
        assert self._process.stdin and self._process.stdout
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._answered = 0

    @property
    def pid(self) -> int:
        """The ID of the process."""
        return self._process.pid

    def records(self, rows: Sequence[bytes]) -> list[RepairRecord]:
        """Send rows, and return the record of each. Those of `check` have no `text`.

        Raises TypeError if a row is not JSON text as bytes, before anything is sent. Raises
        ProgramError unless there is exactly one record for each. The process is then gone.
        """
        lines = [_line(row) for row in rows]
        # Both pipes are small, and the program answers before it has read everything. Whoever sends
        # all rows first would wait for the program, which waits for its answers to be read.
        sender = threading.Thread(target=self._send, args=(lines,), daemon=True)
        sender.start()
        records = [self._record() for _ in lines]
        sender.join()
        for record, row, line in zip(records, rows, lines, strict=True):
            if line is None:
                record["error"] = "a line break in a row that is not JSON"
            # What nobody repaired has its line breaks, too.
            if line is not row and "text" in record and not record.get("changed"):
                record["text"] = _text(row)
        return records

    def _send(self, lines: Sequence[bytes | None]) -> None:
        # If the program has died, whoever reads its records finds out, and says so.
        with contextlib.suppress(OSError, ValueError):
            for line in lines:
                self._stdin.write(line or b"")
                self._stdin.write(b"\n")
            self._stdin.flush()

    def _record(self) -> RepairRecord:
        text = self._stdout.readline()
        # A process that dies may leave part of a record.
        if not text.endswith(b"\n"):
            raise self._failure(f"ended after the records of {self._answered} rows")
        record = cast("RepairRecord", json.loads(text))
        self._answered += 1
        if record.get("row", {}).get("line") != self._answered:
            raise self._failure(f"printed another record than that of row {self._answered}")
        return record

    def close(self) -> None:
        """End the process, which has nothing left to do. Raises ProgramError if it failed."""
        self._stdin.close()
        if extra := self._stdout.read():
            raise self._failure(f"printed {len(extra)} bytes more than the records of all rows")
        if self._process.wait() != 0:
            raise self._failure("failed")
        self._stderr.close()

    def kill(self) -> None:
        """End the process in the middle of its work."""
        self._process.kill()
        self._process.wait()
        # Closing flushes what is left to send, and nobody reads it anymore.
        with contextlib.suppress(OSError):
            self._stdin.close()
        self._stdout.close()

    def _failure(self, what: str) -> ProgramError:
        """Kill what is left of the process, and say what happened."""
        # If it is just ending, its own status says more than that of being killed.
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=1)
        self.kill()
        self._stderr.seek(0)
        return failure(what, self._process.returncode, self._stderr.read())

    def __enter__(self) -> Rows:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.kill()


def _line(row: bytes) -> bytes | None:
    """Remove line breaks from a row, because they would end it.

    Between the tokens of JSON they mean the same as spaces. Elsewhere they are damage that a space
    would hide: None.
    """
    if not isinstance(row, (bytes, bytearray)):
        kind = type(row).__name__
        raise TypeError(f"a row is JSON text as bytes, not {kind}: json.dumps(row).encode()")
    if b"\n" not in row:
        return row
    try:
        json.loads(row)
    except ValueError:
        return None
    return row.replace(b"\n", b" ")


def _text(row: bytes) -> str | dict[Literal["hex"], str]:
    """Write a row as the program does."""
    try:
        return row.decode()
    except UnicodeDecodeError:
        return {"hex": row.hex()}
