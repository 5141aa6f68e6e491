"""The contract of one host: sessions that it makes itself, and whether the verdicts agree with what it then sends.

Markers name what is said: prompts Knn, texts of the model Tnn, arguments of calls Cnn, outputs Rnn. What the first request after a
resume holds is on the wire.
"""
import collections
import fnmatch
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import time

from doctor import Asked, make_old
from provider import Provider, text

MARKER = re.compile(r"(?<![A-Za-z0-9])[KTCR]\d\d(?!\d)")
# The turn in which the host is killed.
KILLED = {"T04", "C05", "C06", "C07", "R05", "R06", "R07"}
NOTHING_LOST = "LOSSY, but everything arrives"


def markers(*texts):
    # In JSON, a marker may follow `\n`.
    return {found for one in texts for found in MARKER.findall(re.sub(r"\\+[nrt]", " ", one))}


# One prompt that was sent: the requests of the main loop, the end of what the host printed, and its exit status.
Sent = collections.namedtuple("Sent", "requests said status")
# A line of the result. Outcome: agreed, disagreed, explained, skipped.
Line = collections.namedtuple("Line", "session outcome saw why")


class Wire:
    """What the first request after a resume shows."""

    def __init__(self, state, reason, shown):
        self.state = state
        self.reason = reason
        self.markers = set(shown)

    @staticmethod
    def of(sent, prompt):
        if not sent.requests:
            return Wire("not loaded", sent.said.strip()[-160:], ())
        first = sent.requests[0]
        shown = markers(json.dumps(first.messages, ensure_ascii=False)) - markers(prompt)
        return Wire("refused" if first.refused else "accepted", first.refused, shown)

    def unanswered(self):
        """Calls whose own output is not sent: the host answered them, or left them open."""
        calls = (one for one in self.markers if one[0] == "C")
        return sorted(call for call in calls if "R" + call[1:] not in self.markers)


class Look:
    """A session as it is: the verdict, and what its host does with it."""

    def __init__(self, opinion, wire, file, before):
        self.opinion = opinion
        self.verdict = opinion.of_kind
        self.wire = wire
        # Markers that are in the file, but not on the wire.
        self.hidden = file - wire.markers
        # Markers that were recorded before the damage, and are not on the wire.
        self.lost = before - wire.markers
        self.recorded = len(file)
        self.ran_twice = []

    def saw(self):
        arrived = self.recorded - len(self.hidden)
        words = [self.opinion.verdict.upper(), *self.opinion.findings, "|", self.wire.state, f"{arrived}/{self.recorded}"]
        if self.verdict != self.opinion.verdict:
            words.insert(1, f"({self.verdict.upper()} here)")
        gone = sorted(self.lost - self.hidden)
        if gone:
            words += ["gone", *gone]
        if self.ran_twice:
            words += ["ran twice", *self.ran_twice]
        return " ".join(words)


def disagreements(look, is_killed, refuses_open_calls):
    """Where the verdict and the wire disagree."""
    verdict, wire = look.verdict, look.wire
    if wire.state != "accepted":
        # A message to such a session is refused by design: the call has to be answered first.
        waits = refuses_open_calls and verdict == "pending"
        if verdict not in ("stuck", "unreadable") and not waits:
            yield f"{verdict.upper()}, but {wire.state}: {wire.reason}"
        return
    hidden = set(look.hidden)
    unanswered = wire.unanswered()
    if is_killed:
        # What a tool had printed when it was killed.
        hidden -= {"R" + call[1:] for call in unanswered}
        if verdict == "pending":
            hidden -= KILLED
    if verdict in ("stuck", "unreadable", "unknown"):
        yield f"{verdict.upper()}, but the host sends it, and it is accepted"
    elif verdict == "lossy" and not look.lost and not hidden and not unanswered:
        yield NOTHING_LOST
    elif verdict in ("healthy", "pending") and hidden:
        yield f"{verdict.upper()}, but not on the wire: {sorted(hidden)}"
    elif is_killed and verdict == "healthy":
        yield "HEALTHY, but a tool was running"


def judge(opinion, story):
    """Compares what is said of a session with what its host did. Returns the look, and the disagreements."""
    look = Look(opinion, Wire(*story["wire"]), set(story["file"]), set(story["before"]))
    look.ran_twice = story["ran_twice"]
    why = list(disagreements(look, story["is_killed"], story["refuses_open_calls"]))
    if why == [NOTHING_LOST] and story["loses_next"]:
        look.opinion.findings.append("(what is said next is lost)")
        why = []
    return look, why


