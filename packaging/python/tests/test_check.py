"""`check()` and `python -m transcript_doctor`, with the real program."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from conftest import HEALTHY, STUCK

from transcript_doctor import ProgramError, check


def codes(report):
    return [finding["code"] for found in report["conversations"] for finding in found["findings"]]


def test_messages():
    report = check(STUCK)
    assert (report["summary"]["stuck"], codes(report)) == (1, ["TD101"])
    assert check(HEALTHY)["conversations"][0]["verdict"] == "healthy"


def test_a_file_and_a_folder(tmp_path):
    file = tmp_path / "runs" / "-stuck.json"
    file.parent.mkdir()
    file.write_text(json.dumps(STUCK))
    assert codes(check(file)) == codes(check(str(file.parent))) == ["TD101"]


def test_options_are_those_of_the_command_line():
    assert codes(check(STUCK, "--ignore", "TD101")) == []
    with pytest.raises(ProgramError, match="exit status 2.*--targets"):
        check(STUCK, "--targets", "anthropic")


def test_half_a_surrogate_pair_is_passed_on():
    report = check([{"role": "user", "content": "\ud83d"}, {"role": "assistant", "content": "Hi"}])
    assert report["summary"]["conversations"] == 1


def test_what_cannot_be_checked_is_not_healthy(tmp_path):
    with pytest.raises(ProgramError, match="unknown format"):
        check([{"no": "message"}])
    with pytest.raises(ProgramError, match="gone.jsonl: no such file"):
        check(tmp_path / "gone.jsonl")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ProgramError, match="exit status 5"):
        check(tmp_path / "empty")


def test_the_module_is_the_program():
    ran = subprocess.run(
        [sys.executable, "-m", "transcript_doctor", "check", "--isolated", "-"],
        input=json.dumps(STUCK),
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 1
    assert "TD101" in ran.stdout
