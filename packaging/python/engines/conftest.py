"""Rows, and how to kill a process that a worker started."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest
from processes import below

from transcript_doctor import Rows, find_binary

# Rows of a large file.
LARGE = 50_000
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


@pytest.fixture(scope="session")
def paths() -> list[str]:
    """Transcripts, folders and databases, several of them twice, and what is none."""
    found = [*FIXTURES.glob("healthy/*/*"), *FIXTURES.glob("samples/*"), *FIXTURES.glob("rows/*")]
    stuck = FIXTURES / "samples/stuck.jsonl"
    goose = FIXTURES / "databases/goose.db"
    folder = FIXTURES / "healthy/openhands"
    return [
        *map(str, sorted(found)),
        *[str(stuck), f"{stuck.parent}/./{stuck.name}", str(folder)],
        *[str(goose), f"{goose}#20260304_1", str(FIXTURES / "origins.txt")],
        *["", "@all", "samples/stuck.jsonl", f"{folder}/*.jsonl", f"{folder}/none"],
    ]


@pytest.fixture(scope="session")
def local_of_paths(paths) -> list[dict]:
    """What a run of its own says of each, with the number of the path."""
    records = []
    for number, path in enumerate(paths):
        command = [find_binary(), "check", "--files-from", "-", "--format", "jsonl", "--isolated"]
        usable = path.startswith("/") and "*" not in path and "none" not in path
        if not usable:
            continue
        ran = subprocess.run(command, input=path.encode(), stdout=subprocess.PIPE, check=False)
        *own, end = map(json.loads, ran.stdout.splitlines())
        missed = [{"path": gone["path"], "error": gone["why"]} for gone in end["not_checked"]]
        records += [{"id": number, **record} for record in own + missed]
    assert sum(len(record.get("findings", [])) for record in records) > 50
    return records


def same_of_paths(found, local, paths):
    """Compare the result for paths with the local runs."""
    found = sorted(found, key=lambda row: row["id"])
    records = [{"id": row["id"], **json.loads(row["record"])} for row in found]
    refused = [record for record in records if "verdict" not in record]
    assert [record for record in records if record in local] == local
    assert [record for record in refused if record not in local] == [
        {"id": len(paths) - 5, "path": "", "error": "no path"},
        {"id": len(paths) - 4, "path": "@all", "error": "not an absolute path"},
        {"id": len(paths) - 3, "path": "samples/stuck.jsonl", "error": "not an absolute path"},
        {"id": len(paths) - 2, "path": paths[-2], "error": "no such file or folder"},
        {"id": len(paths) - 1, "path": paths[-1], "error": "no such file or folder"},
    ]
    assert len(records) == len(local) + 5
    for row, record in zip(found, records, strict=True):
        assert (row["verdict"], row["error"]) == (record.get("verdict"), record.get("error"))
        assert list(row["codes"]) == [finding["code"] for finding in record.get("findings", [])]


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


@pytest.fixture(scope="session")
def large(tmp_path_factory) -> list[str]:
    """Files of rows that take so long that a process is still needed when it is killed."""
    messages = [{"role": role, "content": "x" * 500} for role in ("user", "assistant")]
    lines = (json.dumps({"id": number, "messages": messages}) for number in range(LARGE))
    path = tmp_path_factory.mktemp("rows") / "0.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    copies = [path.with_name(f"{number}.jsonl") for number in range(1, 4)]
    for copy in copies:
        copy.write_bytes(path.read_bytes())
    return [str(each) for each in (path, *copies)]


def every_row(found, paths):
    """Check that each file of rows has a record of its own and one for each row, in order."""
    found = sorted(found, key=lambda row: row["id"])
    lines = [json.loads(row["record"]).get("row", {}).get("line") for row in found]
    assert lines == [None, *range(1, LARGE + 1)] * len(paths)


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
        # Until a process has begun to work.
        self.delay = 0.7
        self.worker, self.killed, self.given_up = worker, None, threading.Event()
        # Those of an earlier test may still be ending.
        self.others = set(below())

    def run(self):
        while not self.given_up.wait(0.05):
            for number, process in below().items():
                if process.is_program() and number not in self.others:
                    time.sleep(self.delay)
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
