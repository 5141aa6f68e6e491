"""Repairs of messages, and of files."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ._check import EMPTY
from ._errors import kind_of
from ._options import FileOptions, RepairOptions, words
from ._program import Message, StrPath, answer, json_of
from ._rows import Rows
from .types import RepairRecord, Report

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Repaired(NamedTuple):
    """Messages after a repair, and what was done; `record["findings"]` has what is left."""

    messages: list[dict[str, Any]]
    record: RepairRecord


def repair(
    messages: Sequence[Message], /, *options: str, **keywords: Unpack[RepairOptions]
) -> Repaired:
    """Repair the messages of a request: what is safe, or what options such as `unsafe=True` say.

    Raises ProgramError: UnknownFormatError if they are not recognized, UsageError.
    """
    if not messages:
        nothing = {**EMPTY, "text": "[]", "changed": False, "changes": []}
        return Repaired([], cast("RepairRecord", nothing))
    with Rows(*words(options, keywords), command="repair") as rows:
        (record,) = rows.records([json_of(messages)])
    if why := record.get("error"):
        raise kind_of(why)(f"not repaired: {why}")
    return Repaired(json.loads(cast("str", record["text"])), record)


def repair_file(path: StrPath, /, *options: str, **keywords: Unpack[FileOptions]) -> Report:
    """Repair a transcript in place, or write a copy: `repair_file("run.jsonl", output="copy")`.

    What is safe is done, or what options such as `unsafe=True` say; `dry_run=True` writes nothing.
    The original stays in the journal, and `transcript-doctor undo` restores it. The report has the
    findings that are left, and `applied` of a conversation has what was done.

    Raises RefusedError if nothing may be written, as while another process has the file open, and
    what `check` raises.
    """
    typed = ["--isolated", *words(options, keywords)]
    return cast("Report", answer("repair", typed, os.fspath(path)))
