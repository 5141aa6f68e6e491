"""The shapes of what the program reports: its main members.

`transcript-doctor schema report` prints all of them; later versions may add members.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

Verdict = Literal["empty", "healthy", "pending", "lossy", "stuck", "unreadable", "unknown"]
Severity = Literal["note", "warning", "error", "fatal"]


class Fix(TypedDict):
    """What `repair` can do about a finding. The user decides if it is `manual`."""

    applicability: Literal["safe", "unsafe", "manual", "on-request"]
    actions: list[dict[str, Any]]


class Finding(TypedDict, total=False):
    """One thing that is wrong."""

    code: str
    name: str
    severity: Severity
    confidence: Literal["guess", "likely", "certain"]
    fingerprint: str
    message: str
    call_ids: list[str]
    records: list[dict[str, Any]]
    fix: Fix


class Row(TypedDict, total=False):
    """Which row a record is about."""

    line: int
    index: int
    key: str


class Conversation(TypedDict, total=False):
    """A conversation. A file of rows has an entry, and one more for each row with findings."""

    path: str
    path_hex: str
    format: str
    host: str
    row: Row
    verdict: Verdict
    target: str
    target_from: str
    target_certain: bool
    records: int
    calls: int
    findings: list[Finding]
    pending: list[str]
    unknown_side_effects: list[str]
    applied: dict[str, Any]


class Record(Conversation, total=False):
    """What the program answers to a row: its conversation, or why it cannot be checked."""

    error: str


class RepairRecord(Record, total=False):
    """What the program answers to a row that it repairs: the row after that, and what was done.

    The members of a conversation describe the row after its repair, `before` describes the input.
    """

    text: str | dict[Literal["hex"], str]
    changed: bool
    before: Conversation
    changes: list[dict[str, Any]]
    refused: str


class Missed(TypedDict, total=False):
    """What could not be checked, or was skipped, and why."""

    path: str
    why: str
    path_hex: str
    candidates: list[str]


class Report(TypedDict):
    """What `check --format json` prints."""

    schema: str
    target: str
    summary: dict[str, int]
    conversations: list[Conversation]
    not_checked: list[Missed]
    skipped: list[Missed]
    exit_code: int
