"""Imports a script of this folder once, and runs its `main` in a fork for each line of standard input: SCRIPT. A line has the
arguments, the folder, and the file for what is printed. For each, the process ID is printed, and how it ended."""
import importlib.util
import json
import os
import sys
import traceback


def become(order, main):
    """Runs `main` as a program of its own. Never returns."""
    status = 1
    try:
        os.setsid()
        os.chdir(order["folder"])
        said = os.open(order["said"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        for number, stream in enumerate((os.open(os.devnull, os.O_RDONLY), said, said)):
            os.dup2(stream, number)
        main(*order["arguments"])
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(status)


spec = importlib.util.spec_from_file_location("script", sys.argv[1])
script = importlib.util.module_from_spec(spec)
spec.loader.exec_module(script)
for line in sys.stdin:
    own = os.fork()
    if own == 0:
        become(json.loads(line), script.main)
    print(own, flush=True)
    _, ended = os.waitpid(own, 0)
    print(os.waitstatus_to_exitcode(ended), flush=True)
