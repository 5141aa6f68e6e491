"""The list protocol: paths in, and what the program reports of each, in their order."""

from __future__ import annotations

import io
import json
import os
import subprocess
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ._binary import find_binary
from ._errors import failure

# Engines bring it along; the rest of the package needs nothing.
if TYPE_CHECKING:
    import pyarrow as pa

# What one process checks: so much that its start does not count, and so little that its records
# fit in memory.
_MOST_BYTES = 64 << 20
_MOST_PATHS = 4096

# Columns of the result.
_COLUMNS = ("verdict", "codes", "error", "record")


class Answers(NamedTuple):
    """Records, and which path each of them is about, by its place among those that were asked."""

    about: list[int]
    columns: dict[str, pa.Array]


def parts(paths: Sequence[bytes | None]) -> Iterator[range]:
    """Divide paths into parts, each for one process."""
    start, size = 0, 0
    for at, path in enumerate(paths):
        size += _size(path)
        if size >= _MOST_BYTES or at + 1 - start >= _MOST_PATHS:
            yield range(start, at + 1)
            start, size = at + 1, 0
    if start < len(paths):
        yield range(start, len(paths))


def check_paths(paths: Sequence[bytes | None], options: Sequence[str]) -> Answers:
    """Check paths. Each has at least one record: of its conversations, or of why there is none.

    Raises ProgramError if the program failed.
    """
    import pyarrow as pa

    reasons = [refused(path) for path in paths]
    asked = {path for path, why in zip(paths, reasons, strict=True) if path and not why}
    # A run reports a file once, so of a folder and a file in it, each is asked alone.
    apart = {folder for path in asked for folder in above(path) if folder in asked}
    together, _ = _run(sorted(asked - apart), options)
    own = _owned(together, {os.fsdecode(path) for path in asked - apart})
    tables, count = [_independent(together, own)], together.num_rows
    about, rows = list[int](), list[int]()
    for at, (path, why) in enumerate(zip(paths, reasons, strict=True)):
        found = own.get(os.fsdecode(path or b""), [])
        if why or not found:
            # Another path may be the same file, or the path in the answer is another one, such as
            # the folder of a conversation.
            more = _errors([(path or b"", why)]) if why else _alone(path or b"", options)
            tables.append(more)
            found = list(range(count, count + more.num_rows))
            count += more.num_rows
        about += [at] * len(found)
        rows += found
    table = pa.concat_tables(tables).take(rows).combine_chunks()
    return Answers(about, {name: table.column(name) for name in _COLUMNS})


def _size(path: bytes | None) -> int:
    try:
        return os.stat(path).st_size if path else 0
    except (OSError, ValueError):
        return 0


def refused(path: bytes | None) -> str:
    """Say why a path is not passed on: the program would read it as a pattern, or as an ID."""
    if not path:
        return "no path"
    if b"\0" in path or not os.path.isabs(path):
        return "not an absolute path"
    # A session is DATABASE#SESSION.
    database, mark, _ = path.partition(b"#")
    if not os.path.lexists(path) and not (mark and os.path.isfile(database)):
        return "no such file or folder"
    return ""


def above(path: bytes) -> Iterator[bytes]:
    """Yield the folders that a path is in, as they may be written, and the database."""
    outer = path.rstrip(b"/")
    while (mark := max(outer.rfind(b"/"), outer.rfind(b"#"))) > 0:
        outer = outer[:mark]
        yield outer
        yield outer + b"/"


def _owned(table: pa.Table, asked: Collection[str]) -> dict[str, list[int]]:
    """Find the records of each path: those with its name, and of what is in it."""
    own = dict[str, list[int]]()
    for row, path in enumerate(table.column("path").to_pylist()):
        if (owner := _owner(path, asked)) is not None:
            own.setdefault(owner, []).append(row)
    return own


def _owner(path: str, asked: Collection[str]) -> str | None:
    if path in asked:
        return path
    names = map(os.fsdecode, above(os.fsencode(path)))
    return next((name for name in names if name in asked), None)


