"""`python -m transcript_doctor` runs the program."""

import os
import subprocess
import sys

from transcript_doctor import find_binary

if __name__ == "__main__":
    command = [str(find_binary()), *sys.argv[1:]]
    if os.name == "nt":
        # Windows cannot replace a process: exec would return to the shell at once.
        sys.exit(subprocess.call(command))
    os.execv(command[0], command)
