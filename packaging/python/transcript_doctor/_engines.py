"""Adapters for engines that split the work: each worker runs one process, on one core.

Each row has a conversation, as JSON text in `column`. A row of the result has the columns in
`keep`, and `verdict`, `codes`, `error` and `record`; a repair adds `text`, the row after it.
`options` are those of the command line.

With `paths`, each row has an absolute path in `column` instead, of a transcript or a folder of
them, and the workers read the files. A row of the result is a record of
`check --files-from - --format jsonl`, or why there is none: a path has at least one, and a file of
rows one more for each row.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ._paths import check_paths, parts
from ._rows import Rows

# Engines bring pyarrow along; check() needs none of them.
if TYPE_CHECKING:
    import pyarrow as pa
    import pyspark.sql
    import ray.data

    from .types import RepairRecord

Command = Literal["check", "repair"]


def ray_map_batches(
    dataset: ray.data.Dataset,
    column: str,
    *options: str,
    command: Command = "check",
    keep: Sequence[str] = (),
    paths: bool = False,
    **arguments: Any,
) -> ray.data.Dataset:
    """Check or repair the conversations of a Ray dataset, as the module says.

    `arguments` are those of `Dataset.map_batches`.
    """
    worker = _PathActor if _are_paths(paths, command) else _Actor
    return dataset.map_batches(
        worker,
        fn_constructor_args=(command, options, column, tuple(keep)),
        batch_format="pyarrow",
        **{"num_cpus": 1, **arguments},
    )


class _Actor:
    """What Ray keeps from batch to batch: a process."""

    def __init__(
        self, command: Command, options: Sequence[str], column: str, keep: Sequence[str]
    ) -> None:
        self.column, self.keep = column, keep
        self.rows = _start(command, options)

    def __call__(self, table: pa.Table) -> pa.Table:
        return _ask(self.rows, table, self.column, self.keep)


class _PathActor:
    """The same for paths, with a process for each part of a batch."""

    def __init__(
        self, _: Command, options: Sequence[str], column: str, keep: Sequence[str]
    ) -> None:
        self.options, self.column, self.keep = options, column, keep

    def __call__(self, table: pa.Table) -> Iterator[pa.Table]:
        return _ask_paths(table, self.column, self.options, self.keep)


def spark_map_in_arrow(
    frame: pyspark.sql.DataFrame,
    column: str,
    *options: str,
    command: Command = "check",
    keep: Sequence[str] = (),
    paths: bool = False,
) -> pyspark.sql.DataFrame:
    """Check or repair the conversations of a Spark data frame, as the module says."""
    from pyspark.sql.types import ArrayType, StringType, StructType

    are_paths = _are_paths(paths, command)
    schema = StructType([frame.schema[name] for name in keep])
    for name in ("verdict", "codes", "error", "record"):
        schema.add(name, ArrayType(StringType()) if name == "codes" else StringType())
    if command == "repair":
        schema.add("text", frame.schema[column].dataType)

    def ask(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        with _start(command, options) as rows:
            for batch in batches:
                table = _ask(rows, pa.Table.from_batches([batch]), column, keep)
                yield from table.to_batches()

    def ask_paths(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for batch in batches:
            for table in _ask_paths(pa.Table.from_batches([batch]), column, options, keep):
                yield from table.to_batches()

    return frame.mapInArrow(ask_paths if are_paths else ask, schema)


def _are_paths(paths: bool, command: Command) -> bool:
    if paths and command != "check":
        raise ValueError(f"command={command!r} takes rows with texts, and writes no files")
    return paths


def _start(command: Command, options: Sequence[str]) -> Rows:
    # The engine has a worker for each core.
    return Rows("--jobs", "1", *options, command=command)


def _ask(rows: Rows, table: pa.Table, column: str, keep: Sequence[str]) -> pa.Table:
    """Send the rows of a table. The result has as many, in the same order."""
    import pyarrow as pa

    # As bytes, because a text would be decoded, only to be encoded again.
    lines = _bytes_in(table, column, "JSON text")
    records = rows.records([line or b"" for line in lines])
    result = {
        "verdict": pa.array((record.get("verdict") for record in records), pa.string()),
        "codes": pa.array(map(_codes, records), pa.list_(pa.string())),
        "error": pa.array((record.get("error") for record in records), pa.string()),
        "record": pa.array(map(_json, records), pa.string()),
    }
    if rows.command == "repair":
        kind = table.column(column).type
        result["text"] = pa.array(map(_bytes, records), pa.large_binary()).cast(kind)
    return pa.table({**{name: table.column(name) for name in keep}, **result})


def _ask_paths(
    table: pa.Table, column: str, options: Sequence[str], keep: Sequence[str]
) -> Iterator[pa.Table]:
    """Yield tables with the records of all paths of a table, in their order."""
    import pyarrow as pa

    paths = _bytes_in(table, column, "a path")
    kept = {name: table.column(name) for name in keep}
    for part in parts(paths):
        about, columns = check_paths([paths[at] for at in part], options)
        at = pa.array((part[own] for own in about), pa.int64())
        yield pa.table({**{name: own.take(at) for name, own in kept.items()}, **columns})


def _bytes_in(table: pa.Table, column: str, what: str) -> list[bytes | None]:
    import pyarrow as pa

    texts = table.column(column)
    if texts.type not in {pa.string(), pa.large_string(), pa.binary(), pa.large_binary()}:
        raise TypeError(f"column {column!r} is {texts.type}, and must be {what}")
    found: list[bytes | None] = texts.cast(pa.large_binary()).to_pylist()
    return found


def _codes(record: RepairRecord) -> list[str]:
    return [finding["code"] for finding in record.get("findings", ())]


def _bytes(record: RepairRecord) -> bytes:
    text = record["text"]
    return text.encode() if isinstance(text, str) else bytes.fromhex(text["hex"])


def _json(record: RepairRecord) -> str:
    """Write a record without its text, which has a column."""
    members = {name: _without_lines(own) for name, own in record.items() if name != "text"}
    # With escapes, because Arrow takes no half surrogate pairs.
    return json.dumps(members, separators=(",", ":"))


def _without_lines(value: Any) -> Any:
    """Remove the numbers of rows, which depend on how the engine groups them."""
    if isinstance(value, dict):
        return {name: _without_lines(own) for name, own in value.items() if name != "line"}
    return [_without_lines(own) for own in value] if isinstance(value, list) else value
