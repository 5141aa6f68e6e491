"""Rows, and how to kill a process that a worker started."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest
from processes import below

from transcript_doctor import Rows

FIXTURES = Path(__file__).parents[3] / "fixtures"


@pytest.fixture(scope="session")
def texts() -> list[str]:
    """All fixtures that are JSON documents, damaged or not, and rows that are no conversation."""
    files = sorted(FIXTURES.glob("rules/*/*.json")) + sorted(FIXTURES.glob("healthy/*/*.json"))
    wanted = [file for file in files if not file.name.endswith((".repaired.json", ".unsafe.json"))]
    return [file.read_bytes().decode(errors="replace") for file in wanted] + ["", "no JSON", "{}"]


@pytest.fixture(scope="session")
def local(texts) -> dict[str, list[dict]]:
    """What one local run of each command says of them, without the number of the row."""
    records = {}
    for command in ("check", "repair"):
        with Rows(command=command) as rows:
            records[command] = without_lines(rows.records([text.encode() for text in texts]))
    assert sum(len(record.get("findings", [])) for record in records["check"]) > 100
    assert sum(record.get("changed", False) for record in records["repair"]) > 100
    return records


def without_lines(value):
    """Remove what depends on how rows are grouped, wherever it is."""
    if isinstance(value, dict):
        return {name: without_lines(own) for name, own in value.items() if name != "line"}
    return [without_lines(own) for own in value] if isinstance(value, list) else value


def same(found, local):
    """Compare rows of a result with the local run."""
    found = sorted(found, key=lambda row: row["id"])
    assert [row["id"] for row in found] == list(range(len(local)))
    for row, own in zip(found, local, strict=True):
        record = dict(own)
        assert row.get("text") == record.pop("text", None)
        assert json.loads(row["record"]) == record
        assert (row["verdict"], row["error"]) == (record.get("verdict"), record.get("error"))
        assert list(row["codes"]) == [finding["code"] for finding in record.get("findings", [])]


@pytest.fixture
def slow():
    """Take so long for a batch that a process is still needed when it is killed."""

    # Within a function, so that it is sent to workers, which do not have this file.
    def wait(batch):
        time.sleep(0.5)
        return batch

    return wait


class Killer(threading.Thread):
    """Kills the first process of the program below this one, or the worker that started it."""

    def __init__(self, *, worker: bool):
        """With `worker`, kill the parent of the process."""
        super().__init__(daemon=True)
        self.worker, self.killed, self.given_up = worker, None, threading.Event()
        # Those of an earlier test may still be ending.
        self.others = set(below())

    def run(self):
        while not self.given_up.wait(0.05):
            for number, process in below().items():
                if process.is_program() and number not in self.others:
                    # It has begun to work.
                    time.sleep(0.7)
                    self.killed = process.parent if self.worker else number
                    os.kill(self.killed, signal.SIGKILL)
                    return


@pytest.fixture(params=["program", "worker"])
def killer(request):
    """Kill a process while the test runs."""
    killer = Killer(worker=request.param == "worker")
    killer.start()
    yield killer
    killer.given_up.set()
    assert killer.killed, "nothing was killed"
