"""`repair()` and rows that are repaired, with the real program."""

from __future__ import annotations

import json

import pytest
from conftest import HEALTHY, STUCK, row

from transcript_doctor import (
    NotFoundError,
    RefusedError,
    Rows,
    UnknownFormatError,
    UsageError,
    check,
    repair,
    repair_file,
)


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
    assert repair(STUCK, only=["TD104", "TD102"]).messages == STUCK
    assert len(repair(STUCK, strategy="remove-turn", unsafe=True).messages) == 2
    with pytest.raises(UsageError, match="--onlys"):
        repair(STUCK, onlys="TD104")


def test_what_is_no_conversation_is_not_repaired():
    with pytest.raises(UnknownFormatError, match="unknown format"):
        repair([{"no": "message"}])


def test_no_messages_need_no_repair():
    messages, record = repair([])
    assert (messages, record["verdict"], record["changed"]) == ([], "empty", False)


@pytest.fixture
def stuck(tmp_path, monkeypatch):
    # The journal.
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = tmp_path / "stuck.json"
    path.write_text(json.dumps(STUCK))
    return path


def test_a_copy_of_a_file(stuck, tmp_path):
    before, copy = stuck.read_bytes(), tmp_path / "copy.json"
    report = repair_file(stuck, output=copy)
    assert report["conversations"][0]["applied"]["inserted"] == 1
    assert (report["conversations"][0]["verdict"], stuck.read_bytes()) == ("healthy", before)
    assert check(copy)["summary"]["healthy"] == 1
    with pytest.raises(UsageError, match="exists"):
        repair_file(stuck, output=copy)
    assert repair_file(stuck, output=copy, force=True)["exit_code"] == 0


def test_a_file_in_place(stuck):
    before = stuck.read_bytes()
    planned = repair_file(stuck, dry_run=True)["conversations"][0]
    assert (planned["verdict"], stuck.read_bytes()) == ("stuck", before)
    repaired = repair_file(stuck)["conversations"][0]
    assert (repaired["verdict"], repaired["applied"]["op"]) == ("healthy", 1)
    assert check(stuck)["summary"]["healthy"] == 1


def test_a_file_that_is_in_use_is_refused(stuck):
    with open(stuck, "ab"), pytest.raises(RefusedError, match="open for writing") as raised:
        repair_file(stuck)
    assert raised.value.report["conversations"][0]["verdict"] == "stuck"


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(NotFoundError):
        repair_file(tmp_path / "gone.jsonl")


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
