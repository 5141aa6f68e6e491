"""Tables with a conversation in each row: Parquet and Arrow files, Arrow tables, and datasets."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ._rows import Rows

# Who has such files has pyarrow; check() does not need it.
if TYPE_CHECKING:
    import os

    import pyarrow as pa

    from .types import Record

# The columns of a conversation, as libraries for training name them.
COLUMNS = ("messages", "conversations", "prompt", "completion", "chosen", "rejected", "tools")

# Rows that are read, sent, and answered at once.
BATCH = 1000


def check_table(
    table: str | os.PathLike[str] | pa.Table | pa.RecordBatchReader | Any,
    *options: str,
    columns: Sequence[str] = COLUMNS,
    keep: Sequence[str] = (),
) -> Iterator[Record]:
    """Check each row of a table, and give the record of each, with the columns in `keep`.

    `table` is a Parquet or Arrow file, a table or a reader of pyarrow, or a `datasets.Dataset`.
    Those of `columns` that it has make up the row that is checked. A text in one of them is read as
    JSON. `options` are those of `check --rows`. Raises ValueError if there is no such column.
    """
    with Rows(*options) as rows:
        for batch in _batches(table, tuple({*columns, *keep})):
            own = [name for name in columns if name in batch.schema.names]
            if not own:
                raise ValueError(f"no column of {', '.join(columns)} in {batch.schema.names}")
            read = batch.to_pylist()
            texts = [_text({name: row[name] for name in own}) for row in read]
            for row, record in zip(read, rows.records(texts), strict=True):
                kept = {name: row[name] for name in keep}
                yield cast("Record", {**kept, **record})


def _batches(table: Any, wanted: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    """Split the table into parts, with the wanted columns that it has."""
    if isinstance(table, (str, Path)) or hasattr(table, "__fspath__"):
        yield from _batches_of_file(Path(table), wanted)
        return
    # A dataset of the library of that name gives tables, a reader gives batches.
    parts = table.with_format("arrow").iter(BATCH) if hasattr(table, "with_format") else [table]
    for part in parts:
        batches = part.to_batches(BATCH) if hasattr(part, "to_batches") else part
        for batch in batches:
            yield batch.select([name for name in batch.schema.names if name in wanted])


def _batches_of_file(path: Path, wanted: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    if path.suffix == ".parquet":
        import pyarrow.parquet

        file = pyarrow.parquet.ParquetFile(path)
        names = [name for name in file.schema_arrow.names if name in wanted]
        yield from file.iter_batches(BATCH, columns=names)
        return
    import pyarrow

    with pyarrow.memory_map(str(path)) as file:
        for batch in _arrow_batches(file):
            yield batch.select([name for name in batch.schema.names if name in wanted])


def _arrow_batches(file: pa.NativeFile) -> Iterator[pa.RecordBatch]:
    """Read the batches of an Arrow file, or of a stream, which `datasets` writes."""
    import pyarrow

    try:
        reader = pyarrow.ipc.open_file(file)
    except pyarrow.ArrowInvalid:
        file.seek(0)
        yield from pyarrow.ipc.open_stream(file)
        return
    for number in range(reader.num_record_batches):
        yield reader.get_batch(number)


def _text(row: dict[str, Any]) -> bytes:
    """Write the row as JSON text. What is JSON text already becomes a part of it."""
    return json.dumps({name: _value(value) for name, value in row.items()}).encode()


def _value(value: Any) -> Any:
    if not isinstance(value, str) or not value.lstrip().startswith(("[", "{")):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value
