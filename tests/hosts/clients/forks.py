"""Programs that are imported once and run many times (`warm.py`): some libraries take longer to be imported than to send a prompt."""
import json
import select
import subprocess


class Warm:
    def __init__(self, line, env):
        self.process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, bufsize=0)

    def start(self, arguments, folder, said):
        order = {"arguments": arguments, "folder": folder, "said": said}
        self.process.stdin.write(json.dumps(order).encode() + b"\n")
        return Fork(self.process.stdout)


class Fork:
    """One run, as far as it is used like a `Popen`."""

    def __init__(self, answers):
        self.answers = answers
        self.args = "a fork"
        self.returncode = None
        self.pid = int(answers.readline())

    def poll(self):
        if self.returncode is None and select.select([self.answers], [], [], 0)[0]:
            self.returncode = int(self.answers.readline())
        return self.returncode

    def wait(self, timeout=None):
        if self.returncode is None and not select.select([self.answers], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired(self.args, timeout)
        return self.poll()
