"""Conversations in the columns of tables."""

from __future__ import annotations

import json

import pytest
from conftest import CALL, HEALTHY, STUCK

from transcript_doctor import check_table

pa = pytest.importorskip("pyarrow")

ROWS = [{"id": 1, "messages": HEALTHY}, {"id": 2, "messages": STUCK}]


def verdicts(table, **options):
    return [
        (record["id"], record["verdict"]) for record in check_table(table, keep=["id"], **options)
    ]


def test_rows_of_a_table_have_their_records():
    # Arrow gives each message all members, most of them null.
    table = pa.Table.from_pylist(ROWS)
    assert table["messages"][0].as_py()[0]["tool_calls"] is None
    assert verdicts(table) == [(1, "healthy"), (2, "stuck")]
    assert verdicts(
        pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
    ) == verdicts(table)


def test_files_are_read_in_parts(tmp_path):
    import pyarrow.parquet

    table = pa.Table.from_pylist(ROWS * 1500)
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    with (
        pa.OSFile(str(tmp_path / "a.arrow"), "wb") as out,
        pa.ipc.new_file(out, table.schema) as file,
    ):
        file.write_table(table)
    with (
        pa.OSFile(str(tmp_path / "b.arrow"), "wb") as out,
        pa.ipc.new_stream(out, table.schema) as file,
    ):
        file.write_table(table)
    for name in ["a.parquet", "a.arrow", "b.arrow"]:
        assert verdicts(tmp_path / name) == [(1, "healthy"), (2, "stuck")] * 1500, name


def test_columns_of_text_are_json():
    answer = {"role": "assistant", "content": None, "tool_calls": [CALL]}
    texts = {"id": 1, "messages": json.dumps(STUCK)}
    assert verdicts(pa.Table.from_pylist([texts])) == [(1, "stuck")]
    pair = {"id": 1, "prompt": [STUCK[0]], "completion": [answer]}
    assert verdicts(pa.Table.from_pylist([pair])) == [(1, "pending")]


def test_a_table_without_conversations_is_an_error():
    with pytest.raises(ValueError, match="no column of messages"):
        list(check_table(pa.Table.from_pylist([{"id": 1}])))


def test_datasets_are_tables(tmp_path):
    datasets = pytest.importorskip("datasets")
    own = datasets.Dataset.from_list(ROWS)
    assert verdicts(own) == [(1, "healthy"), (2, "stuck")]
    own.save_to_disk(tmp_path / "own")
    [file] = (tmp_path / "own").glob("*.arrow")
    assert verdicts(file) == verdicts(own)
    # Rows that a provider would reject are left out.
    bad = {record["id"] for record in check_table(own, keep=["id"]) if record["verdict"] == "stuck"}
    assert own.filter(lambda row: row["id"] not in bad)["id"] == [1]
