"""Find and repair damage in transcripts of LLM agents.

This package runs the program `transcript-doctor`, which it brings along. Nothing is sent anywhere.
"""

from ._binary import find_binary
from ._check import Repaired, check, repair
from ._engines import ray_map_batches, spark_map_in_arrow
from ._rows import ProgramError, Rows

__all__ = [
    "ProgramError",
    "Repaired",
    "Rows",
    "check",
    "find_binary",
    "ray_map_batches",
    "repair",
    "spark_map_in_arrow",
]
