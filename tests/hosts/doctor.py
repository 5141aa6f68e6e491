"""What the program under test says about a session."""
import collections
import glob
import json
import os
import re
import subprocess
import time

ORDER = ["empty", "healthy", "pending", "lossy", "stuck", "unreadable", "unknown"]


# The host that is asked about: its title, its version as a text, and the kind of client that it is.
Asked = collections.namedtuple("Asked", "title version kind")


class Opinion:
    """The worst verdict of the conversations in a source, and what it is based on."""

    def __init__(self, verdict, findings, unknown, kind=None, target=None, has_calls=False, sentences=()):
        self.verdict = verdict
        # The verdict for the kind of client that is asked about. Its versions are named in a sentence.
        self.of_kind = kind or verdict
        # The provider that it was checked against, which calls alone depend on.
        self.target = target
        self.has_calls = has_calls
        # `TD101:fatal`
        self.findings = findings
        # Kinds of records that the program does not know.
        self.unknown = unknown
        # What it says besides, some of it about versions of the host or about one provider.
        self.sentences = sentences

    def warns_of(self, host):
        """Whether it says what this version of the host does with the session, that resuming it fails although nothing is damaged, or
        that the provider would refuse what others take."""
        if any("would reject it" in sentence or "resuming fails" in sentence for sentence in self.sentences):
            return True
        versions = host.version.split(".")
        named = [f"{host.title} {'.'.join(versions[:parts])} " for parts in (1, 2, 3)]
        return any(name in sentence for name in named for sentence in self.sentences)


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

    def check(self, path, host):
        """The opinion about a session of this host."""
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
        of_kind = max((one.get("clients", {}).get(host.kind, one["verdict"]) for one in conversations), key=ORDER.index)
        if above and all(is_of_others(one["message"], host) for one in findings if one["severity"] != "note"):
            of_kind = "healthy"
        notes = [one["message"] for one in findings if one["severity"] in ("note", "warning")]
        notes += [more["message"] for one in findings for more in one.get("consequences", ())]
        caveats = [caveat["says"] for one in conversations for caveat in one.get("caveats", ())]
        return Opinion(verdict, above, unknown, of_kind, conversations[0].get("target"), bool(conversations[0]["calls"]), notes + caveats)


def is_of_others(message, host):
    """Whether a finding names the versions of the host that it is about, and this one is not among them."""
    found = re.search(re.escape(host.title) + r" ([\d.]+\d) to ([\d.]+\d)", message)
    return bool(found) and not numbers(found[1]) <= numbers(host.version) <= numbers(found[2])


def numbers(version):
    return [int(number) for number in version.split(".")]


def make_old(path):
    """What changed a moment ago counts as being written."""
    beside = glob.glob(glob.escape(path) + "*")
    inside = glob.glob(glob.escape(path) + "/**/*", recursive=True)
    for name in [path, *beside, *inside]:
        os.utime(name, (time.time() - 9000,) * 2)
