"""Checks, explanations, and `python -m transcript_doctor`, with the real program."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from conftest import HEALTHY, STUCK

import transcript_doctor
from transcript_doctor import (
    NotFoundError,
    ProgramError,
    UnknownFormatError,
    UsageError,
    check,
    check_many,
    explain,
)


def codes(report):
    return [finding["code"] for found in report["conversations"] for finding in found["findings"]]


def write(path, messages):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(messages))
    return path


def test_messages():
    report = check(STUCK)
    assert (report["summary"]["stuck"], codes(report)) == (1, ["TD101"])
    assert check(HEALTHY)["conversations"][0]["verdict"] == "healthy"


def test_the_body_of_a_request():
    found = check({"model": "gpt-5", "messages": STUCK})["conversations"][0]
    assert (found["verdict"], found["target"]) == ("stuck", "openai-chat")


def test_no_messages_are_empty():
    report = check([])
    assert (report["summary"]["empty"], report["summary"]["conversations"]) == (1, 1)
    assert report["conversations"][0]["verdict"] == "empty"
    assert report["exit_code"] == 0
    assert set(report["summary"]) == set(check(STUCK)["summary"])
    assert set(report["conversations"][0]) < set(check(STUCK)["conversations"][0])
    assert check({"model": "gpt-5", "messages": []})["summary"]["empty"] == 1


def test_a_file_and_a_folder(tmp_path):
    file = write(tmp_path / "runs" / "-stuck.json", STUCK)
    assert codes(check(file)) == codes(check(str(file.parent))) == ["TD101"]


def test_options_are_those_of_the_command_line():
    assert codes(check(STUCK, "--ignore", "TD101")) == []
    assert codes(check(STUCK, ignore="TD101")) == []
    assert codes(check(STUCK, select=["TD101", "TD104"])) == ["TD101"]
    assert codes(check(STUCK, select=["TD102", "TD104"], min_confidence="certain")) == []
    assert check(STUCK, target="bedrock")["target"] == "bedrock"
    assert check(STUCK, from_="openai-chat", rows=False)["summary"]["stuck"] == 1


def test_a_wrong_option_is_an_error_of_its_own():
    with pytest.raises(UsageError, match="exit status 2.*--targets"):
        check(STUCK, "--targets", "anthropic")
    with pytest.raises(UsageError, match="--targets"):
        check(STUCK, targets="anthropic")
    with pytest.raises(UsageError, match="possible values"):
        check(STUCK, target="gemini-cli")


def test_half_a_surrogate_pair_is_passed_on():
    report = check([{"role": "user", "content": "\ud83d"}, {"role": "assistant", "content": "Hi"}])
    assert report["summary"]["conversations"] == 1


def test_what_cannot_be_checked_is_not_healthy(tmp_path):
    with pytest.raises(UnknownFormatError, match="unknown format"):
        check([{"no": "message"}])
    with pytest.raises(NotFoundError, match="gone.jsonl: no such file"):
        check(tmp_path / "gone.jsonl")
    with pytest.raises(NotFoundError, match="no session has this ID"):
        check("5f1c7e1a")
    (tmp_path / "empty").mkdir()
    with pytest.raises(NotFoundError, match="exit status 5"):
        check(tmp_path / "empty")


def test_an_error_has_the_report_of_the_others(tmp_path):
    write(tmp_path / "runs" / "stuck.json", STUCK)
    unreadable = write(tmp_path / "runs" / "list.json", [])
    with pytest.raises(ProgramError, match="list.json") as raised:
        check(tmp_path / "runs", str(unreadable))
    assert codes(raised.value.report) == ["TD101"]


def test_many_paths_in_one_process(tmp_path, monkeypatch):
    stuck = write(tmp_path / "runs" / "stuck.json", STUCK)
    fine = write(tmp_path / "runs" / "fine.json", HEALTHY)
    alone = write(tmp_path / "alone.json", STUCK)
    unknown = write(tmp_path / "unknown.json", {"no": "message"})
    started = []
    start = subprocess.Popen

    def counted(*arguments, **keywords):
        started.append(arguments)
        return start(*arguments, **keywords)

    monkeypatch.setattr(subprocess, "Popen", counted)
    gone = tmp_path / "gone*.json"
    records = list(check_many([tmp_path / "runs", "alone.json", unknown, gone], jobs=1))
    assert len(started) == 1
    found = {record["path"]: record.get("verdict") or record["error"] for record in records}
    assert found == {
        str(stuck): "stuck",
        str(fine): "healthy",
        str(alone): "stuck",
        str(unknown): "unknown format",
        str(gone): "no such file or folder",
    }


def test_every_path_has_a_record(tmp_path):
    file = write(tmp_path / "runs" / "stuck.json", STUCK)
    other = tmp_path / "other.json"
    os.link(file, other)
    (tmp_path / "empty").mkdir()
    odd = tmp_path / os.fsdecode(b"odd\xff.json")
    odd.write_text(json.dumps(STUCK))
    records = list(check_many([file.parent, file, other, tmp_path / "empty", odd]))
    assert [record["path_hex"] for record in records if "path_hex" in record] == [
        os.fsencode(odd).hex()
    ]
    errors = {record["path"]: record["error"] for record in records if "error" in record}
    assert errors == {str(tmp_path / "empty"): "no transcript was found"}
    assert {record["path"] for record in records} >= {str(file), str(other)}
    assert list(check_many([])) == []


def test_many_paths_end_with_the_program(tmp_path):
    files = [write(tmp_path / f"{n}.json", STUCK) for n in range(20)]
    records = check_many(files)
    assert next(records)["verdict"] == "stuck"
    records.close()
    with pytest.raises(UsageError, match="--targets"):
        list(check_many(files, targets="anthropic"))


def test_explanations(tmp_path):
    file = write(tmp_path / "stuck.json", STUCK)
    assert explain("TD104")["code"] == "TD104"
    assert explain(file)["conversation"]["verdict"] == "stuck"
    assert explain(STUCK)["conversation"]["verdict"] == "stuck"
    assert explain(f"{file}:1")["records"]
    assert explain(file, call="call_1", from_="openai-chat")["records"]
    error = "tool_use ids were found without tool_result blocks immediately after: call_1"
    assert "TD101" in explain(error=error)["read"]["codes"]
    assert explain(file, error=error)["found"]
    with pytest.raises(NotFoundError):
        explain(tmp_path / "gone.jsonl")
    with pytest.raises(UnknownFormatError):
        explain([{"no": "message"}])
    with pytest.raises(UsageError):
        explain(file, "--nonsense")


def test_the_version_is_that_of_the_program():
    ran = subprocess.run(
        [transcript_doctor.find_binary(), "--version"], capture_output=True, text=True
    )
    assert ran.stdout.startswith(f"transcript-doctor {transcript_doctor.__version__} ")
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = transcript_doctor.no_such_name


def test_the_module_is_the_program():
    ran = subprocess.run(
        [sys.executable, "-m", "transcript_doctor", "check", "--isolated", "-"],
        input=json.dumps(STUCK),
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 1
    assert "TD101" in ran.stdout
