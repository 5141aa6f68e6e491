"""Feeds a host the fixtures of its format: damaged ones as they are, what `repair` made of them, and healthy ones.

Nothing is marked in a fixture. What it says are its texts that have a space: they are looked for in the first request after a resume.
"""
import collections
import fnmatch
import glob
import json
import os

from contract import Wire

# Endings of what `repair` makes of a fixture: alone, with `--unsafe`, with `--answer-pending`.
REPAIRED = (".repaired", ".unsafe", ".answered")
# What only a model or its prices decide, so that the scripted provider refuses none of it.
NOT_JUDGED = ("bad-media/*", "too-many-images/*", "thinking/*", "reasoning-item/*", "foreign-block/*", "server-item/*", "bad-call-id/*",
              "undeclared-call/*")
# Redacted copies, which are judged as the sessions that they were.
NOT_RESUMED = ("duplicate-record-id/*redacted*", "duplicate-record-id/*one-id-on-*")


# What no host can agree with.
EXPLAINED = {
    "invalid-utf8/*": "bytes that are no text arrive as U+FFFD, as they are read here",
}


class Fixtures:
    def __init__(self, contract, root):
        self.contract = contract
        self.host = contract.host
        contract.explained = {**EXPLAINED, **self.host.explained}
        self.root = root
        self.format = self.host.fixtures or self.host.format
        # Has no message of another one, so that all messages of that are listed.
        self.other = f"{root}/healthy/anthropic-messages/bom.json"

    def run(self):
        """Nobody is killed here, so a host may be kept warm. Returns whether the host read any of them."""
        self.host.is_warm = True
        for path in sorted(glob.glob(f"{self.root}/rules/*/{self.format}*")):
            stem, ending = os.path.splitext(path) if os.path.isfile(path) else (path, "")
            if "." in os.path.basename(stem) or ending == ".txt" or not self.is_own(path):
                continue
            made = [stem + word + ending for word in REPAIRED if os.path.exists(stem + word + ending)]
            requests = [self.feed(repaired, is_repaired=True) for repaired in made]
            self.feed(path, *zip(made[:1], requests[:1]))
        for path in sorted(glob.glob(f"{self.root}/healthy/{self.format}/*")):
            if not os.path.basename(path).startswith(tuple(other[1:] for other in self.host.other_formats)):
                self.feed(path)
        return bool(self.contract.only) or any(line.outcome != "skipped" for line in self.contract.lines)

    def is_own(self, path):
        """Other formats have names that begin with this one's."""
        rest = os.path.basename(path)[len(self.format):]
        return not any(rest.startswith(other) for other in self.host.other_formats)

    def feed(self, path, after=(None, None), is_repaired=False):
        """after: what was made of it, whose texts the host need not show without a repair, and the texts of the request then.
        Returns the texts of the request."""
        repaired, requested = after
        contract = self.contract
        name = os.path.relpath(path, self.root).removeprefix("rules/")
        name = os.path.splitext(name)[0] if os.path.isfile(path) else name
        if not contract.wants(name):
            return
        if any(fnmatch.fnmatch(name, rule) for rule in NOT_JUDGED):
            contract.add(name, "the scripted provider does not judge this", outcome="skipped")
            return
        if any(fnmatch.fnmatch(name, rule) for rule in NOT_RESUMED):
            contract.add(name, "nobody resumes a redacted copy", outcome="skipped")
            return
        kept = self.texts_of(repaired) if repaired else ()
        if not self.place(path):
            contract.add(name, "its host does not read such a file", outcome="skipped")
            return
        session = self.host.session(contract.work)
        opinion = contract.doctor.check(session, contract.asked)
        if not self.host.can_send_to(opinion.target) and opinion.has_calls:
            contract.add(name, f"it is for {opinion.target}", outcome="skipped")
            return
        self.host.send_to(opinion.target)
        sent, unsent = self.said(session)
        if not sent and not unsent:
            contract.add(name, "nothing is said in it", outcome="skipped")
            return
        before, has_fragments = as_text(self.host.raw(session)), self.host.has_fragments(session)
        folder = contract.keep_story(name.replace("/", "_"), session)
        requests = contract.send("K98 and now?", [[("text", "T99 fine.", None)]], resume=True)
        wire = Wire.of(requests, "")
        messages = requests.requests[0].messages if requests.requests else []
        shown = Shown(map(squeezed, strings(messages)), sent + unsent)
        state, reason = wire.state, wire.reason
        hidden = sorted(text for text in sent if not shown.times(text))
        if not requests.requests and requests.status == 0:
            # It ran a call that was open, and that was all.
            state = "accepted"
        elif sent and len(hidden) == len(sent):
            # pi, Gemini CLI and Copilot CLI begin a new session if they cannot read one.
            state, reason = "not loaded", reason or "it began a new session"
        story = {"wire": (state, reason, []),
                 "hidden": hidden, "lost": sorted(fewer(kept, shown) | fewer(sent + unsent, shown)),
                 "made_up": [text for text in results(messages) if text not in before],
                 "has_fragments": has_fragments, "is_repaired": is_repaired,
                 "removed": sorted(set(hidden) - set(kept)) if repaired and ".repaired" in repaired else [],
                 "is_in_order": is_in_order(requested or self.recorded(session), shown.texts), "is_warned": opinion.warns_of(contract.asked),
                 "refuses_open_calls": self.host.refuses_open_calls, "leaves_open_calls": self.host.leaves_open_calls,
                 "loses_next": False}
        why = disagreements(opinion, story)
        if why == [NOTHING_LOST] and contract.loses_the_next():
            story["loses_next"] = True
            why = []
        with open(folder + "/story.json", "w", encoding="utf-8") as file:
            json.dump({**story, "session": os.path.basename(session), "kind": self.host.kind, "is_fixture": True}, file)
        own = "" if opinion.of_kind == opinion.verdict else f"({opinion.of_kind.upper()} here)"
        arrived = f"{len(sent) - len(story['hidden'])}/{len(sent)}"
        words = [opinion.verdict.upper(), own, *opinion.findings, "|", state, arrived]
        contract.add(name, " ".join(word for word in words if word), why)
        return shown.texts

    def place(self, path):
        self.contract.fresh()
        return self.host.place(self.contract.work, path)

    def texts_of(self, path):
        return self.said(self.host.session(self.contract.work))[0] if self.place(path) else ()

    def said(self, session):
        """The texts that `diff` says are sent, and those of other records."""
        listed = self.listed(session)
        sent, unsent = collections.Counter(), collections.Counter()
        for record in self.host.records(session):
            if self.host.replaces(record):
                unsent += sent
                sent = collections.Counter()
            found = {text for text in map(squeezed, texts(self.host.said(record))) if len(text) > 2}
            is_sent = is_listed(self.host.own_id(record), listed, self.host.has_ids)
            (sent if is_sent else unsent).update(found)
        return sent, unsent

    def recorded(self, session):
        """The texts of the session as they are in it."""
        said = (squeezed(text) for record in self.host.records(session) for text in texts(self.host.said(record)))
        return list(said)

    def listed(self, session):
        """The messages that are sent of a session, by ID."""
        lines = self.contract.doctor.run("diff", "--as", "messages", session, self.other).stdout.splitlines()
        # What the host does not send is there as `nothing`, and the messages of the other session as `+`.
        return " ".join(line for line in lines if not line.startswith("+") and " nothing " not in line) + " "


