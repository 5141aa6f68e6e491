"""The processes below this one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

# In a second.
TICKS = os.sysconf("SC_CLK_TCK")


class Process(NamedTuple):
    """A process, with the seconds of a processor that it took, and its children that ended."""

    parent: int
    seconds: float
    of_children: float
    words: list[bytes]

    def is_program(self) -> bool:
        """Tell whether it is the program, started by an adapter."""
        protocols = {b"--rows", b"--files-from"}
        is_one = not protocols.isdisjoint(self.words)
        return is_one and self.words[0].endswith(b"/transcript-doctor")


def below() -> dict[int, Process]:
    """Return this process and all below it. What others run on this machine is not ours."""
    everything = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            # It has ended meanwhile.
            continue
        user, system, *of_children = (int(ticks) / TICKS for ticks in fields[11:15])
        everything[int(folder.name)] = Process(
            int(fields[1]), user + system, sum(of_children), words
        )

    def is_ours(process: int) -> bool:
        while process in everything and process != os.getpid():
            process = everything[process].parent
        return process == os.getpid()

    return {number: process for number, process in everything.items() if is_ours(number)}
