"""`repair()` and rows that are repaired, with the real program."""

from __future__ import annotations

import json

import pytest
from conftest import HEALTHY, STUCK, row

from transcript_doctor import ProgramError, Rows, check, repair


def test_messages():
    repaired = repair(STUCK)
    assert [message["role"] for message in repaired.messages] == [
        "user",
        "assistant",
        "tool",
        "user",
    ]
    assert [change["code"] for change in repaired.record["changes"]] == ["TD101"]
    assert (repaired.record["before"]["verdict"], repaired.record["verdict"]) == (
        "stuck",
        "healthy",
    )
    assert check(repaired.messages)["summary"]["healthy"] == 1


def test_healthy_messages_stay_as_they_are():
    messages = [*HEALTHY, {"role": "user", "content": "é"}]
    assert repair(messages).messages == messages


def test_options_choose_fixes():
    assert repair(STUCK, "--only", "TD104").messages == STUCK


def test_what_is_no_conversation_is_not_repaired():
    with pytest.raises(ProgramError, match="unknown format"):
        repair([{"no": "message"}])


def test_the_texts_of_rows_are_the_repaired_file():
    pretty = json.dumps({"messages": HEALTHY}, indent=1).encode()
    kept = [row("a", HEALTHY), b"", b"no JSON", b"two\nlines", b"\xff\n", pretty]
    with Rows(command="repair") as rows:
        records = rows.records([*kept, row("b", STUCK)])
    texts = [record["text"] for record in records]
    assert texts[4] == {"hex": "ff0a"}
    assert [text.encode() for at, text in enumerate(texts[:6]) if at != 4] == [
        text for at, text in enumerate(kept) if at != 4
    ]
    assert len(json.loads(texts[6])["messages"]) == 4
