"""A program on a pseudo terminal, driven as a person would."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

ESCAPES = re.compile(r"\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_=>78]|[\x00-\x08\x0b-\x1f]")
ESC, ENTER, UP = "\x1b", "\r", "\x1b[A"


class Terminal:
    def __init__(self, line, folder, environment, columns=120, rows=40):
        self.main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process = subprocess.Popen(line, cwd=folder, env={**environment, "TERM": "xterm-256color"}, stdin=side, stdout=side,
                                        stderr=side, start_new_session=True, close_fds=True)
        os.close(side)
        self.shown = ""

    def read(self, seconds):
        """Reads what is shown next, if that comes within this time."""
        ready, _, _ = select.select([self.main], [], [], seconds)
        if not ready:
            return False
        try:
            data = os.read(self.main, 65536)
        except OSError:
            return False
        self.shown += ESCAPES.sub(" ", data.decode("utf-8", "replace"))
        return bool(data)

    def wait_for(self, *words, seconds=60):
        """Waits until one of these is shown; spaces are ignored, because programs place words with escapes. Forgets what was
        shown before it."""
        end = time.time() + seconds
        while time.time() < end:
            plain = squeezed(self.shown)
            for one in words:
                at = plain.find(squeezed(one))
                if at >= 0:
                    self.shown = plain[at + len(squeezed(one)):]
                    return one
            self.read(0.2)
        raise TimeoutError(f"waited for {words}, saw: {squeezed(self.shown)[-400:]}")

    def settle(self, seconds=1.0):
        """Waits until nothing was shown for some time."""
        while self.read(seconds):
            pass

    def watch(self, seconds):
        """Reads for some time. A program that shows that it works never settles."""
        end = time.time() + seconds
        while time.time() < end:
            self.read(0.2)

    def press(self, keys, pause=0.4):
        os.write(self.main, keys.encode())
        time.sleep(pause)

    def type(self, words):
        self.press(words)
        self.press(ENTER)

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.main)


def squeezed(text):
    return re.sub(r"\s+", "", text)