def _independent(table: pa.Table, own: Collection[str]) -> pa.Table:
    """Remove parents that are known only because they happen to be in the same part."""
    import pyarrow as pa

    parents = table.column("parent")
    if parents.null_count == table.num_rows:
        return table
    records = table.column("record").to_pylist()
    paths = table.column("path").to_pylist()
    for row, (path, parent) in enumerate(zip(paths, parents.to_pylist(), strict=True)):
        if parent is not None and _owner(path, own) != _owner(parent, own):
            record = json.loads(records[row])
            del record["parent"]
            records[row] = json.dumps(record, separators=(",", ":"))
    at = table.column_names.index("record")
    return table.set_column(at, "record", pa.array(records, pa.string()))


def _alone(path: bytes, options: Sequence[str]) -> pa.Table:
    found, skipped = _run([path], options)
    if found.num_rows:
        return found
    return skipped if skipped.num_rows else _errors([(path, "no transcript was found")])


def _run(paths: Collection[bytes], options: Sequence[str]) -> tuple[pa.Table, pa.Table]:
    """Return the records of what was checked or could not be, and of what was skipped."""
    import pyarrow as pa

    if not paths:
        return _errors([]), _errors([])
    protocol = ["--files-from", "-", "--format", "jsonl", "--isolated", "--jobs", "1"]
    ran = subprocess.run(
        [find_binary(), "check", *protocol, *options],
        capture_output=True,
        input=b"".join(path + b"\0" for path in paths),
        # From the root, the program names every file by its whole path, as it was asked for.
        cwd=os.path.abspath(os.sep),
    )
    end = ran.stdout.rfind(b"\n", 0, -1) + 1
    lines, last = ran.stdout[:end], ran.stdout[end:]
    # 1: problems were found; 3: something was not checked; 5: nothing was found
    if ran.returncode not in {0, 1, 3, 5} or not last.startswith(b'{"schema":'):
        raise failure(f"did not check {len(paths)} paths", ran.returncode, ran.stderr)
    report = json.loads(last)
    missed, skipped = (
        _errors([(os.fsencode(entry["path"]), entry["why"]) for entry in report[name]])
        for name in ("not_checked", "skipped")
    )
    return pa.concat_tables([_conversations(lines), missed]), skipped


def _conversations(lines: bytes) -> pa.Table:
    """Read records. Arrow does that in a third of the time that Python objects would take."""
    import pyarrow as pa
    import pyarrow.json

    findings = pa.list_(pa.struct([("code", pa.string())]))
    names = ("path", "parent", "verdict")
    schema = pa.schema([*((name, pa.string()) for name in names), ("findings", findings)])
    if not lines:
        return _errors([])
    read = pyarrow.json.read_json(
        io.BytesIO(lines),
        # A record must not be longer than a block.
        pyarrow.json.ReadOptions(use_threads=False, block_size=len(lines)),
        pyarrow.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
    )
    found = read.column("findings").combine_chunks()
    return pa.table(
        {
            **{name: read.column(name) for name in names},
            "codes": pa.ListArray.from_arrays(found.offsets, found.values.field("code")),
            "error": pa.nulls(read.num_rows, pa.string()),
            "record": pa.array(lines[:-1].split(b"\n"), pa.binary()).cast(pa.string()),
        }
    )


def _errors(reasons: Sequence[tuple[bytes, str]]) -> pa.Table:
    """Make the records of paths that cannot be checked."""
    import pyarrow as pa

    paths = [path.decode(errors="replace") for path, _ in reasons]
    records = [
        json.dumps({"path": path, "error": why}, separators=(",", ":"))
        for path, (_, why) in zip(paths, reasons, strict=True)
    ]
    columns: dict[str, list[object]] = {
        "path": [*paths],
        "parent": [None] * len(paths),
        "verdict": [None] * len(paths),
        "codes": [[] for _ in paths],
        "error": [why for _, why in reasons],
        "record": [*records],
    }
    kind = {name: pa.list_(pa.string()) if name == "codes" else pa.string() for name in columns}
    return pa.table({name: pa.array(own, kind[name]) for name, own in columns.items()})
