"""Where the program is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

_NAME = "transcript-doctor.exe" if os.name == "nt" else "transcript-doctor"


def find_binary() -> Path:
    """Find the program: where the installer of this package put it, else on PATH.

    Raises FileNotFoundError if it is nowhere.
    """
    folders = [
        Path(sysconfig.get_path("scripts")),
        # pip install --user
        Path(sysconfig.get_path("scripts", scheme=sysconfig.get_preferred_scheme("user"))),
        # pip install --target
        Path(__file__).parent.parent / "bin",
    ]
    for folder in folders:
        if (folder / _NAME).is_file():
            return folder / _NAME
    if on_path := shutil.which(_NAME):
        return Path(on_path)
    raise FileNotFoundError(f"{_NAME} is neither in {', '.join(map(str, folders))} nor on PATH")


def version() -> str:
    """Ask the program for its version, which is that of this package."""
    printed = subprocess.run([find_binary(), "-V"], capture_output=True, check=True).stdout
    return printed.decode().split()[1]