def is_in_order(one, other):
    """Whether what two requests show once is in the same order."""
    common = {text for text in one if len(text) > 2 and one.count(text) == other.count(text) == 1}
    return [text for text in one if text in common] == [text for text in other if text in common]


def is_listed(own, listed, has_ids):
    """Whether a list of messages names a record. Long IDs are cut there."""
    if not listed:
        return True
    if not own:
        return not has_ids
    return f"{own[:11]}…{own[-4:]}" in listed or f" {own} " in listed


NOTHING_LOST = "LOSSY, but everything arrives"


def disagreements(opinion, story):
    """Where the verdict on a fixture and the request disagree."""
    verdict, refuses = opinion.of_kind, story["refuses_open_calls"]
    state, reason, _ = story["wire"]
    hidden = story["hidden"]
    if verdict in ("healthy", "pending"):
        # What a safe repair takes out is a copy or a placeholder.
        hidden = [text for text in hidden if text not in story["removed"]]
    if verdict == "pending" and story["leaves_open_calls"]:
        hidden = []
    if state != "accepted":
        # A repair may leave a decision, which the verdict says.
        waits = refuses and verdict == "pending"
        if verdict in ("stuck", "unreadable", "empty") or waits or story["is_warned"]:
            return []
        return [f"{verdict.upper()}, but {state}: {reason}"]
    if verdict in ("stuck", "unreadable", "unknown"):
        return [f"{verdict.upper()}, but the host sends it, and it is accepted"]
    is_lost = hidden or story["lost"] or story["made_up"] or story["has_fragments"] or story["loses_next"] or not story["is_in_order"]
    if verdict == "lossy" and not is_lost:
        return [NOTHING_LOST]
    if hidden and verdict in ("healthy", "pending"):
        return [f"{verdict.upper()}, but not on the wire: {hidden[:3]}"]
    return []


