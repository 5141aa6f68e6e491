"""The row protocol, with the real program, and with processes that break it."""

from __future__ import annotations

import os
import signal
import sys

import pytest
from conftest import HEALTHY, STUCK, row

from transcript_doctor import ProgramError, Rows, _rows


def test_each_row_has_its_record():
    with Rows() as rows:
        first = rows.records([row("a", STUCK), row("b", HEALTHY)])
        second = rows.records([row("c", STUCK)])
        assert rows.records([]) == []
    keys = [record["row"] for record in first + second]
    assert keys == [{"line": 1, "key": "a"}, {"line": 2, "key": "b"}, {"line": 3, "key": "c"}]
    assert [record["verdict"] for record in first + second] == ["stuck", "healthy", "stuck"]


def test_more_than_pipes_hold_goes_both_ways():
    """Several MB in and out: either pipe holds 64 KB."""
    large = [{**STUCK[0], "content": "x" * 5000}, *STUCK[1:]]
    with Rows() as rows:
        records = rows.records([row(str(n), large) for n in range(3000)])
    assert [record["row"]["key"] for record in records] == [str(n) for n in range(3000)]


def test_rows_that_cannot_be_checked_have_records():
    with Rows() as rows:
        records = rows.records([b"", b"no JSON", row("a", STUCK)[:50], row("b", HEALTHY)])
    assert ["error" in record for record in records] == [True, True, True, False]


def test_line_breaks_between_tokens_are_spaces():
    pretty = row("a", STUCK).replace(b", ", b",\n") + b"\n"
    in_text = row("b", HEALTHY).replace(b"Hello", b"Hello\n")
    with Rows() as rows:
        records = rows.records([pretty, in_text, row("c", HEALTHY)])
    assert (records[0]["verdict"], records[2]["row"]["key"]) == ("stuck", "c")
    assert "line break" in records[1]["error"]


def test_a_killed_process_is_an_error():
    with pytest.raises(ProgramError, match="after the records of 1 rows.*killed by signal 9"):
        rows = Rows()
        rows.records([row("a", STUCK)])
        os.kill(rows.pid, signal.SIGKILL)
        rows.records([row("b", STUCK)] * 1000)


def test_a_wrong_option_is_an_error():
    with pytest.raises(ProgramError, match="exit status 2.*--no-such-option"):
        Rows("--no-such-option").records([row("a", STUCK)])


@pytest.mark.parametrize(
    ("lines", "end", "status", "error"),
    [
        ([1], "\n", 0, "after the records of 1 rows"),
        ([1, 2], "", 0, "after the records of 1 rows"),
        ([2], "\n", 0, "another record than that of row 1"),
        ([1, 2, 3], "\n", 0, "bytes more"),
        ([1, 2], "\n", 70, "exit status 70"),
    ],
    ids=["a row is not answered", "half a record", "a row is left out", "too many", "a bug"],
)
def test_a_broken_protocol_is_an_error(tmp_path, monkeypatch, lines, end, status, error):
    output = "\n".join(f'{{"row": {{"line": {line}}}}}' for line in lines) + end
    program = tmp_path / "program"
    body = f"sys.stdin.read(10); print({output!r}, end=''); sys.exit({status})"
    program.write_text(f"#!{sys.executable}\nimport sys; {body}\n")
    program.chmod(0o755)
    monkeypatch.setattr(_rows, "find_binary", lambda: program)
    with pytest.raises(ProgramError, match=error), Rows() as rows:
        rows.records([row("a", STUCK), row("b", STUCK)])


@pytest.mark.parametrize("rows", [[STUCK], ["text"], [None], b"text", [row("a", STUCK), {}]])
def test_rows_of_a_wrong_type_are_an_error_and_are_not_sent(rows):
    with Rows() as running:
        with pytest.raises(TypeError, match="bytes, not"):
            running.records(rows)
        assert running.records([row("b", HEALTHY)])[0]["row"]["line"] == 1


def test_keywords_are_options():
    with Rows(target="bedrock", jobs=1) as rows:
        assert rows.records([row("a", STUCK)])[0]["target"] == "bedrock"


def test_an_error_elsewhere_ends_the_process():
    rows = Rows()
    with pytest.raises(KeyError), rows:
        raise KeyError
    with pytest.raises(ProcessLookupError):
        os.kill(rows.pid, 0)
