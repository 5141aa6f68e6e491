"""What the adapters cost for paths: each worker does its part with the adapter and with the plain
command, in turns, so that both have the same machine.

Processor time is counted: of the program, and of the thread in Python that runs it.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
from throughput import CORES, FEW, conversation

from transcript_doctor import find_binary
from transcript_doctor._engines import _ask_paths

# What is measured of a part: bytes, and processor seconds of each.
NAMES = ("bytes", "adapter", "plain")


def beside(table: pa.Table, times: int = 3) -> pa.Table:
    """Measure a table of paths."""
    paths = table.column("path").to_pylist()
    costs: dict[Callable[[pa.Table], int], float] = {adapter: 0, plain: 0}
    # The first round is not counted: it reads the files from the disk.
    for counted in [False] + [True] * times:
        results = set()
        for run in costs:
            before = processor_time()
            results.add(run(table))
            costs[run] += counted * (processor_time() - before)
        assert len(results) == 1, results
    size = times * sum(map(os.path.getsize, paths))
    return pa.table({"bytes": [float(size)], "adapter": [costs[adapter]], "plain": [costs[plain]]})


def processor_time() -> float:
    """Return the seconds of this thread, and of all processes that ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.thread_time() + ended.ru_utime + ended.ru_stime


def adapter(table: pa.Table) -> int:
    return sum(len(part) for part in _ask_paths(table, "path", (), ("path",)))


def plain(table: pa.Table) -> int:
    """Run one command for all, and count its records, as any reader would."""
    command = [find_binary(), "check", "--files-from", "-", "--format", "jsonl", "--isolated"]
    paths = "".join(f"{path}\n" for path in table.column("path").to_pylist())
    with tempfile.TemporaryFile() as records:
        subprocess.run([*command, "--jobs", "1"], input=paths.encode(), stdout=records, check=True)
        records.seek(0)
        # The last line is that of the run.
        return sum(1 for _ in records) - 1


def on_ray(paths: list[str]) -> list[dict[str, float]]:
    import ray

    if not ray.is_initialized():
        ray.init(num_cpus=CORES, include_dashboard=False, log_to_driver=False)
        ray.data.DataContext.get_current().enable_progress_bars = False
    table = ray.data.from_items([{"path": path} for path in paths]).repartition(2 * CORES)
    return table.map_batches(beside, batch_format="pyarrow", batch_size=None).take_all()


def on_spark(paths: list[str]) -> list[dict[str, float]]:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(f"local[{CORES}]")
    spark = builder.config("spark.ui.enabled", "false").getOrCreate()

    def measured(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from beside(pa.Table.from_batches([batch])).to_batches()

    schema = ", ".join(f"{name} double" for name in NAMES)
    table = spark.createDataFrame([(path,) for path in paths], "path string")
    found = table.repartition(2 * CORES).mapInArrow(measured, schema).collect()
    return [row.asDict() for row in found]


def write(folder: Path, rows: int, size: int, total: int) -> tuple[str, list[str]]:
    """Write files with so many conversations of about this size. Returns what they are."""
    texts = [conversation(number, size) + b"\n" for number in range(FEW)]
    below = folder / f"{rows}-{size}"
    below.mkdir()
    paths, written = list[str](), 0
    while written < total:
        path = below / f"{len(paths)}.jsonl"
        written += path.write_bytes(
            b"".join(texts[(len(paths) + row) % FEW] for row in range(rows))
        )
        paths.append(str(path))
    each = written // len(paths) // rows
    kind = f"files of {rows:,} rows of {each:,} bytes" if rows > 1 else f"files of {each:,} bytes"
    return kind, paths


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=200)
    total = parser.parse_args().megabytes * 1_000_000
    print("| data | runner | MB/s of a core | plain command | of that |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        sizes = [(1, 20_000), (1, 100_000), (2_000, 8_000)]
        data = [write(Path(folder), rows, size, total) for rows, size in sizes]
        for runner in (on_ray, on_spark):
            for kind, paths in data:
                parts = runner(paths)
                size, own, bare = (sum(part[name] for part in parts) for name in NAMES)
                print(
                    f"| {kind} | {runner.__name__} | {size / own / 1e6:.0f} "
                    f"| {size / bare / 1e6:.0f} | {bare / own:.0%} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