class Contract:
    def __init__(self, host, doctor, folder, report, only=""):
        self.host = host
        self.asked = Asked(host.title, host.version(), host.kind)
        self.doctor = doctor
        self.folder = folder
        self.work = folder + "/work"
        self.report = report
        self.only = only
        self.explained = host.explained
        # That of the first provider: a host that continues what was killed asks there again.
        self.port = 0
        self.lines = []

    # The host

    def fresh(self):
        shutil.rmtree(self.work, ignore_errors=True)
        os.makedirs(self.work + "/home")
        os.makedirs(self.work + "/proj")

    def keep(self, name):
        self.copy(self.work, f"{self.folder}/{name}")

    def take(self, name):
        self.copy(f"{self.folder}/{name}", self.work)

    def copy(self, source, target):
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target, symlinks=True, ignore=special_files)

    def send(self, prompt, script, resume=False, kill=None):
        """Sends a prompt. kill: the file by which a tool shows that it runs, and the seconds that it may."""
        provider = Provider(script, self.port)
        self.port = provider.port
        line, more = self.host.command(self.work, provider.url, prompt, resume)
        process = self.host.start(line, {**self.host.environment(self.work), **more}, self.work + "/proj", self.folder + "/said")
        if kill:
            wait_for(process, f"{self.work}/proj/{kill[0]}", self.host.patience)
            time.sleep(kill[1])
            end_group(process)
        try:
            process.wait(self.host.patience)
        except subprocess.TimeoutExpired:
            end_group(process)
            process.wait()
        # Some hosts leave helpers behind.
        end_group(process)
        provider.close()
        with open(self.folder + "/said", encoding="utf-8", errors="replace") as said:
            return Sent(provider.requests, said.read()[-600:], process.returncode)

    def recorded(self):
        session = self.host.session(self.work)
        return markers(*self.host.texts(session)) if session else set()

    # One line of the result

    def add(self, session, saw, why=(), outcome=None):
        why = list(why)
        explained = [words for name, words in self.explained.items() if fnmatch.fnmatch(session, name)]
        if outcome is None:
            outcome = "disagreed" if why else "agreed"
            if why and explained:
                outcome, why = "explained", explained
        line = Line(session, outcome, saw, "; ".join(why))
        self.lines.append(line)
        self.report(self.host, line)
        return outcome

    def look(self, name, before=frozenset(), taken_back=frozenset(), is_killed=False, is_repaired=False, is_fresh=False):
        """Judges the session in the work folder, resumes it, and compares."""
        session = self.host.session(self.work)
        if session is None:
            return self.add(name, "-", ["the host wrote no session"])
        prompt = "K98 go on" if is_killed else "K98 and now?"
        opinion = self.doctor.check(session, self.asked)
        recorded = self.recorded() - taken_back
        kept = self.keep_story(name, session)
        sent = self.send(prompt, [[text("T99 fine.")]], resume=True)
        wire = Wire.of(sent, prompt)
        story = {"file": recorded, "before": set(before), "wire": (wire.state, wire.reason, wire.markers), "is_killed": is_killed,
                 "refuses_open_calls": self.host.refuses_open_calls, "ran_twice": ran_twice(self.work), "loses_next": False}
        look, why = judge(opinion, story)
        if why == [NOTHING_LOST] and self.loses_the_next():
            story["loses_next"] = True
            look, why = judge(opinion, story)
        with open(kept + "/story.json", "w", encoding="utf-8") as file:
            json.dump({**story, "session": os.path.basename(session), "kind": self.host.kind}, file, default=sorted)
        if is_fresh and opinion.unknown:
            why.append(f"calls unknown what the host wrote: {opinion.unknown[0]}")
        # Without a repair, OpenHands and LangGraph run a call again that has no result.
        if is_repaired and look.ran_twice:
            why.append(f"ran twice: {look.ran_twice}")
        if is_repaired and not why and look.wire.state != "accepted":
            why.append(f"{look.wire.state} after the repair: {look.wire.reason}")
        if is_repaired and not why and look.hidden:
            why.append(f"not on the wire after the repair: {sorted(look.hidden)}")
        return self.add(name, look.saw(), why)

    def loses_the_next(self):
        """Whether what was said after the resume does not arrive at the next one: it was written behind the damage."""
        prompt = "K97 and then?"
        sent = self.send(prompt, [[text("T96 well.")]], resume=True)
        return not {"K98", "T99"} <= Wire.of(sent, prompt).markers

    def keep_story(self, name, session):
        """Keeps a session as it was before its host went on, for `flip.py`. Returns the folder."""
        folder = f"{self.folder}/stories/{name.replace(' ', '-')}"
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        if os.path.isdir(session):
            shutil.copytree(session, os.path.join(folder, os.path.basename(session)))
            return folder
        # A database has a log beside it.
        for path in glob.glob(glob.escape(session) + "*"):
            shutil.copy(path, folder)
        return folder

    # The stories

    def run(self):
        """Runs all stories. False: the host did not reach the provider."""
        if not self.record():
            return False
        for name in ("plain", "resumed"):
            if self.wants(name):
                self.take(name)
                self.look(name, self.recorded(), is_fresh=True)
        for delay in self.host.delays[:2]:
            self.killed("one-call", delay)
        for delay in self.host.delays:
            self.killed("batch", delay)
        for kind in self.host.damages:
            self.damaged(kind)
        for name, taken_back, play in self.host.stories():
            self.at_terminal(name, taken_back, play)
        return True

    def wants(self, name):
        return any(word in name for word in self.only.split(","))

    def record(self):
        """Makes a session of two runs: text, a batch of two, one call; then a resume with one call."""
        tool = self.host.tool
        self.fresh()
        first = self.send("K01 count the boxes", [[text("T02 I count."), tool(3), tool(4)], [tool(5)], [text("T06 counted.")]])
        if not first.requests:
            self.add("plain", "-", [f"the host did not reach the provider: {' '.join(first.said.split())[-300:]}"])
            return False
        self.keep("plain")
        self.send("K07 and the jars?", [[tool(8)], [text("T09 none.")]], resume=True)
        self.keep("resumed")
        return True

    def killed(self, kind, delay):
        """SIGKILL while a tool runs: alone, or as the second of three. Then the same after the host went on by itself."""
        name = f"killed-{kind}-{delay}s"
        if not self.wants(name):
            return
        tool = self.host.tool
        slow, calls = 5, [tool(5, is_slow=True)]
        if kind == "batch":
            slow, calls = 6, [tool(5), tool(6, is_slow=True), tool(7)]
        self.fresh()
        script = [[text("T02 I count."), tool(3)], [text("T04 slowly."), *calls]]
        self.send("K01 count the boxes", script, kill=(f"started{slow:02d}", delay))
        recorded = self.recorded()
        if not recorded:
            self.add(name, "nothing was written before the kill", outcome="skipped")
            return
        self.keep("killed")
        self.look(name, recorded, is_killed=bool({"C05", "C06", "C07"} & recorded), is_fresh=True)
        self.take("killed")
        self.send("K10 go on", [[tool(11)], [text("T12 done.")]], resume=True)
        self.look(name + "-resumed", recorded, is_fresh=True)

    def at_terminal(self, name, taken_back, play):
        """What a person does at a terminal."""
        if not self.wants(name):
            return
        self.fresh()
        try:
            play(self.work)
        except TimeoutError as trouble:
            self.add(name, "-", [str(trouble)])
            return
        self.look(name, taken_back=taken_back, is_fresh=True)

    def damaged(self, kind):
        """A damage in the session of two runs, and its repair."""
        if not self.wants(kind):
            return
        self.take("resumed")
        before = self.recorded()
        if not self.host.damage(self.host.session(self.work), kind):
            self.add(kind, "the session has nothing to damage in this way", outcome="skipped")
            return
        self.keep("damaged")
        after = self.recorded()
        self.look(kind, before)
        if not self.repaired(kind, after, []):
            self.repaired(kind, after, ["--unsafe"])

    def repaired(self, kind, after, options):
        """Repairs the damaged session and resumes it. False: a decision is left."""
        name = " ".join([kind, "repaired", *options])
        self.take("damaged")
        session = self.host.session(self.work)
        make_old(session)
        copy = self.folder + "/repaired" + os.path.splitext(session)[1]
        remove(copy)
        done = self.doctor.run("repair", *options, session, "-o", copy)
        if not os.path.exists(copy):
            self.add(name, f"exit {done.returncode}", [f"repair wrote nothing: {done.stderr.strip()[-140:]}"])
            return True
        self.host.put_back(self.work, session, copy)
        is_decision_left = done.returncode == 1 and not options
        if is_decision_left and self.doctor.check(self.host.session(self.work), self.asked).verdict in ("stuck", "unreadable", "lossy"):
            return False
        self.look(name, after, is_repaired=True)
        return True


def special_files(folder, names):
    """Sockets and pipes, which cannot be copied."""
    paths = {name: os.path.join(folder, name) for name in names}
    return [name for name, path in paths.items() if not (os.path.isfile(path) or os.path.isdir(path) or os.path.islink(path))]


def wait_for(process, path, patience):
    end = time.time() + patience
    while process.poll() is None and time.time() < end and not os.path.exists(path):
        time.sleep(0.05)


def end_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def ran_twice(work):
    """The numbers of the calls whose tool ran more than once."""
    try:
        with open(work + "/proj/ran", encoding="utf-8") as file:
            counts = collections.Counter(file.read().split())
    except OSError:
        return []
    return sorted(number for number, count in counts.items() if count > 1)


def remove(path):
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.remove(path)
