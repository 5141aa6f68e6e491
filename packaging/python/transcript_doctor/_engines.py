"""Adapters for engines that split the work: each worker runs one process of the program."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ._rows import Rows

# Engines bring pyarrow along; check() needs none of them.
if TYPE_CHECKING:
    import pyarrow as pa
    import pyspark.sql
    import ray.data

    from .types import Record


def ray_map_batches(
    dataset: ray.data.Dataset,
    column: str,
    *options: str,
    keep: Sequence[str] = (),
    **arguments: Any,
) -> ray.data.Dataset:
    """Check the conversations of a Ray dataset, one a row, as JSON text in `column`.

    A row of the result has the columns in `keep`, and `verdict`, `codes`, `error` and `record`.
    `options` are those of the command line, `arguments` those of `Dataset.map_batches`.

    Each actor runs one process, on one core.
    """
    return dataset.map_batches(
        _Actor,
        fn_constructor_args=(column, tuple(keep), options),
        batch_format="pyarrow",
        **{"num_cpus": 1, **arguments},
    )


class _Actor:
    """What Ray keeps from batch to batch: a process."""

    def __init__(self, column: str, keep: Sequence[str], options: Sequence[str]) -> None:
        self.column, self.keep, self.options = column, keep, options
        self.rows = _start(options)

    def __call__(self, table: pa.Table) -> pa.Table:
        return _check(self.rows, table, self.column, self.keep)


def spark_map_in_arrow(
    frame: pyspark.sql.DataFrame, column: str, *options: str, keep: Sequence[str] = ()
) -> pyspark.sql.DataFrame:
    """Check the conversations of a Spark data frame, one a row, as JSON text in `column`.

    A row of the result has the columns in `keep`, and `verdict`, `codes`, `error` and `record`.
    `options` are those of the command line.

    Each partition runs one process, on one core.
    """
    from pyspark.sql.types import ArrayType, StringType, StructType

    schema = StructType([frame.schema[name] for name in keep])
    for name in ("verdict", "codes", "error", "record"):
        schema.add(name, ArrayType(StringType()) if name == "codes" else StringType())

    def check(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        with _start(options) as rows:
            for batch in batches:
                table = _check(rows, pa.Table.from_batches([batch]), column, keep)
                yield from table.to_batches()

    return frame.mapInArrow(check, schema)


def _start(options: Sequence[str]) -> Rows:
    # The engine has a worker for each core.
    return Rows("--jobs", "1", *options)


def _check(rows: Rows, table: pa.Table, column: str, keep: Sequence[str]) -> pa.Table:
    """Check the rows of a table: a table with as many rows, in the same order."""
    import pyarrow as pa

    texts = table.column(column)
    if texts.type not in {pa.string(), pa.large_string(), pa.binary(), pa.large_binary()}:
        raise TypeError(f"column {column!r} is {texts.type}, and must be JSON text")
    # Bytes, because decoding a text only to encode it again costs a fifth of a check.
    lines = texts.cast(pa.large_binary()).to_pylist()
    records = rows.records([line or b"" for line in lines])
    result = {
        "verdict": pa.array((record.get("verdict") for record in records), pa.string()),
        "codes": pa.array(map(_codes, records), pa.list_(pa.string())),
        "error": pa.array((record.get("error") for record in records), pa.string()),
        "record": pa.array(map(_text, records), pa.string()),
    }
    return pa.table({**{name: table.column(name) for name in keep}, **result})


def _codes(record: Record) -> list[str]:
    return [finding["code"] for finding in record.get("findings", ())]


def _text(record: Record) -> str:
    """Write a record without the line, which depends on how the engine groups rows."""
    del record["row"]["line"]
    for finding in record.get("findings", ()):
        for place in (*finding["records"], *finding["fix"]["actions"]):
            place.pop("line", None)
    # With escapes, because Arrow takes no half surrogate pairs.
    return json.dumps(record, separators=(",", ":"))
