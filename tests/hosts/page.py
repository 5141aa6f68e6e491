"""Writes `docs/hosts.md` and `src/hosts/checked.rs` from `results.json`, which has the last run of each host."""
import collections
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
RESULTS = os.path.join(HERE, "results.json")
UNNOTICED = os.path.join(HERE, "unnoticed.json")
PAGE = os.path.join(ROOT, "docs/hosts.md")
CHECKED = os.path.join(ROOT, "src/hosts/checked.rs")

HEAD = """<!-- Written by tests/hosts/run.sh --write. Do not edit. -->

# Hosts that agree

`tests/hosts/run.sh` lets each of these programs make sessions against a scripted provider: two runs, a kill in a tool, a resume, and
eight kinds of damage with their repair. It then compares what transcript-doctor says about a session with the next request that
the program sends.

- *agreed*: the verdict says what the request shows, everything arrives that it says arrives, no tool ran twice after a repair.
- *explained*: they differ for a reason that is not in the file.
- *differs*: not explained yet.

"""


def write_unnoticed(rows):
    """Replaces the rows of policies of these formats that no story notices, and writes the page."""
    stored = {**json.loads(read(UNNOTICED) or "{}"), **rows}
    rows = {name: own for name, own in stored.items() if own}
    with open(UNNOTICED, "w", encoding="utf-8") as file:
        json.dump(rows, file, indent=1, sort_keys=True)
        file.write("\n")
    update([])


def update(results):
    """Replaces the results of these hosts, and writes the page of all."""
    stored = load()
    for result in results:
        if result["version"] and result["lines"]:
            fed = stored.get(result["host"], {}).get("fixtures")
            stored[result["host"]] = {**result, "fixtures": fed} if fed else result
    write(stored)


def update_fixtures(results):
    """The same for the fixtures that these hosts were fed. Of those that agree, only the number is kept."""
    stored = load()
    for result in results:
        if result["version"] and result["lines"] and result["host"] in stored:
            counts = collections.Counter(line["outcome"] for line in result["lines"])
            others = [line for line in result["lines"] if line["outcome"] in ("explained", "disagreed")]
            stored[result["host"]]["fixtures"] = {
                "version": result["version"], "date": result["date"], "seconds": result["seconds"], "lines": others,
                "agreed": counts["agreed"], "skipped": counts["skipped"]}
    write(stored)


def differing(host):
    """The fixtures that this host did not agree with."""
    return [line["session"] for line in load()[host]["fixtures"]["lines"]]


def update_some(results, is_again):
    """Replaces the results of fixtures that were fed again: all that did not agree, so that the rest of these is not there
    anymore; or some."""
    stored = load()
    for result in results:
        fed = stored[result["host"]]["fixtures"]
        before = {line["session"]: line for line in fed["lines"]}
        found = {line["session"]: line for line in result["lines"]}
        differ = [line for line in result["lines"] if line["outcome"] in ("explained", "disagreed")]
        kept = [] if is_again else [line for name, line in before.items() if name not in found]
        for name in before.keys() & found.keys():
            outcome = found[name]["outcome"]
            if outcome in ("agreed", "skipped"):
                fed[outcome] += 1
        fed["agreed"] -= sum(line["session"] not in before for line in differ)
        fed["lines"] = sorted(kept + differ, key=lambda line: line["session"])
    write(stored)


def write(stored):
    with open(RESULTS, "w", encoding="utf-8") as file:
        json.dump(stored, file, indent=1, sort_keys=True)
        file.write("\n")
    for path, text in files(stored).items():
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def files(stored):
    """What follows from the results."""
    return {PAGE: page(stored), CHECKED: checked(stored)}


def is_current():
    """Whether the files follow from the results."""
    return all(read(path) == text for path, text in files(load()).items())


def load():
    return json.loads(read(RESULTS) or "{}")


def read(path):
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return file.read()


