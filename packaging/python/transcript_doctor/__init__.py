"""Find and repair damage in transcripts of LLM agents.

This package runs the program `transcript-doctor`, which it brings along. Nothing is sent anywhere.
"""

from ._binary import find_binary
from ._check import check, check_many, explain
from ._engines import ray_map_batches, spark_map_in_arrow
from ._errors import (
    NotFoundError,
    ProgramError,
    RefusedError,
    UnknownFormatError,
    UsageError,
)
from ._precheck import precheck
from ._repair import Repaired, repair, repair_file
from ._rows import Rows
from ._tables import check_table

__all__ = [
    "NotFoundError",
    "ProgramError",
    "RefusedError",
    "Repaired",
    "Rows",
    "UnknownFormatError",
    "UsageError",
    "__version__",
    "check",
    "check_many",
    "check_table",
    "explain",
    "find_binary",
    "precheck",
    "ray_map_batches",
    "repair",
    "repair_file",
    "spark_map_in_arrow",
]

__version__: str


def __getattr__(name: str) -> str:
    # Asked for only when it is needed: the import of this package starts no process.
    if name == "__version__":
        from ._binary import version

        return version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
