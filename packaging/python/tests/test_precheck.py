"""`precheck()`, with the real program."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest
from conftest import HEALTHY, STUCK

from transcript_doctor import ProgramError, UnknownFormatError, UsageError, _precheck, precheck


@pytest.fixture(autouse=True)
def no_processes():
    yield
    _precheck._stop()
    _precheck._running.clear()


def pids():
    return [running.rows.pid for running in _precheck._running.values() if running.rows]


def test_one_process_answers_every_request():
    assert precheck(STUCK)["verdict"] == "stuck"
    first = pids()
    assert precheck(HEALTHY)["verdict"] == "healthy"
    record = precheck(STUCK)
    assert [finding["code"] for finding in record["findings"]] == ["TD101"]
    assert pids() == first
    assert precheck({"model": "gpt-5", "messages": STUCK}, target="openai-chat")["target_certain"]
    assert len(pids()) == 2


def test_no_messages_are_empty():
    assert precheck([])["verdict"] == "empty"
    assert precheck({"input": []})["findings"] == []
    assert pids() == []


def test_what_is_no_conversation_stops_nothing():
    with pytest.raises(UnknownFormatError, match="unknown format"):
        precheck([{"no": "message"}])
    first = pids()
    assert precheck(HEALTHY)["verdict"] == "healthy"
    assert pids() == first


def test_a_wrong_option_is_an_error():
    with pytest.raises(UsageError, match="--targets"):
        precheck(STUCK, targets="anthropic")
    assert pids() == []


def test_another_process_replaces_one_that_died():
    assert precheck(STUCK)["verdict"] == "stuck"
    os.kill(pids()[0], signal.SIGKILL)
    with pytest.raises(ProgramError, match="killed by signal 9"):
        precheck(STUCK)
    assert precheck(STUCK)["verdict"] == "stuck"


def test_messages_that_are_no_json_stop_nothing():
    with pytest.raises(TypeError):
        precheck([{"role": "user", "content": object()}])
    assert precheck(STUCK)["verdict"] == "stuck"


def test_threads_get_their_own_answers():
    wrong = []

    def ask(messages, verdict):
        for _ in range(50):
            if precheck(messages)["verdict"] != verdict:
                wrong.append(verdict)

    asked = [(STUCK, "stuck"), (HEALTHY, "healthy")] * 3
    threads = [threading.Thread(target=ask, args=own) for own in asked]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in threads)
    assert wrong == []
    assert len(pids()) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_fork_starts_its_own():
    code = f"""
import os
from transcript_doctor import precheck
assert precheck({STUCK!r})["verdict"] == "stuck"
child = os.fork()
assert precheck({HEALTHY!r})["verdict"] == "healthy"
if child:
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=60)
