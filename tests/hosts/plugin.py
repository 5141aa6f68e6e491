#!/usr/bin/env python3
"""Loads the plugin of `packaging/claude-code` in the real Claude Code: tests/hosts/plugin.py [--bin PROGRAM] [--clients FOLDER].

Claude Code installs it from the marketplace of this repository, resumes a damaged session, and lets a scripted model follow the
steps of the skill for that session from another one, all without network. Claude Code is what `run.sh claude-code` installs.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

from clients.claude_code import ClaudeCode
from provider import Provider, call, text
from suite import ROOT, raise_loopback, without_network

PLUGIN = "transcript-doctor@transcript-doctor"
SKILL = "transcript-doctor:repair-session"


class Trial:
    def __init__(self, program, clients, work):
        self.host, self.work = ClaudeCode(clients), work
        for folder in ("home", "proj", "bin"):
            os.makedirs(f"{work}/{folder}")
        os.symlink(os.path.abspath(program), f"{work}/bin/transcript-doctor")

    def run(self, *arguments, provider=None, path=True):
        url = provider.url if provider else "http://127.0.0.1:9"
        environment = {**self.host.environment(self.work), **self.host.variables(url)}
        folders = [own for own in environment["PATH"].split(":") if not os.path.exists(own + "/transcript-doctor")]
        environment["PATH"] = ":".join([self.work + "/bin", *folders] if path else folders)
        return subprocess.run([*self.host.program(), *arguments], cwd=self.work + "/proj", env=environment, timeout=120,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)

    def prompt(self, words, answers, *arguments, **keywords):
        """Sends a prompt to a model that gives these answers. Returns what the client printed, and the requests."""
        provider = Provider(answers)
        ran = self.run("-p", words, "--output-format", "stream-json", "--verbose", "--include-hook-events",
                       "--allowedTools", "Bash", *arguments, provider=provider, **keywords)
        provider.close()
        check(ran.returncode == 0, "the client fails: " + ran.stdout[-2000:] + ran.stderr[-2000:])
        return [json.loads(line) for line in ran.stdout.splitlines()], provider.requests

    def verdict(self, session):
        ran = subprocess.run([self.work + "/bin/transcript-doctor", "check", "--isolated", "-f", "json", session],
                             capture_output=True, text=True)
        return json.loads(ran.stdout)["conversations"][0]["verdict"]


def check(holds, what):
    if not holds:
        sys.exit("FAIL " + what)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", default=os.path.join(ROOT, "target/hosts"), help="where run.sh installs clients")
    parser.add_argument("--bin", default=os.path.join(ROOT, "target/debug/transcript-doctor"), help="the program")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.inside:
        sys.exit(subprocess.run([*without_network(), sys.executable, *sys.argv, "--inside"]).returncode)
    raise_loopback()
    with tempfile.TemporaryDirectory(prefix="plugin-") as work:
        trial = Trial(options.bin, options.clients, os.path.realpath(work))
        print("Claude Code", trial.host.version())
        is_installed(trial)
        damaged = warns_of_damage(trial)
        repairs_another_session(trial, damaged)
        says_that_the_program_is_missing(trial, damaged)


def is_installed(trial):
    for target in (ROOT, ROOT + "/packaging/claude-code"):
        ran = trial.run("plugin", "validate", "--strict", target)
        check(ran.returncode == 0, "not valid: " + ran.stdout + ran.stderr)
    for words in (["marketplace", "add", ROOT], ["install", PLUGIN]):
        ran = trial.run("plugin", *words)
        check(ran.returncode == 0, f"plugin {words}: {ran.stdout}{ran.stderr}")
    check("transcript-doctor" in trial.run("plugin", "list").stdout, "not in the list of plugins")
    print("ok   installed from the marketplace of the repository")


def warns_of_damage(trial):
    """The hook warns of a damaged session that is resumed, and of no other."""
    seen, _ = trial.prompt("K01 count", [[trial.host.tool(5)], [text("T06 ok")]])
    start = next(event for event in seen if event.get("subtype") == "init")
    check(SKILL in start["skills"], f"no skill: {start['skills']}")
    check(messages_of_hooks(seen) == [], "a new session is not checked")
    session = trial.host.session(trial.work)
    name = os.path.basename(session)[:-len(".jsonl")]
    seen, _ = trial.prompt("K02 again", [[text("T07 fine")]], "--resume", name)
    check(messages_of_hooks(seen) == [], f"a healthy session is warned of: {messages_of_hooks(seen)}")
    check(trial.host.damage(session, "lost-result"), "the session has no result to lose")
    seen, _ = trial.prompt("K03 again", [[text("T08 fine")]], "--resume", name)
    said = messages_of_hooks(seen)
    check(len(said) == 1 and "transcript-doctor repair" in said[0], f"no warning of a damaged session: {said}")
    print("ok   the hook warns of a damaged session that is resumed:", said[0].splitlines()[0])
    return session


def messages_of_hooks(seen):
    outputs = [event.get("stdout") or event.get("output") or "" for event in seen if event.get("subtype") == "hook_response"]
    found = [json.loads(output) for output in outputs if output.strip().startswith("{")]
    return [own["systemMessage"] for own in found if "systemMessage" in own]


def repairs_another_session(trial, damaged):
    """The steps of the skill, from another session: the file changes only after the user's yes."""
    name, plan = os.path.basename(damaged)[:-len(".jsonl")], trial.work + "/plan.json"
    check(trial.verdict(damaged) == "lossy", "the session is not damaged")
    # Of what changed just now it is not certain that nobody writes it.
    old = time.time() - 60
    os.utime(damaged, (old, old))
    with open(damaged, "rb") as file:
        before = file.read()
    steps = [f"transcript-doctor {own}" for own in (
        "--version", f"check {name}", f"explain {name}",
        f"repair {name} --plan-out {plan}")]
    answers = [*([call("Bash", {"command": step})] for step in steps), [text("May I repair it?")]]
    seen, requests = trial.prompt(f"/{SKILL} {name}", answers)
    own = next(event for event in seen if event.get("subtype") == "init")["session_id"]
    told = json.dumps(requests[0].messages)
    check(f"Yours is `{own}`" in told and f"What the user named: {name}" in told, "the skill does not name its session")
    results = [block["content"] for message in requests[-1].messages if message["role"] == "user"
               for block in message["content"] if isinstance(block, dict) and block["type"] == "tool_result"]
    check(len(results) == len(steps) and "LOSSY" in str(results[1]) and "TD10" in str(results[2]), f"the steps fail: {results}")
    with open(damaged, "rb") as file:
        check(file.read() == before, "a step before the question writes")
    check(os.path.exists(plan), "no plan")
    answers = [[call("Bash", {"command": f"transcript-doctor repair --apply {plan}"})], [text("Repaired.")]]
    _, requests = trial.prompt("yes", answers, "--resume", own)
    check("REPAIRED" in json.dumps(requests[-1].messages), f"not repaired: {requests[-1].messages[-1]}")
    check(trial.verdict(damaged) == "healthy", "the session is still damaged")
    print("ok   another session is checked, explained, planned, and repaired after a yes")


def says_that_the_program_is_missing(trial, session):
    name = os.path.basename(session)[:-len(".jsonl")]
    seen, _ = trial.prompt("K09 once more", [[text("T09 fine")]], "--resume", name, path=False)
    said = messages_of_hooks(seen)
    check(said == ["The plugin transcript-doctor does nothing: the program is not on PATH."], f"without the program: {said}")
    print("ok   without the program, the plugin says so")


if __name__ == "__main__":
    main()
