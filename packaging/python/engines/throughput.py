"""What the adapters cost: bytes that a core checks in a second, beside the plain command.

Processor time is counted, because other work on the machine changes it less than the time on a
clock: of the processes that check (the program, and the Python process that feeds it), and of all,
with what reads Parquet, moves data and schedules. What a job of few rows takes is subtracted.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from processes import Process, below

from transcript_doctor import find_binary, ray_map_batches, spark_map_in_arrow

CORES = os.cpu_count() or 1
# Rows of the small job; the large one repeats them.
FEW = 64


def conversation(number: int, size: int) -> bytes:
    """Make a healthy conversation of about `size` bytes, as a coding agent has them."""
    output = f"line {number}: 'quoted', a tab\t and an umlaut \u00fc\n" * 12
    messages: list[dict] = [{"role": "user", "content": "Fix the test."}]
    for step in range(size // 850):
        function = {"name": "bash", "arguments": json.dumps({"command": f"cat {step}.py"})}
        call = {"id": f"call_{number}_{step}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": output})
    messages.append({"role": "assistant", "content": "Done."})
    return json.dumps({"id": str(number), "messages": messages}).encode()


class Meter(threading.Thread):
    """Samples the processor time of this process and all below it."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.seen: dict[int, Process] = {}
        # This process feeds the plain command, which may be too short to be seen.
        self.feeding: set[int] = {os.getpid()}
        self.stopped = threading.Event()

    def run(self) -> None:
        while not self.stopped.wait(0.1):
            self.sample()

    def sample(self) -> None:
        """Remember what each process took, and which of them feed programs."""
        processes = below()
        self.seen.update(processes)
        self.running = [process for process in processes.values() if process.is_program()]
        self.feeding |= {process.parent for process in self.running}

    def read(self) -> tuple[float, float]:
        """Return the seconds of the processes that check, and of all."""
        self.sample()
        # A program that ended is counted with the process that fed it. That may be this one, which
        # does other work, too.
        checking = sum(process.seconds for process in self.running)
        for number in self.feeding:
            own = self.seen[number].seconds if number != os.getpid() else 0
            checking += own + self.seen[number].of_children
        return checking, sum(process.seconds for process in self.seen.values())


class Cost(NamedTuple):
    """Seconds for a row."""

    checking: float
    all: float
    wall: float


def measure(run: Callable[[Path], int], data: dict[int, Path]) -> Cost:
    """Run few rows and many, and return what a row costs."""
    meter = Meter()
    meter.start()
    costs = []
    # The first run only starts the engine.
    for rows, path in [min(data.items()), *sorted(data.items())]:
        (checking, everything), began = meter.read(), time.monotonic()
        if (done := run(path)) != rows:
            sys.exit(f"{done} results of {rows} rows")
        wall = time.monotonic() - began
        after = meter.read()
        costs.append((rows, after[0] - checking, after[1] - everything, wall))
    meter.stopped.set()
    _, few, many = costs
    rows, *seconds = (more - less for more, less in zip(many, few, strict=True))
    return Cost(*(each / rows for each in seconds))


def plain(path: Path) -> int:
    """Run the command on the same rows as lines of a file."""
    command = [
        find_binary(),
        "check",
        "--rows",
        "--format",
        "jsonl",
        "--isolated",
        "--jobs",
        "1",
        "-",
    ]
    with path.with_suffix(".jsonl").open("rb") as rows:
        ran = subprocess.run(command, stdin=rows, stdout=subprocess.PIPE, check=True)
    return ran.stdout.count(b"\n")


def on_ray(path: Path) -> int:
    import ray

    if not ray.is_initialized():
        ray.init(num_cpus=CORES, include_dashboard=False, log_to_driver=False)
        ray.data.DataContext.get_current().enable_progress_bars = False
    pool = ray.data.ActorPoolStrategy(size=CORES)
    # Reading takes a core of its own for a moment, so actors leave a little of theirs.
    checked = ray_map_batches(
        ray.data.read_parquet(str(path)), "text", compute=pool, num_cpus=0.5, batch_size=256
    )
    return sum(table.num_rows for table in checked.iter_batches(batch_format="pyarrow"))


def on_spark(path: Path) -> int:
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master(f"local[{CORES}]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "4g")
        # A batch of 4,096 rows of 100 kB, which is the default, takes 400 MB.
        .config("spark.sql.parquet.columnarReaderBatchSize", "256")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "256")
        .config("spark.sql.files.maxPartitionBytes", str(32 << 20))
        .getOrCreate()
    )
    checked = spark_map_in_arrow(spark.read.parquet(str(path)), "text")
    checked.write.mode("overwrite").parquet(str(path.with_suffix(".checked")))
    return spark.read.parquet(str(path.with_suffix(".checked"))).count()


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=400)
    parser.add_argument("--row-bytes", type=int, default=[8_000, 100_000], nargs="+")
    arguments = parser.parse_args()
    print(f"{CORES} cores, {arguments.megabytes} MB\n")
    print(
        "| rows of | runner | MB/s of a core that checks | of the plain command | all processes |"
    )
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        total = arguments.megabytes * 1_000_000
        jobs = [write(Path(folder), size, total) for size in arguments.row_bytes]
        # Engines leave processes behind, which would be counted with the plain command.
        bare = [measure(plain, data) for _, data in jobs]
        for runner in (plain, on_ray, on_spark):
            for (row_bytes, data), first in zip(jobs, bare, strict=True):
                cost = first if runner is plain else measure(runner, data)
                print(
                    f"| {row_bytes:,.0f} bytes | {runner.__name__} "
                    f"| {row_bytes / cost.checking / 1e6:.0f} "
                    f"| {first.checking / cost.checking:.0%} | {first.all / cost.all:.0%} |",
                    flush=True,
                )


def write(folder: Path, size: int, total: int) -> tuple[float, dict[int, Path]]:
    """Write few and many rows, as Parquet without compression and as lines of a file."""
    rows = [conversation(number, size) for number in range(FEW)]
    row_bytes = sum(map(len, rows)) / FEW
    data = {}
    for count in (FEW, int(total / row_bytes)):
        path = data[count] = folder / f"{size}-{count}.parquet"
        texts = [rows[number % FEW] for number in range(count)]
        table = pa.table({"text": pa.array(texts, pa.binary()).cast(pa.large_string())})
        pq.write_table(table, path, compression="none", row_group_size=2000, use_dictionary=False)
        path.with_suffix(".jsonl").write_bytes(b"".join(text + b"\n" for text in texts))
    return row_bytes, data


if __name__ == "__main__":
    main()
