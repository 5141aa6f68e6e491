"""What the program under test says about a session."""
import glob
import json
import os
import subprocess
import time

ORDER = ["empty", "healthy", "pending", "lossy", "stuck", "unreadable", "unknown"]


class Opinion:
    """The worst verdict of the conversations in a source, and what it is based on."""

    def __init__(self, verdict, findings, unknown, kind=None, target=None):
        self.verdict = verdict
        # The verdict for the kind of client that is asked about. Its versions are named in a sentence.
        self.of_kind = kind or verdict
        # The provider that it was checked against; None: any.
        self.target = target
        # `TD101:fatal`
        self.findings = findings
        # Kinds of records that the program does not know.
        self.unknown = unknown


class Doctor:
    def __init__(self, binary, home, variables=None):
        self.binary = os.path.abspath(binary)
        self.home = home
        self.variables = variables or {}

    def run(self, *arguments):
        env = {"PATH": os.environ.get("PATH", ""), "HOME": self.home, "XDG_STATE_HOME": self.home + "/state", "NO_COLOR": "1",
               **self.variables}
        return subprocess.run([self.binary, *arguments], capture_output=True, text=True, errors="replace", env=env,
                              timeout=120, stdin=subprocess.DEVNULL)

    def check(self, path, kind=None):
        make_old(path)
        answer = self.run("check", "--format", "json", path)
        try:
            conversations = json.loads(answer.stdout)["conversations"]
        except (ValueError, KeyError):
            conversations = []
        if not conversations:
            return Opinion("unknown", [(answer.stderr or answer.stdout).strip()[-120:]], [])
        findings = [finding for one in conversations for finding in one["findings"]]
        above = sorted({f"{one['code']}:{one['severity']}" for one in findings if one["severity"] != "note"})
        unknown = [one["message"] for one in findings if one["code"] == "TD010"]
        verdict = max((one["verdict"] for one in conversations), key=ORDER.index)
        of_kind = max((one.get("clients", {}).get(kind, one["verdict"]) for one in conversations), key=ORDER.index)
        return Opinion(verdict, above, unknown, of_kind, target_of(conversations[0]))


def target_of(conversation):
    """The provider that it was checked against, which only calls depend on."""
    return conversation.get("target") if conversation["calls"] else None


def make_old(path):
    """What changed a moment ago counts as being written."""
    beside = glob.glob(glob.escape(path) + "*")
    inside = glob.glob(glob.escape(path) + "/**/*", recursive=True)
    for name in [path, *beside, *inside]:
        os.utime(name, (time.time() - 9000,) * 2)
