"""One transcript, here."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from ._binary import find_binary
from ._rows import ProgramError, Rows
from .types import RepairRecord, Report

Message = Mapping[str, Any]


def check(transcript: str | os.PathLike[str] | Sequence[Message], *options: str) -> Report:
    """Find what is wrong with a transcript: a file, a folder of them, or the messages of a request.

    `options` are those of the command line: `check("run.jsonl", "--target", "bedrock")`. No
    configuration file is read.

    Raises ProgramError if something could not be checked, which does not mean that it is healthy.
    """
    command = [str(find_binary()), "check", "--format", "json", "--isolated", *options, "--"]
    if isinstance(transcript, (str, os.PathLike)):
        command.append(os.fspath(transcript))
        text = ""
    else:
        command.append("-")
        # Escapes, because half a surrogate pair is valid in JSON and in a str, but not in UTF-8.
        text = json.dumps(transcript)
    ran = subprocess.run(command, capture_output=True, input=text.encode())
    # 1: problems were found
    if ran.returncode not in {0, 1}:
        raise ProgramError(_reason(ran))
    return cast("Report", json.loads(ran.stdout))


class Repaired(NamedTuple):
    """Messages after a repair, and what was done; `record["findings"]` has what is left."""

    messages: list[dict[str, Any]]
    record: RepairRecord


def repair(messages: Sequence[Message], *options: str) -> Repaired:
    """Repair the messages of a request: what is safe, or what the options of the command line say.

    Raises ProgramError if they are not recognized.
    """
    with Rows(*options, command="repair") as rows:
        (record,) = rows.records([json.dumps(messages).encode()])
    if "error" in record:
        raise ProgramError(f"not repaired: {record['error']}")
    return Repaired(json.loads(cast("str", record["text"])), record)


def _reason(ran: subprocess.CompletedProcess[bytes]) -> str:
    """Why there is no answer: in the report if there is one, else on standard error."""
    try:
        missed = cast("Report", json.loads(ran.stdout))["not_checked"]
    except ValueError:
        missed = []
    reasons = [f"{entry['path']}: {entry['why']}" for entry in missed]
    said = "; ".join(reasons) or ran.stderr.decode(errors="replace").strip() or "it said nothing"
    return f"not checked (exit status {ran.returncode}): {said}"