def page(stored):
    results = [stored[name] for name in sorted(stored)]
    rows = ["| host | version | date | agreed | explained | differs | seconds |", "|---|---|---|---|---|---|---|"]
    for result in results:
        counts = [sum(line["outcome"] == outcome for line in result["lines"]) for outcome in ("agreed", "explained", "disagreed")]
        rows.append(f"| {result['title']} | {result['version']} | {result['date']} | " + " | ".join(map(str, counts)) + f" | {result['seconds']} |")
    parts = [HEAD + "\n".join(rows) + "\n", fixtures(results), unnoticed()]
    for result in results:
        parts.append(section(result))
    return "\n".join(parts)


FIXTURES = """## Fixtures

`tests/hosts/run.sh HOST --fixtures` feeds a host the fixtures of its format: damaged, repaired, and healthy ones. What is damaged must be
refused or lose what the verdict says; what is repaired or healthy must be accepted, and every text arrives of which `diff --as messages`
says that it is sent. *Not fed* are fixtures for another provider or of a file that the host does not read, and damage that only a real
model would notice (pictures, signatures), and redacted copies, which nobody resumes.

"""


def fixtures(results):
    """What the hosts did with the fixtures of their formats."""
    fed = [(result, result["fixtures"]) for result in results if "fixtures" in result]
    rows = ["| host | version | date | agreed | explained | differs | not fed | seconds |", "|---|---|---|---|---|---|---|---|"]
    notes = []
    for result, own in fed:
        explained, differs = (sum(line["outcome"] == outcome for line in own["lines"]) for outcome in ("explained", "disagreed"))
        cells = [result["title"], own["version"], own["date"], own["agreed"], explained, differs, own["skipped"], own["seconds"]]
        rows.append("| " + " | ".join(map(str, cells)) + " |")
        reasons = {}
        for line in own["lines"]:
            word = "" if line["outcome"] == "explained" else f"**differs** ({line['saw'].replace('|', '→')}): "
            reasons.setdefault(word + " ".join(line["why"].split()), []).append(f"`{line['session']}`")
        notes += [f"- {result['title']} {own['version']}, {', '.join(names)}: {why}" for why, names in reasons.items()]
    return FIXTURES + "\n".join(rows) + "\n" + "".join(note + "\n" for note in ["", *notes] if notes)


def unnoticed():
    """The rows of the policies that may say anything, as far as the stories go."""
    lines = ["## Rows of the policies that no session notices", "",
             "`tests/hosts/flip.py` takes each row of the policy of these formats away once, and checks the sessions above again, of "
             "Claude Code", "also the fixtures. Without one of these rows all of them agree still: what they say is known from runs by hand and from sources.", ""]
    rows = json.loads(read(UNNOTICED) or "{}")
    for name in sorted(rows):
        lines += [f"- `{name}`: " + ", ".join(f"`{row}`" for row in rows[name])]
    return "\n".join(lines) + "\n"


def section(result):
    lines = [f"## {result['title']} {result['version']}", "", "| session | verdict and request | |", "|---|---|---|"]
    for line in result["lines"]:
        if line["outcome"] == "skipped":
            continue
        word = {"agreed": "agreed", "explained": "explained", "disagreed": "**differs**"}[line["outcome"]]
        why = ": " + " ".join(line["why"].split()).replace("|", "\\|") if line["why"] else ""
        lines.append(f"| {line['session']} | {line['saw'].replace('|', '→')} | {word}{why} |")
    return "\n".join(lines) + "\n"


def checked(stored):
    """The versions that were run, by format, for the pages of the formats."""
    formats = {}
    for result in (stored[name] for name in sorted(stored)):
        of_title = formats.setdefault(result["format"], {})
        of_title.setdefault(result["title"], []).append(result["version"])
    lines = ["//! The versions that the suite of hosts ran last. Written by `tests/hosts/run.sh --write`: do not edit.", ""]
    for name in sorted(formats):
        const = name.upper().replace("-", "_")
        programs = [f'{title} {" and ".join(versions)}' for title, versions in formats[name].items()]
        lines.append(f'pub(super) const {const}: &str = "{", ".join(programs)}";')
    return "\n".join(lines) + "\n"
