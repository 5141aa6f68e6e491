"""Lets frameworks write sessions, damages them, repairs them, and lets the frameworks load the result.

    python check.py PROGRAM FOLDER [NODE MODULES]

`PROGRAM` is transcript-doctor. `MODULES` is a folder where `ai@4`, `zod@3`, and `@mastra/core` are installed. See `run.sh`.
"""

import copy
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent

# The format; its script; where it writes, and which files of that; whether an object is a result; where that has its ID.
FORMATS = [
    ("pydantic-ai", "pydantic_ai_messages.py", "pa.json", [""], lambda o: o.get("part_kind") == "tool-return", "tool_call_id"),
    ("agent-framework", "agent_framework_history.py", "maf", ["history.jsonl", "session.json"], lambda o: o.get("type") == "function_result", "call_id"),
    ("ag-ui", "ag_ui_messages.py", "agui.json", [""], lambda o: o.get("role") == "tool", "toolCallId"),
    ("autogen", "autogen_state.py", "autogen", ["agent.json", "messages.json"], lambda o: "call_id" in o, "call_id"),
    ("google-adk", "google_adk_session.py", "adk", ["x.session.json"], lambda o: "functionResponse" in o, "functionResponse"),
    ("ai-sdk-4", "ai_sdk_4.mjs", "ai4.json", [""], lambda o: o.get("type") == "tool-invocation", "toolInvocation"),
    ("mastra", "mastra_messages.mjs", "mastra.json", [""], lambda o: o.get("type") == "tool-invocation", "toolInvocation"),
]


def read(path):
    text = path.read_text()
    return [json.loads(line) for line in text.splitlines()] if path.suffix == ".jsonl" else json.loads(text)


def write(path, value):
    text = "".join(json.dumps(item) + "\n" for item in value) if path.suffix == ".jsonl" else json.dumps(value)
    path.write_text(text)


def places(value, is_result):
    """The lists with results, and the index of each."""
    if isinstance(value, list):
        yield from ((value, at) for at, item in enumerate(value) if isinstance(item, dict) and is_result(item))
    for item in value if isinstance(value, list) else value.values() if isinstance(value, dict) else []:
        yield from places(item, is_result)


def drop(found, id):
    items, at = found[1]
    if id == "toolInvocation":
        items[at][id].pop("result")
        items[at][id]["state"] = "call"
    else:
        items.pop(at)


def twice(found, id):
    items, at = found[1]
    items.insert(at, copy.deepcopy(items[at]))


def orphan(found, id):
    items, at = found[1]
    if id == "toolInvocation":
        return False
    again = copy.deepcopy(items[at])
    holder = again[id] if isinstance(again[id], dict) else again
    holder["id" if holder is not again else id] = "call_unknown"
    items.insert(at + 1, again)


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True)


def is_sendable(lines):
    """Whether each call has one result, directly after the calls of its message."""
    open_calls, answered = 0, 0
    for line in lines:
        if line.startswith("call"):
            open_calls += 1
        elif line.startswith("result"):
            answered += 1
        elif open_calls or answered:
            if open_calls != answered:
                return False
            open_calls = answered = 0
    return open_calls == answered


def checked(program, path):
    """The format and the verdict of a transcript."""
    report = json.loads(run(program, "check", "--isolated", "-f", "json", path).stdout)
    found = (report["conversations"] or [{}])[0]
    return found.get("format"), found.get("verdict")


def main(program, folder, node=None, modules=None):
    folder = Path(folder).resolve()
    folder.mkdir(exist_ok=True)
    failed = 0
    for format, script, name, files, is_result, id in FORMATS:
        is_node = script.endswith(".mjs")
        if is_node and not node:
            print(format, "skipped: no Node.js was named")
            continue
        command = [node if is_node else sys.executable, str(HERE / script)]
        cwd = modules if is_node else HERE
        host = lambda *words: subprocess.run([*command, *map(str, words)], capture_output=True, text=True, cwd=cwd)
        host("write", folder / name)
        for healthy in (folder / name / file if file else folder / name for file in files):
            for label, damage in [("healthy", None), ("dropped", drop), ("twice", twice), ("orphan", orphan)]:
                value = read(healthy)
                if damage and damage(list(places(value, is_result)), id) is False:
                    continue
                damaged = healthy.with_name(f"{label}-{healthy.name}")
                repaired = healthy.with_name(f"repaired-{damaged.name}")
                write(damaged, value)
                repaired.unlink(missing_ok=True)
                found, verdict = checked(program, damaged)
                if damage:
                    run(program, "repair", "--isolated", damaged, "-o", repaired)
                path = repaired if repaired.exists() else damaged
                loaded = host("load", path)
                *lines, answer = loaded.stdout.splitlines() or [""]
                _, after = checked(program, path)
                is_right = (
                    found == format
                    and (verdict == "healthy") == (damage is None)
                    and after == "healthy"
                    and is_sendable(lines)
                    and answer.startswith("answer Yes.")
                )
                failed += not is_right
                error = loaded.stderr[-300:] if loaded.returncode else ""
                print("ok" if is_right else "FAILED", format, healthy.name, label, found, verdict, "->", after, error)
    sys.exit(failed > 0)


main(*sys.argv[1:])