def as_text(raw):
    """All that the files of a session hold, as it is found again."""
    return squeezed(raw.replace('\\"', '"').replace("\\n", " "))


def results(messages):
    """The texts of the results in a request, of all APIs."""
    for message in messages if isinstance(messages, list) else ():
        if message.get("role") == "tool" or str(message.get("type")).endswith("_output"):
            yield from squeezed_texts(message.get("content") or message.get("output"))
        for part in message.get("content") or message.get("parts") or ():
            if isinstance(part, dict) and part.get("type") == "tool_result":
                yield from squeezed_texts(part.get("content"))
            if isinstance(part, dict) and "toolResult" in part:
                yield from squeezed_texts(part["toolResult"].get("content"))
            if isinstance(part, dict) and "functionResponse" in part:
                yield from squeezed_texts(part["functionResponse"].get("response"))


def squeezed_texts(value):
    return filter(None, map(squeezed, texts(value)))


class Shown:
    """The texts of a request. Those of the session are found in them, also in others that hosts put around them."""

    def __init__(self, shown, own):
        self.texts = list(shown)
        self.own = own

    def times(self, text):
        """In how many of them this text is, other than as a part of another text of the session."""
        longer = [one for one in self.own if text != one and text in one]
        return sum(text in without(one, longer) for one in self.texts if text in one)


def without(text, others):
    for other in sorted(others, key=len, reverse=True):
        text = text.replace(other, "")
    return text


def fewer(found, shown):
    """The texts that are shown less often than they were found."""
    return {text for text, times in collections.Counter(found).items() if times > shown.times(text)}


def squeezed(text):
    """A text as it can be found again: hosts replace half a surrogate pair or leave it out, and wrap lines."""
    return " ".join(text.encode(errors="ignore").decode().replace("\ufffd", "").split())


# Members that hold no text of the conversation.
ENVELOPE = {"type", "id", "role", "name", "status", "kind", "signature", "thoughtSignature", "encrypted_content", "data", "media_type",
            "mimeType", "mime_type", "tool_use_id", "call_id", "callId", "toolCallId", "tool_call_id", "cache_control", "caller"}


def texts(value):
    """The texts in a JSON value, and in the JSON that texts of it hold, but for those of the envelope."""
    if isinstance(value, dict):
        value = [own for member, own in value.items() if member not in ENVELOPE]
    return strings(value, texts)


def strings(value, inside=None):
    """All texts in a JSON value, and in the JSON that texts of it hold."""
    inside = inside or strings
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from inside(one)
    elif isinstance(value, str):
        inner = parsed(value)
        yield from inside(inner) if inner is not None else (value,)


def parsed(text):
    """The object or list that a text is, or None."""
    if text[:1] not in "{[":
        return None
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, (dict, list)) else None
