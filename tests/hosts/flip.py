"""Takes away each row of the policies of hosts once, and asks whether a story of the suite notices: flip.py KEPT, folders of `--keep`.

The program is built once, in a copy of the sources, so that a variable can name a row that does not count. No host runs: the sessions
that the suite kept are checked again, and compared with what their hosts did with them then. Without `--write` it only prints.
"""
import argparse
import functools
import glob
import json
import os
import re
import shutil
import subprocess
import sys

import page
from contract import judge
from doctor import Asked, Doctor
from fixtures import disagreements
from suite import ROOT

PLACE = """        .filter(move |row| row.code == code)
        .filter(|row| row.holds("""
FLIP = """        .filter(move |row| row.code == code && !is_flipped(cx, row))
        .filter(|row| row.holds("""
# Added to the module: whether a variable takes a row away, by its format and its place in the table.
TEST = """
fn is_flipped(cx: &RuleContext<'_>, row: &PolicyRow) -> bool {
    let at = cx.format.traits.policy.iter().position(|other| std::ptr::eq(row, other));
    let flipped = std::env::var("FLIP").unwrap_or_default();
    flipped == format!("{}:{}", cx.format.name, at.unwrap_or_default())
}
"""


def main():
    parser = argparse.ArgumentParser(prog="tests/hosts/flip.py", description=__doc__)
    parser.add_argument("kept", nargs="+", help="folders of `run.sh --keep`, and of `run.sh --fixtures --keep`")
    parser.add_argument("--scratch", default=os.path.join(ROOT, "target/flip"), help="where the copy is built")
    parser.add_argument("--built", metavar="FILE", help="the program, if it was built before")
    parser.add_argument("--format", action="append", help="only this format")
    parser.add_argument("--cargo", default="cargo", help="the command that builds")
    parser.add_argument("--write", action="store_true", help="write the rows that nothing notices to docs/hosts.md")
    options = parser.parse_args()
    binary = options.built or build(options)
    stories = load(options.kept)
    unnoticed = {}
    for name in options.format or sorted({story["format"] for story in stories}):
        own = [story for story in stories if story["format"] == name]
        unnoticed[name] = []
        before = functools.cache(lambda at, own=own: verdict(binary, own[at]))
        for number, row in enumerate(rows(name)):
            flipped = f"{name}:{number}"
            notices = (own[at]["name"] for at in likely_first(own, row) if verdict(binary, own[at], flipped) != before(at))
            noticed = next(notices, None)
            print(f"{name} {row}: {noticed or 'no story notices'}", flush=True)
            if noticed is None:
                unnoticed[name].append(row)
    if options.write:
        page.write_unnoticed(unnoticed)


def likely_first(stories, row):
    """The places of the stories, those that are named as the rule of a row first: this takes a tenth of the time."""
    rule = re.sub("(?<!^)([A-Z])", r"-\1", re.search(r"Code::(\w+)", row).group(1)).lower()
    return sorted(range(len(stories)), key=lambda at: rule not in stories[at]["name"])


def build(options):
    """Builds a copy of the program in which the variable FLIP takes a row away."""
    os.makedirs(options.scratch, exist_ok=True)
    for name in set(os.listdir(ROOT)) - {"src", "target", ".git"}:
        link = os.path.join(options.scratch, name)
        if not os.path.lexists(link):
            os.symlink(os.path.join(ROOT, name), link)
    sources = os.path.join(options.scratch, "src")
    shutil.rmtree(sources, ignore_errors=True)
    shutil.copytree(os.path.join(ROOT, "src"), sources)
    path = os.path.join(options.scratch, "src/rules/policy.rs")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if PLACE not in text:
        sys.exit(f"{path} does not read its rows as this script expects")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(PLACE, FLIP) + TEST)
    subprocess.run([options.cargo, "build", "--bin", "transcript-doctor"], cwd=options.scratch, check=True)
    return os.path.join(options.scratch, "target/debug/transcript-doctor")


def load(kept):
    """The stories of all hosts, each with its folder and its format."""
    stories = []
    results = page.load()
    for path in sorted(path for folder in kept for path in glob.glob(folder + "/*/stories/*/story.json")):
        with open(path, encoding="utf-8") as file:
            story = json.load(file)
        host = os.path.abspath(path).split(os.sep)[-4]
        folder = os.path.dirname(path)
        asked = Asked(results[host]["title"], results[host]["version"], story["kind"])
        stories.append({**story, "folder": folder, "name": f"{host} {os.path.basename(folder)}", "format": results[host]["format"],
                        "asked": asked})
    return stories


def verdict(binary, story, flipped=""):
    """Whether a story agrees, if this row does not count."""
    doctor = Doctor(binary, story["folder"] + "/home", {"FLIP": flipped})
    opinion = doctor.check(os.path.join(story["folder"], story["session"]), story["asked"])
    if story.get("is_fixture"):
        return bool(disagreements(opinion, story))
    _, why = judge(opinion, story)
    return bool(why)


def rows(name):
    """The rows of a format's policy, as they stand in its source."""
    with open(os.path.join(ROOT, "src/hosts", name.replace("-", "_"), "mod.rs"), encoding="utf-8") as file:
        table = re.search(r"const POLICY: &\[PolicyRow\] = &\[\n?(.*?)\n?\];", file.read(), re.S)
    text = re.sub(r"//.*", "", table.group(1)) if table else ""
    found = re.split(r"PolicyRow::", text)[1:]
    return [re.sub(r"\s+", " ", row).strip(" ,").replace(", )", ")").replace(" .", ".") for row in found]


if __name__ == "__main__":
    main()
