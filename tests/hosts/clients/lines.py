"""Sessions that are files of JSON lines, and their damages."""
import copy
import json
import os
import re
import uuid

from .base import FromNpm


def write_json(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


class Lines(FromNpm):
    # The members with a record's ID and that of its parent.
    link = None

    def is_said(self, record):
        """Whether a record is of the conversation. Hosts log requests and events, too."""
        return True

    def is_result(self, record):
        raise NotImplementedError

    def is_prompt(self, record):
        """Whether a record is the prompt of a user, if it has the marker of one."""
        return not self.is_result(record)

    def is_answer(self, record):
        """Whether a record is the answer of the model, if it has the marker of one."""
        return True

    def texts(self, session):
        with open(session, encoding="utf-8", errors="replace") as file:
            for line in file.read().split("\n"):
                for text, record in values(line):
                    if self.is_said(record):
                        yield text

    def place(self, work, path):
        """Puts a fixture where the host resumes it, as a session of the folder of the test."""
        with open(path, "rb") as file:
            data = self.own(work, file.read())
        target = self.place_of(work, data) if path.endswith(".jsonl") else None
        if target is None:
            return False
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as file:
            file.write(data)
        return True

    def own(self, work, data):
        """The session as if it had been made here. Clients leave out those of other folders."""
        folder = json.dumps(work + "/proj").encode()
        return re.sub(rb'"cwd":"[^"\\]*"', b'"cwd":' + folder, data)

    def place_of(self, work, data):
        """Where the host keeps a session with these bytes. None: it reads no files of others."""
        return None

    def has_fragments(self, session):
        with open(session, "rb") as file:
            return any(not is_json(line) for line in file.read().split(b"\n") if line.strip(b"\0\r "))

    def own_id(self, record):
        return record.get(self.link[0] if self.link else "id")

    def damage(self, session, kind):
        lines = LinesOfSession(self, session)
        if lines.result(5) is None:
            return False
        return getattr(lines, kind.replace("-", "_"))()


# The ID of a session that has lost its own.
NO_ID = "5eed0000-0000-4000-8000-000000000002"


def session_id(data, member=b"sessionId"):
    """The ID that most records name."""
    found = re.findall(rb'"%s": ?"([-0-9a-f]{36})"' % member, data)
    return max(found, key=found.count).decode() if found else NO_ID


def dashed(folder):
    """A folder as a name, as clients write it that have one folder a project."""
    return re.sub("[^A-Za-z0-9]", "-", folder)


def is_json(line):
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def values(line):
    """The JSON values at the start of a line, which may be glued."""
    decoder, at = json.JSONDecoder(), 0
    while at < len(line):
        try:
            value, end = decoder.raw_decode(line, at)
        except ValueError:
            return
        yield line[at:end], value
        at = end


class LinesOfSession:
    """The lines of a session, to be damaged. Each damage returns whether it could be done."""

    def __init__(self, host, session):
        self.host = host
        self.path = session
        with open(session, "rb") as file:
            self.lines = [line for line in file.read().split(b"\n") if line]
        self.records = [json.loads(line) for line in self.lines]

    def write(self, tail=b""):
        with open(self.path, "wb") as file:
            file.write(b"".join(line + b"\n" for line in self.lines) + tail)
        return True

    def find(self, marker, is_one, after=-1):
        """The first record after another that has a marker, or None."""
        for at, record in enumerate(self.records):
            if at > after and marker in self.lines[at] and is_one(record):
                return at
        return None

    def result(self, number):
        return self.find(b"R%02d" % number, self.host.is_result)

    def prompt(self, after):
        return self.find(b"K07", self.host.is_prompt, after)

    def lost_result(self):
        at = self.result(5)
        self.leave_chain(at)
        del self.lines[at]
        return self.write()

    def lost_of_batch(self):
        at = self.result(4)
        if at is None:
            return False
        # The records after it name it as their parent still.
        del self.lines[at]
        return self.write()

    def duplicate(self):
        at = self.result(5)
        twin = copy.deepcopy(self.records[at])
        if self.host.link:
            own, parent = self.host.link
            first = self.records[at][own]
            twin[own] = str(uuid.UUID(int=0x5EED)) if "-" in first else "0000feed"
            self.set_parents(first, twin[own])
            twin[parent] = first
        self.lines.insert(at + 1, write_json(twin))
        self.number()
        return self.write()

    def late(self):
        at = self.result(5)
        prompt = self.prompt(at)
        if prompt is None:
            return False
        if self.host.link:
            own, parent = self.host.link
            self.leave_chain(at)
            self.set_parents(self.records[prompt][own], self.records[at][own])
            self.records[at][parent] = self.records[prompt][own]
            self.lines[at] = write_json(self.records[at])
        self.lines.insert(prompt, self.lines.pop(at))
        self.number()
        return self.write()

    def glued(self):
        at = self.result(5)
        self.lines[at:at + 2] = [self.lines[at] + self.lines[at + 1]]
        return self.write()

    def torn(self):
        answers = [at for at, record in enumerate(self.records) if b"T09" in self.lines[at] and self.host.is_answer(record)]
        if not answers:
            return False
        last = self.lines[answers[-1]]
        del self.lines[answers[-1]:]
        return self.write(last[:last.index(b"T09")])

    def nul_tail(self):
        return self.write(bytes(512))

    def lost_parent(self):
        """The record before the last prompt is lost, which the prompt names as its parent."""
        at = self.prompt(-1)
        if not self.host.link or not at:
            return False
        own, parent = self.host.link
        lost = self.find(self.records[at][parent].encode(), lambda record: record.get(own) == self.records[at][parent])
        if lost is None:
            return False
        del self.lines[lost]
        return self.write()

    def leave_chain(self, at):
        """The records after this one name its parent as theirs."""
        if self.host.link:
            own, parent = self.host.link
            self.set_parents(self.records[at][own], self.records[at][parent])

    def set_parents(self, old, new):
        _, parent = self.host.link
        for at, record in enumerate(self.records):
            if record.get(parent) == old:
                record[parent] = new
                self.lines[at] = write_json(record)

    def number(self):
        """Codex numbers its lines: one that the host had written here would have the next number."""
        first = self.records[0].get("ordinal", 0)
        for at, line in enumerate(self.lines):
            record = json.loads(line)
            if "ordinal" in record and record["ordinal"] != at + first:
                self.lines[at] = write_json({**record, "ordinal": at + first})
